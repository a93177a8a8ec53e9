import { WebSocket } from 'ws'

/** A socket to the venue, narrow enough that a fake world can play it. */
export interface Socket {
  send(text: string): void
  /** Drops the connection at once; `onClose` follows. */
  terminate(): void
}

export interface SocketHandlers {
  readonly onOpen: () => void
  readonly onText: (text: string) => void
  /** Exactly once, also when the connection was never made. */
  readonly onClose: (reason: string) => void
}

export type OpenSocket = (url: string, handlers: SocketHandlers) => Socket

const frameBytesMax = 32 * 1_048_576
const connectMsMax = 10_000

/** A real WebSocket. */
export const openSocket: OpenSocket = (url, handlers) => {
  const socket = new WebSocket(url, {
    perMessageDeflate: false,
    handshakeTimeout: connectMsMax,
    maxPayload: frameBytesMax,
  })
  let reason = 'closed'
  socket.on('open', handlers.onOpen)
  socket.on('message', (data: Buffer) => {
    handlers.onText(data.toString('utf8'))
  })
  socket.on('error', (error) => {
    reason = error.message
  })
  socket.on('close', (code) => {
    handlers.onClose(reason === 'closed' ? `closed with code ${code}` : reason)
  })
  return {
    send: (text) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(text)
    },
    terminate: () => {
      socket.terminate()
    },
  }
}
