import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'
import type { WebSocket } from 'ws'
import { loadCrypto } from '../../src/crypto/loadCrypto.ts'
import { createSimulator, scenarioNames } from './createSimulator.ts'
import { failSafe } from './failSafe.ts'
import type { HttpReply } from './front/transport.ts'
import { parseScenarioFile } from './scenarioFile.ts'
import type { ScenarioFile } from './scenarioFile.ts'
import type { Simulator, SimulatorCore, SimulatorOptions } from './simulatorOptions.ts'

const tickMs = 25
const bodyBytesMax = 2_097_152
/** What may wait for a client that does not read; then its socket is cut. */
const waitingBytesMax = 16_777_216
const portDefault = 3001
/** As long as the venue keeps an idle connection, and not so short that a client meets its end. */
const keepAliveMs = 65_000

/** Starts a venue on this machine; ready once the promise resolves. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const crypto = await loadCrypto()
  const { clock } = options
  const now = (): number => (clock === undefined ? Date.now() : clock.now())
  const file = await readScenario(options.scenario)
  let isClosed = false
  const {
    core: safe,
    failed,
    check,
  } = failSafe((attempt) =>
    createSimulator(options, crypto, now, file, (go) => {
      setImmediate(() => {
        if (!isClosed) attempt(go)
      })
    }),
  )
  // With a clock of the caller's nothing moves by itself: the caller advances.
  const { core, stop } =
    clock === undefined ? letTimePass(safe, now) : { core: checked(safe, check), stop: null }
  const host = options.host ?? '127.0.0.1'
  const server = createServer({ keepAliveTimeout: keepAliveMs }, (request, response) => {
    serve(core, request, response)
  })
  const sockets = acceptSockets(core, server)
  await listen(server, host, options.port ?? portDefault)
  const { port } = server.address() as AddressInfo
  const name = host.includes(':') ? `[${host}]` : host
  return {
    ...core,
    url: `http://${name}:${String(port)}`,
    wsUrl: `ws://${name}:${String(port)}/ws`,
    port,
    failed,
    async close() {
      isClosed = true
      stop?.()
      for (const socket of sockets.clients) socket.terminate()
      await new Promise<void>((resolve) => {
        server.close(() => {
          resolve()
        })
        server.closeAllConnections()
      })
    },
  }
}

/** Whoever moves the clock hears of what fails by it. */
function checked(core: SimulatorCore, check: () => void): SimulatorCore {
  return {
    ...core,
    advance: () => {
      core.advance()
      check()
    },
  }
}

/** The venue moves in steps, and sooner where a request leaves something that is due before. */
function letTimePass(
  core: SimulatorCore,
  now: () => number,
): { readonly core: SimulatorCore; readonly stop: () => void } {
  let sooner: NodeJS.Timeout | undefined
  const look = (): void => {
    const waitMs = core.nextAt() - now()
    if (sooner !== undefined || waitMs >= tickMs) return
    sooner = setTimeout(() => {
      sooner = undefined
      core.advance()
      look()
    }, waitMs)
  }
  const timer = setInterval(() => {
    core.advance()
  }, tickMs)
  return {
    core: {
      ...core,
      http: (request, answer) => {
        core.http(request, answer)
        look()
      },
      connect: (link) => {
        const connection = core.connect(link)
        return {
          ...connection,
          receive: (text) => {
            connection.receive(text)
            look()
          },
        }
      },
    },
    stop: () => {
      clearInterval(timer)
      clearTimeout(sooner)
    },
  }
}

/** Null for a named path; anything else is a file's name. */
async function readScenario(scenario: string | undefined): Promise<ScenarioFile | null> {
  if (scenario === undefined || scenarioNames.some((name) => name === scenario)) return null
  const known = `scenario must be ${scenarioNames.join(', ')} or a file`
  const text = await readFile(scenario, 'utf8').catch((error: unknown) => {
    throw new TypeError(`${known}, got "${scenario}"`, { cause: error })
  })
  const parsed = parseScenarioFile(text)
  if (!parsed.ok) throw new TypeError(`${scenario}: ${parsed.error}`)
  return parsed.value
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function isObserver(request: IncomingMessage): boolean {
  return request.headers['x-sim-observer'] === '1'
}

function serve(core: SimulatorCore, request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = []
  let bytes = 0
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= bodyBytesMax) chunks.push(chunk)
  })
  request.on('end', () => {
    if (bytes > bodyBytesMax) {
      const tooLong = { status: 413, contentType: 'text/plain', body: 'length limit exceeded' }
      write(response, tooLong, core.venue.nowMs)
      return
    }
    const asked = {
      method: request.method ?? 'GET',
      url: request.url ?? '/',
      contentType: request.headers['content-type'] ?? null,
      isObserver: isObserver(request),
      ip: request.socket.remoteAddress ?? '',
      body: Buffer.concat(chunks).toString('utf8'),
    }
    core.http(asked, (reply) => {
      if (reply === null) request.socket.destroy()
      else write(response, reply, core.venue.nowMs)
    })
  })
}

/** The date of an answer is the venue's, whatever the machine's clock says. */
function write(response: ServerResponse, reply: HttpReply, nowMs: number): void {
  response.writeHead(reply.status, {
    date: new Date(nowMs).toUTCString(),
    ...(reply.contentType === null ? {} : { 'content-type': reply.contentType }),
    'content-length': Buffer.byteLength(reply.body),
    vary: 'origin',
    'access-control-allow-origin': '*',
    'access-control-expose-headers': '*',
  })
  response.end(reply.body)
}

/** `/ws`, without compression, as the venue has it. */
function acceptSockets(core: SimulatorCore, server: Server): WebSocketServer {
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: bodyBytesMax,
  })
  server.on('upgrade', (request, socket, head) => {
    const path = (request.url ?? '/').replace(/\/{2,}/g, '/').replace(/[?#].*$/, '')
    if (path !== '/ws' && path !== '/ws/') {
      socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n')
      return
    }
    sockets.handleUpgrade(request, socket, head, (each) => {
      attach(core, request, each)
    })
  })
  return sockets
}

function attach(core: SimulatorCore, request: IncomingMessage, socket: WebSocket): void {
  const connection = core.connect({
    ip: request.socket.remoteAddress ?? '',
    isObserver: isObserver(request),
    send: (text) => {
      if (socket.bufferedAmount > waitingBytesMax) socket.terminate()
      else socket.send(text)
    },
    drop: () => {
      socket.terminate()
    },
  })
  socket.on('message', (frame: Buffer) => {
    connection.receive(frame.toString('utf8'))
  })
  // A broken frame ends the socket, and `close` follows; there is nobody else to tell.
  socket.on('error', () => {
    socket.terminate()
  })
  socket.on('close', () => {
    connection.closed()
  })
}
