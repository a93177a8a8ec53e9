import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { limits } from '../../core/values/limits.ts'
import type { GatewayOptions } from '../gatewayOptions.ts'
import type { Connections } from '../http/connections.ts'
import type { Door } from '../http/door.ts'
import { asksForSocket, serveWithoutUpgrade } from '../http/ignoredUpgrade.ts'
import type { PendingAnswers } from '../http/pendingAnswers.ts'
import type { HttpError } from '../http/reply.ts'
import { parseTarget } from '../http/router.ts'
import type { SocketServer } from './socketServer.ts'

interface Deps extends Pick<GatewayOptions, 'metrics' | 'timers'> {
  readonly server: Server
  readonly door: Door
  readonly sockets: SocketServer
  readonly pending: PendingAnswers
  readonly connections: Connections
}

/** What becomes of a request that wants its connection to speak another protocol. */
export function upgradeListener(
  deps: Deps,
): (request: IncomingMessage, socket: Socket, rest: Buffer) => void {
  const { server, pending } = deps
  return (request, socket, rest) => {
    // What was asked before is answered in the old protocol, also where the client did not wait for it.
    pending.whenNone(socket, () => {
      if (asksForSocket(request)) serveWebSocket(deps, request, socket, rest)
      else serveWithoutUpgrade(server, request, socket, rest)
    })
  }
}

function serveWebSocket(
  { door, sockets, connections, metrics, timers }: Deps,
  request: IncomingMessage,
  socket: Socket,
  rest: Buffer,
): void {
  const { path } = parseTarget(request.url ?? '/')
  const error = door.refuse(request) ?? door.refuseReader(request) ?? sockets.refuse(path)
  if (error) {
    metrics.http.refused(error.code)
    refuse(socket, error, timers)
    return
  }
  sockets.accept(request, socket, rest, () => {
    connections.began(socket, untilItCloses)
  })
}

/** A WebSocket keeps its connection until it closes; how many there are is bounded by their number. */
const untilItCloses = { isWorkedOn: () => true, isWhole: () => true }

/** Says why, and ends the connection a moment later even if the client keeps its side of it open. */
function refuse(
  socket: Socket,
  { status, code, text }: HttpError,
  timers: GatewayOptions['timers'],
): void {
  const destroy = (): void => {
    socket.destroy()
  }
  socket.on('close', timers.after(limits.refusedUpgradeMsMax, destroy))
  // What still comes is thrown away: left unread, it would reset the connection before the answer is read.
  socket.resume()
  const body = JSON.stringify({ error: { code, text } })
  socket.end(
    `HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}
