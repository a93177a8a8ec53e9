import type { EquityHistory } from './equityHistory.ts'
import type { RequestTurns } from './http/requestTurns.ts'
import type { EventHub } from './events/eventHub.ts'
import type { GatewayOptions } from './gatewayOptions.ts'
import { sendJson } from './http/reply.ts'
import type { Handler, Route, Routes } from './http/router.ts'
import type { InfoReader } from './info/infoReader.ts'
import { decisionRoute } from './routes/decisionRoute.ts'
import { createEventsRoute } from './routes/eventsRoute.ts'
import { infoRoute } from './routes/infoRoute.ts'
import { exchangeRoute, killRoute, previewRoute } from './routes/judgedRoutes.ts'
import {
  assetRoute,
  equityRoute,
  healthRoute,
  metricsRoute,
  readyRoute,
  statusRoute,
} from './routes/stateRoutes.ts'
import type { SocketServer } from './ws/socketServer.ts'

/** Every path Guard answers, and how. */
export function gatewayRoutes(
  options: GatewayOptions,
  hub: EventHub,
  equity: EquityHistory,
  info: InfoReader,
  sockets: SocketServer,
  turns: RequestTurns,
): Routes {
  const { guard, reader, timers, metrics, log, version } = options
  const events = createEventsRoute({ reader, hub, timers, metrics: metrics.http, log })
  const counts = () => ({
    sseReaders: events.sseReaders(),
    longPolls: events.longPolls(),
    ...sockets.counts(),
  })
  const written = (): void => {
    info.wrote()
  }
  const pages = [...options.assets].map(([path, asset]): [string, Route] => [
    path,
    { GET: assetRoute(asset) },
  ])
  return new Map<string, Route>([
    ...pages,
    ['/exchange', { POST: exchangeRoute(guard, turns, written), isOpen: true }],
    ['/info', { POST: infoRoute(info), isOpen: true }],
    ['/guard/kill', { POST: killRoute(guard), isOpen: true }],
    ['/guard/preview', { POST: previewRoute(guard) }],
    ['/guard/events', { GET: events.handler }],
    ['/guard/decision', { GET: decisionRoute(reader) }],
    ['/guard/status', { GET: statusRoute(guard) }],
    ['/guard/equity', { GET: equityRoute(equity) }],
    ['/healthz', { GET: healthRoute }],
    ['/readyz', { GET: readyRoute(guard), isOpen: true }],
    ['/metrics', { GET: metricsRoute(guard, reader, metrics, counts) }],
    ['/openapi.json', { GET: contractRoute(version, 'openapi') }],
    ['/schema/events.json', { GET: contractRoute(version, 'events') }],
  ])
}

/** The schemas are loaded when someone asks for them: Guard starts without. */
function contractRoute(version: string, what: 'openapi' | 'events'): Handler {
  return async ({ response }) => {
    const { openApi, eventsSchema } = await import('./schema/openApi.ts')
    sendJson(response, 200, what === 'openapi' ? openApi(version) : eventsSchema())
  }
}
