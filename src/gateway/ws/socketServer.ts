import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { WebSocketServer } from 'ws'
import { limits } from '../../core/values/limits.ts'
import type { GatewayOptions } from '../gatewayOptions.ts'
import type { BodyRoom } from '../http/bodyRoom.ts'
import type { RequestTurns } from '../http/requestTurns.ts'
import type { UnreadAnswers } from '../http/unreadAnswers.ts'
import type { HttpError } from '../http/reply.ts'
import type { InfoReader } from '../info/infoReader.ts'
import { SocketClient } from './socketClient.ts'
import { Relay } from './relay.ts'

/** Bots' sockets: the venue's own protocol on `/ws`, `/exchange` and `/`. */
export interface SocketServer {
  /** Null when an upgrade on this path may go on. */
  refuse(path: string): HttpError | null
  /** `opened` is called once the handshake is done; a wrong one is refused, and its connection ended. */
  accept(request: IncomingMessage, socket: Socket, head: Buffer, opened: () => void): void
  counts(): {
    readonly websocketClients: number
    readonly upstreamSockets: number
    readonly upstreamSubscriptions: number
  }
  /** Says goodbye to every client. */
  close(): void
}

const heartbeatMs = 30_000

const paths = new Set(['/ws', '/exchange', '/'])

export function createSocketServer(
  options: GatewayOptions,
  info: InfoReader,
  unread: UnreadAnswers,
  room: BodyRoom,
  turns: RequestTurns,
): SocketServer {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: limits.bodyBytesMax,
    perMessageDeflate: false,
    clientTracking: false,
    // Guard answers pings itself, so that it can stop where nobody reads the answers.
    autoPong: false,
  })
  const relay = new Relay(options, info)
  const clients = new Set<SocketClient>()
  const run = options.clock.now().toString(36)
  let accepted = 0
  const stopHeartbeat = options.timers.every(heartbeatMs, () => {
    for (const client of clients) client.heartbeat()
  })
  return {
    refuse: (path) => {
      if (!paths.has(path)) {
        return { status: 404, code: 'not_found', text: 'sockets are at /ws, /exchange and /' }
      }
      return clients.size >= limits.websocketClientsMax ? full : null
    },
    accept: (request, socket, head, opened) => {
      server.handleUpgrade(request, socket, head, (connection) => {
        accepted += 1
        opened()
        const id = `${run}-ws${accepted.toString(36)}`
        const client = new SocketClient(connection, id, options, info, relay, unread, room, turns)
        const unwatch = unread.watch(client)
        clients.add(client)
        connection.on('close', () => {
          unwatch()
          clients.delete(client)
          relay.leave(client)
        })
      })
    },
    counts: () => ({ websocketClients: clients.size, ...relay.counts() }),
    close: () => {
      stopHeartbeat()
      relay.close()
      for (const client of clients) client.close()
    },
  }
}

const full: HttpError = {
  status: 503,
  code: 'too_many_sockets',
  text: `Guard serves at most ${limits.websocketClientsMax} sockets`,
}
