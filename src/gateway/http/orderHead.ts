import { limits } from '../../core/values/limits.ts'
/** The head of an order as nearly every client sends it, and where its body lies. */
export interface OrderHead {
  readonly host: string
  readonly origin: string | undefined
  readonly bodyStart: number
  readonly bodyBytes: number
}

/**
 * Reads the head of a `POST /exchange` that leaves nothing to interpretation. Null for everything
 * else, whatever it is: it goes to the server that knows all of HTTP.
 */
export function readOrderHead(received: Buffer): OrderHead | null {
  if (received.length < start.length || received.toString('latin1', 0, start.length) !== start)
    return null
  const end = received.indexOf('\r\n\r\n')
  if (end < 0 || end > headBytesMax) return null
  const lines = received.toString('latin1', start.length, end).split('\r\n')
  const headers = new Map<string, string>()
  for (const line of lines) {
    const found = headerLine.exec(line)
    const name = found?.[1]?.toLowerCase()
    if (name === undefined || headers.has(name) || unusual.has(name)) return null
    headers.set(name, found?.[2] ?? '')
  }
  const host = headers.get('host')
  const length = headers.get('content-length')
  const connection = headers.get('connection')?.toLowerCase() ?? 'keep-alive'
  if (host === undefined || length === undefined || !/^\d{1,7}$/.test(length)) return null
  if (connection !== 'keep-alive') return null
  const bodyStart = end + 4
  return { host, origin: headers.get('origin'), bodyStart, bodyBytes: Number(length) }
}

const start = 'POST /exchange HTTP/1.1\r\n'
const headBytesMax = limits.orderHeadBytesMax
/** A name, and printable ASCII: nothing that two readers could read differently. */
const headerLine = /^([A-Za-z0-9-]{1,64}):[ ]?([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/
/** What changes how a request is read, or what comes after it. */
const unusual: ReadonlySet<string> = new Set([
  'transfer-encoding',
  'te',
  'trailer',
  'upgrade',
  'expect',
  'http2-settings',
  'proxy-connection',
  'keep-alive',
  'content-encoding',
  'sec-fetch-site',
])
