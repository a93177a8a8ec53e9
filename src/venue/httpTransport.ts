import { HttpConnection } from './httpConnection.ts'
import type { Place } from './httpConnection.ts'
import type { HttpOutcome } from './httpOutcome.ts'

export interface HttpTransport {
  post(path: string, body: string, timeoutMs: number): Promise<HttpOutcome>
  close(): void
}

/** An idle connection, and until when the venue keeps it. */
interface Idle {
  readonly connection: HttpConnection
  readonly untilMs: number
}

interface Waiting {
  readonly start: (connection: HttpConnection) => void
  readonly giveUp: (error: string) => void
}

const connectionsMax = 64

/**
 * A kept pool of connections to the venue. No automatic retry: the outbox decides what to do. It
 * speaks just the HTTP that is needed here: `node:http` costs a quarter of a millisecond more for
 * each order, half of what Guard adds (docs/adr/0011).
 */
export function createHttpTransport(baseUrl: string, authority?: string): HttpTransport {
  const base = new URL(baseUrl)
  const prefix = base.pathname.replace(/\/$/, '')
  const pool = new Pool({ ...placeOf(base), authority })
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

/** The latest used connection is used next: the others may then age and go. */
class Pool {
  readonly #place: Place
  readonly #open = new Set<HttpConnection>()
  #idle: Idle[] = []
  #waiting: Waiting[] = []
  #isClosed = false

  constructor(place: Place) {
    this.#place = place
  }

  async post(bytes: string, timeoutMs: number): Promise<HttpOutcome> {
    if (this.#isClosed) return { kind: 'not_sent', error: 'the connection pool is closed' }
    const free = this.#takeIdle()
    if (free !== null) return await free.post(bytes, timeoutMs)
    if (this.#open.size < connectionsMax) return await this.#connect().post(bytes, timeoutMs)
    return await this.#postLater(bytes, timeoutMs)
  }

  close(): void {
    this.#isClosed = true
    this.#idle = []
    for (const { giveUp } of this.#waiting.splice(0)) giveUp('the connection pool is closed')
    for (const connection of this.#open) connection.close()
  }

  #postLater(bytes: string, timeoutMs: number): Promise<HttpOutcome> {
    return new Promise((resolve) => {
      const waiting: Waiting = {
        start: (connection) => {
          clearTimeout(timer)
          resolve(connection.post(bytes, timeoutMs))
        },
        giveUp: (error) => {
          clearTimeout(timer)
          resolve({ kind: 'not_sent', error })
        },
      }
      const timer = setTimeout(() => {
        this.#waiting = this.#waiting.filter((each) => each !== waiting)
        waiting.giveUp(`no connection came free within ${timeoutMs} ms`)
      }, timeoutMs)
      this.#waiting.push(waiting)
    })
  }

  #takeIdle(): HttpConnection | null {
    for (;;) {
      const idle = this.#idle.pop()
      if (idle === undefined) return null
      if (performance.now() < idle.untilMs) return idle.connection
      idle.connection.close()
    }
  }

  #connect(): HttpConnection {
    const connection: HttpConnection = new HttpConnection(
      this.#place,
      (idleMs) => {
        this.#free(connection, idleMs)
      },
      () => {
        this.#forget(connection)
      },
    )
    this.#open.add(connection)
    return connection
  }

  #free(connection: HttpConnection, idleMs: number): void {
    const next = this.#waiting.shift()
    if (next !== undefined) next.start(connection)
    else this.#idle.push({ connection, untilMs: performance.now() + idleMs })
  }

  #forget(connection: HttpConnection): void {
    this.#open.delete(connection)
    this.#idle = this.#idle.filter((each) => each.connection !== connection)
    const next = this.#isClosed ? undefined : this.#waiting.shift()
    if (next !== undefined) next.start(this.#connect())
  }
}

function placeOf({ protocol, hostname, port }: URL): Place {
  const isTls = protocol === 'https:'
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (isTls ? 443 : 80) : Number(port),
    isTls,
  }
}
