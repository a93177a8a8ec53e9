import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { limits } from '../../core/values/limits.ts'
import type { FleetState } from '../../monitor/fleetState.ts'
import type { MonitorAsset } from '../../monitor/monitorAssets.ts'

/** Decides who may speak at all, as Guard's own port does. */
export interface WatchDoor {
  refuse(request: IncomingMessage): Refused | null
  refuseReader(request: IncomingMessage): Refused | null
}

interface Refused {
  readonly status: number
  readonly code: string
  readonly text: string
}

interface ServerOptions {
  readonly host: string
  /** 0 takes a free port. */
  readonly port: number
  readonly door: WatchDoor
  readonly assets: ReadonlyMap<string, MonitorAsset>
  readonly state: () => FleetState
  readonly metrics: (state: FleetState) => string
}

interface WatchServer {
  readonly url: string
  close(): Promise<void>
}

interface Answer {
  readonly type: string
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Serves the page and what it reads. There is nothing here that could change anything. */
export async function openWatchServer(options: ServerOptions): Promise<WatchServer> {
  const timeouts = { requestTimeout: 10_000, headersTimeout: 10_000, keepAliveTimeout: 30_000 }
  const routes = routesOf(options)
  const server = createServer(timeouts, (request, response) => {
    // Nobody has anything to say here: a body is not read, and its connection not used again.
    if (request.headers['content-length'] !== undefined || 'transfer-encoding' in request.headers) {
      response.setHeader('Connection', 'close')
    }
    serve(request, response, options.door, routes)
  })
  server.maxConnections = limits.fleetWatchConnectionsMax
  await listening(server, options.host, options.port)
  const { port } = server.address() as AddressInfo
  const { host } = options
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve()
        })
        server.closeAllConnections()
      }),
  }
}

function routesOf({ assets, state, metrics }: ServerOptions): ReadonlyMap<string, () => Answer> {
  return new Map<string, () => Answer>([
    ...[...assets].map(([path, asset]) => [path, () => asset] as const),
    ['/fleet/state', () => ({ type: 'application/json', body: JSON.stringify(state()) })],
    ['/metrics', () => ({ type: 'text/plain; version=0.0.4', body: metrics(state()) })],
    [
      '/healthz',
      () => {
        const { store } = state()
        return { type: 'application/json', body: JSON.stringify({ ok: true, store: store.state }) }
      },
    ],
  ])
}

function serve(
  request: IncomingMessage,
  response: ServerResponse,
  door: WatchDoor,
  routes: ReadonlyMap<string, () => Answer>,
): void {
  const refused = door.refuse(request) ?? door.refuseReader(request)
  if (refused !== null) {
    sendError(response, refused)
    return
  }
  const [path = ''] = (request.url ?? '').split('?')
  const route = routes.get(path)
  if (route === undefined) {
    sendError(response, { status: 404, code: 'not_found', text: 'there is nothing here' })
  } else if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('Allow', 'GET, HEAD')
    sendError(response, { status: 405, code: 'method_not_allowed', text: 'it is only read here' })
  } else {
    send(response, 200, route())
  }
}

function send(response: ServerResponse, status: number, { type, body, headers }: Answer): void {
  response.writeHead(status, {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Cross-Origin-Resource-Policy': 'same-origin',
    ...headers,
  })
  response.end(body)
}

function sendError(response: ServerResponse, { status, code, text }: Refused): void {
  send(response, status, {
    type: 'application/json',
    body: JSON.stringify({ error: { code, text } }),
  })
}

async function listening(server: Server, host: string, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}
