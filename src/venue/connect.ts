import { connect as connectTcp } from 'node:net'
import type { Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

/** Where the venue is. */
export interface VenuePlace {
  readonly host: string
  readonly port: number
  readonly isTls: boolean
  /** Whose certificates are believed instead of the usual authorities'. */
  readonly authority?: string | undefined
}

/** What a connection tells whoever asked for it; never before `Connect` has returned. */
export interface ConnectionHandlers {
  /** Once, when bytes may be written; over TLS that is after the handshake. */
  onStanding(): void
  onBytes(received: Buffer): void
  /** The venue writes nothing more. */
  onEnd(): void
  /** Once, and last; `error` is what ended it, null where nothing went wrong. */
  onClose(error: Error | null): void
}

/** Guard's end of a connection. */
export interface ConnectionEnd {
  write(bytes: string): void
  /** Ends it at once. What was written before may still arrive. */
  destroy(): void
}

/** Opens a connection: everything that Guard says to the venue over HTTP goes through one of these. */
export type Connect = (place: VenuePlace, handlers: ConnectionHandlers) => ConnectionEnd

const keepAliveMs = 10_000

/** A real connection, over TCP or TLS. */
export const connectOverNetwork: Connect = (place, handlers) => {
  const socket = open(place)
  socket.setNoDelay(true)
  socket.setKeepAlive(true, keepAliveMs)
  let failure: Error | null = null
  socket.once(place.isTls ? 'secureConnect' : 'connect', () => {
    handlers.onStanding()
  })
  socket.on('data', (received: Buffer) => {
    handlers.onBytes(received)
  })
  socket.on('end', () => {
    handlers.onEnd()
  })
  socket.on('error', (error) => {
    failure = error
  })
  socket.on('close', () => {
    handlers.onClose(failure)
  })
  return {
    write: (bytes) => {
      socket.write(bytes)
    },
    destroy: () => {
      socket.destroy()
    },
  }
}

function open({ host, port, isTls, authority }: VenuePlace): Socket {
  if (!isTls) return connectTcp(port, host)
  // The name that the certificate must bear; an address has none to send.
  const name = /^[\d.]+$|:/.test(host) ? {} : { servername: host }
  return connectTls({ host, port, ...name, ca: authority, ALPNProtocols: ['http/1.1'] })
}
