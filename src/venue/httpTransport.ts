import type { Timers, Urgency } from '../engine/ports.ts'
import { connectOverNetwork } from './connect.ts'
import type { Connect, VenuePlace } from './connect.ts'
import { ConnectionPool } from './connectionPool.ts'
import type { HttpOutcome } from './httpOutcome.ts'

export interface HttpTransport {
  /** `heldBack`: asked where it had to wait, in the tick in which it would leave; a reason not to, or null. */
  post(
    path: string,
    body: string,
    timeoutMs: number,
    lane: Urgency,
    heldBack?: () => string | null,
  ): Promise<HttpOutcome>
  close(): void
}

export interface TransportOptions {
  readonly connectMs?: number
  /** Whose certificates are believed instead of the usual authorities'. */
  readonly authority?: string
  /** A connection, time-outs and a clock that are not the machine's. */
  readonly connect?: Connect
  readonly timers?: Pick<Timers, 'after'>
  readonly monotonicMs?: () => number
}

const machineTimers: Pick<Timers, 'after'> = {
  after: (ms, task) => {
    const timer = setTimeout(task, ms)
    return () => {
      clearTimeout(timer)
    }
  },
}

/**
 * A kept pool of connections to the venue. No automatic retry: the outbox decides what to do. It
 * speaks just the HTTP that is needed here: `node:http` costs a quarter of a millisecond more for
 * each order, half of what Guard adds (docs/adr/0011).
 */
export function createHttpTransport(
  baseUrl: string,
  { authority, ...options }: TransportOptions = {},
): HttpTransport {
  const base = new URL(baseUrl)
  const prefix = base.pathname.replace(/\/$/, '')
  const pool = new ConnectionPool(
    { ...placeOf(base), authority },
    {
      connect: options.connect ?? connectOverNetwork,
      timers: options.timers ?? machineTimers,
      connectMs: options.connectMs ?? 5_000,
      monotonicMs: options.monotonicMs ?? (() => performance.now()),
    },
  )
  return {
    post: (path, body, timeoutMs, lane, heldBack) => {
      const head =
        `POST ${prefix}${path} HTTP/1.1\r\nHost: ${base.host}\r\nConnection: keep-alive\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`
      return pool.post(head + body, timeoutMs, lane, heldBack)
    },
    close: () => {
      pool.close()
    },
  }
}

function placeOf({ protocol, hostname, port }: URL): VenuePlace {
  const isTls = protocol === 'https:'
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (isTls ? 443 : 80) : Number(port),
    isTls,
  }
}
