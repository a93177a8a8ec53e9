import type { Urgency } from '../engine/ports.ts'
import { ConnectionPool } from './connectionPool.ts'
import type { VenuePlace } from './httpConnection.ts'
import type { HttpOutcome } from './httpOutcome.ts'

export interface HttpTransport {
  post(path: string, body: string, timeoutMs: number, lane: Urgency): Promise<HttpOutcome>
  close(): void
}

export interface TransportOptions {
  readonly connectMs?: number
  /** Whose certificates are believed instead of the usual authorities'. */
  readonly authority?: string
  readonly monotonicMs?: () => number
}

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
  const pool = new ConnectionPool({ ...placeOf(base), authority, connectMs }, monotonicMs)
  return {
    post: (path, body, timeoutMs, lane) => {
      const head =
        `POST ${prefix}${path} HTTP/1.1\r\nHost: ${base.host}\r\nConnection: keep-alive\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`
      return pool.post(head + body, timeoutMs, lane)
    },
    close: () => {
      pool.close()
    },
  }
}

function placeOf({ protocol, hostname, port }: URL): Omit<VenuePlace, 'connectMs'> {
  const isTls = protocol === 'https:'
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (isTls ? 443 : 80) : Number(port),
    isTls,
  }
}
