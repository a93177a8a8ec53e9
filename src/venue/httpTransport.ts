import { HttpConnection } from './httpConnection.ts'
import type { Place } from './httpConnection.ts'
import type { HttpOutcome } from './httpOutcome.ts'

export interface HttpTransport {
  post(path: string, body: string, timeoutMs: number): Promise<HttpOutcome>
  close(): void
}

export interface TransportOptions {
  readonly connectMs?: number
  /** Whose certificates are believed instead of the usual authorities'. */
  readonly authority?: string
  readonly monotonicMs?: () => number
}

/** An idle connection, and until when the venue keeps it. */
interface Idle {
  readonly connection: HttpConnection
  readonly untilMs: number
}

/** A request until it is answered; without a connection nothing of it has left. */
interface Request {
  readonly bytes: string
  readonly finish: (outcome: HttpOutcome) => void
  connection: HttpConnection | null
}

const connectionsMax = 64
const poolClosed = 'the connection pool is closed'

/**
 * A kept pool of connections to the venue. No automatic retry: the outbox decides what to do. It
 * speaks just the HTTP that is needed here: `node:http` costs a quarter of a millisecond more for
 * each order, half of what Guard adds (docs/adr/0011).
 */
export function createHttpTransport(
  baseUrl: string,
  { connectMs = 5_000, authority, monotonicMs = () => performance.now() }: TransportOptions = {},
): HttpTransport {
  const base = new URL(baseUrl)
  const prefix = base.pathname.replace(/\/$/, '')
  const pool = new Pool({ ...placeOf(base), authority, connectMs }, monotonicMs)
  return {
    post: (path, body, timeoutMs) => {
      const head =
        `POST ${prefix}${path} HTTP/1.1\r\nHost: ${base.host}\r\nConnection: keep-alive\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`
      return pool.post(head + body, timeoutMs)
    },
    close: () => {
      pool.close()
    },
  }
}

/**
 * Whichever connection is free first takes the request that has waited longest, so that none is
 * overtaken while its own connection is being made. The latest used one is used next: the others
 * may then age and go.
 */
class Pool {
  readonly #place: Place
  readonly #monotonicMs: () => number
  readonly #open = new Set<HttpConnection>()
  /** Those of them that do not stand yet. */
  readonly #early = new Set<HttpConnection>()
  #idle: Idle[] = []
  #waiting: Request[] = []
  #isClosed = false

  constructor(place: Place, monotonicMs: () => number) {
    this.#place = place
    this.#monotonicMs = monotonicMs
  }

  post(bytes: string, timeoutMs: number): Promise<HttpOutcome> {
    if (this.#isClosed) return Promise.resolve({ kind: 'not_sent', error: poolClosed })
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#expire(request, timeoutMs)
      }, timeoutMs)
      const finish = (outcome: HttpOutcome): void => {
        clearTimeout(timer)
        resolve(outcome)
      }
      const request: Request = { bytes, finish, connection: null }
      const idle = this.#takeIdle()
      if (idle !== null) {
        this.#start(idle, request)
        return
      }
      this.#waiting.push(request)
      if (this.#open.size < connectionsMax) this.#connect()
    })
  }

  close(): void {
    this.#isClosed = true
    this.#idle = []
    for (const { finish } of this.#waiting.splice(0))
      finish({ kind: 'not_sent', error: poolClosed })
    for (const connection of this.#open) connection.close()
  }

  #start(connection: HttpConnection, request: Request): void {
    request.connection = connection
    void connection.post(request.bytes).then(request.finish)
  }

  #expire(request: Request, timeoutMs: number): void {
    if (request.connection !== null) {
      request.connection.giveUp(`no answer within ${timeoutMs} ms`)
      return
    }
    this.#waiting = this.#waiting.filter((each) => each !== request)
    request.finish({ kind: 'not_sent', error: `no connection within ${timeoutMs} ms` })
  }

  #takeIdle(): HttpConnection | null {
    for (;;) {
      const idle = this.#idle.pop()
      if (idle === undefined) return null
      if (this.#monotonicMs() < idle.untilMs) return idle.connection
      idle.connection.close()
    }
  }

  #connect(): void {
    const connection: HttpConnection = new HttpConnection(this.#place, {
      free: (idleMs) => {
        this.#free(connection, idleMs)
      },
      closed: (early) => {
        this.#forget(connection, early)
      },
    })
    this.#open.add(connection)
    this.#early.add(connection)
  }

  #free(connection: HttpConnection, idleMs: number): void {
    this.#early.delete(connection)
    const next = this.#waiting.shift()
    if (next !== undefined) this.#start(connection, next)
    else this.#idle.push({ connection, untilMs: this.#monotonicMs() + idleMs })
  }

  /** Each connection was made for one request; where it could not be made, one goes without. */
  #forget(connection: HttpConnection, early: string | null): void {
    this.#open.delete(connection)
    this.#early.delete(connection)
    this.#idle = this.#idle.filter((each) => each.connection !== connection)
    if (early !== null) this.#waiting.shift()?.finish({ kind: 'not_sent', error: early })
    if (this.#waiting.length > this.#early.size && !this.#isClosed) this.#connect()
  }
}

function placeOf({ protocol, hostname, port }: URL): Omit<Place, 'connectMs'> {
  const isTls = protocol === 'https:'
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (isTls ? 443 : 80) : Number(port),
    isTls,
  }
}
