import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { limits } from '../core/values/limits.ts'
import { EquityHistory } from './equityHistory.ts'
import { EventHub } from './events/eventHub.ts'
import type { Gateway, GatewayOptions } from './gatewayOptions.ts'
import { Answer } from './http/answer.ts'
import { BodyRoom } from './http/bodyRoom.ts'
import { Connections } from './http/connections.ts'
import type { ConnectionEnd } from './http/connections.ts'
import { checkListen, createDoor } from './http/door.ts'
import { openOrderLane } from './http/orderLane.ts'
import type { OrderLane } from './http/orderLane.ts'
import { PendingAnswers } from './http/pendingAnswers.ts'
import { requestIds } from './http/requestIds.ts'
import { requestListener } from './http/requestListener.ts'
import { RequestTurns } from './http/requestTurns.ts'
import { UnreadAnswers } from './http/unreadAnswers.ts'
import { InfoReader } from './info/infoReader.ts'
import { gatewayRoutes } from './gatewayRoutes.ts'
import { laneOrders } from './routes/laneOrders.ts'
import { createSocketServer } from './ws/socketServer.ts'
import type { SocketServer } from './ws/socketServer.ts'
import { upgradeListener } from './ws/upgrades.ts'

const headersTimeoutMs = 10_000
const requestTimeoutMs = 30_000
const keepAliveTimeoutMs = 120_000
const closeWaitMs = 2_000

/** Opens Guard's port: bots, readers and the monitor page come in here. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  checkListen(options.listen)
  const gateway = createGateway(options)
  await listen(gateway.server, options.listen.host, options.listen.port)
  const { address, port, family } = gateway.server.address() as AddressInfo
  const host = family === 'IPv6' ? `[${address}]` : address
  return { host: address, port, url: `http://${host}:${port}`, close: gateway.close }
}

/** The gateway without a port: whoever has a connection hands it to the server. */
export function createGateway(options: GatewayOptions): {
  readonly server: Server
  readonly close: Gateway['close']
} {
  const { reader, timers, clock, metrics, guard, venue } = options
  const door = createDoor(options.listen)
  const hub = new EventHub(reader, timers, clock, metrics.http)
  const equity = new EquityHistory(guard, reader, timers, options.equityStore ?? null)
  const info = new InfoReader(guard, venue, clock, metrics.http, options.account)
  const unread = new UnreadAnswers((bytes) => {
    metrics.http.slowReader('http')
    options.log.log('warn', 'an answer that nobody took was dropped', { bytes })
  })
  const room = new BodyRoom(clock)
  const turns = new RequestTurns(options.nextTurn ?? setImmediate)
  const sockets = createSocketServer(options, info, unread, room, turns)
  const routes = gatewayRoutes(options, hub, equity, info, sockets, turns)
  const server = createServer({
    ServerResponse: Answer,
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    maxHeaderSize: 16_384,
    noDelay: true,
  })
  // `Connections` keeps far fewer open and says who goes. Those it has ended count here until the system
  // has closed them: only a flood of new ones reaches this bound, and is dropped before Guard sees it.
  server.maxConnections = 2 * limits.httpConnectionsMax
  // No bound on how many headers a request has, since `maxHeaderSize` bounds their bytes: with a bound
  // Node drops those beyond it without a word, and a second `Host` could hide among them.
  server.maxHeadersCount = 0
  const ended = (why: ConnectionEnd): void => {
    metrics.http.refused(`connection_${why}`)
    guard.unserved('connections')
  }
  server.on('drop', () => {
    ended('full')
  })
  const connections = new Connections(clock, turns, ended)
  const nextId = requestIds(clock)
  const pending = new PendingAnswers()
  server.on(
    'request',
    requestListener({ ...options, door, routes, unread, room, nextId, pending, connections }),
  )
  server.on(
    'upgrade',
    upgradeListener({ server, door, sockets, pending, connections, metrics, timers }),
  )
  const lane = openOrderLane(server, {
    ...{ clock, timers, unread, connections, idleMs: keepAliveTimeoutMs },
    admits: ({ host, origin }) =>
      door.refuse({ headers: { host, origin }, rawHeaders: [] }) === null,
    answer: laneOrders(options, nextId, turns, () => {
      info.wrote()
    }),
  })
  return {
    server,
    close: async (ms = closeWaitMs) => {
      const parts = { server, lane, hub, sockets, connections, timers }
      await Promise.all([equity.close(), close(parts, ms)])
    },
  }
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host: host.replace(/^\[(.*)\]$/, '$1'), port }, () => {
      server.removeListener('error', reject)
      resolve()
    })
  })
}

interface Closing extends Pick<GatewayOptions, 'timers'> {
  readonly server: Server
  readonly lane: OrderLane
  readonly hub: EventHub
  readonly sockets: SocketServer
  readonly connections: Connections
}

function close(
  { server, lane, hub, sockets, connections, timers }: Closing,
  ms: number,
): Promise<void> {
  return new Promise((resolve) => {
    // All of them, whoever has them now: Node's server does not know those that it has handed on.
    const cancel = timers.after(ms, () => {
      connections.destroyAll()
    })
    server.close(() => {
      cancel()
      hub.close()
      resolve()
    })
    hub.end()
    sockets.close()
    lane.end()
    server.closeIdleConnections()
  })
}
