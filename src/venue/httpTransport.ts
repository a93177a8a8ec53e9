import { Agent as HttpAgent, request as httpRequest } from 'node:http'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'

/** What came of one POST. Whether a request may have arrived is decided here, once. */
export type HttpOutcome =
  | { readonly kind: 'answer'; readonly status: number; readonly body: Buffer }
  /** No byte of it can have reached the venue. */
  | { readonly kind: 'not_sent'; readonly error: string }
  | { readonly kind: 'unknown'; readonly error: string }

export interface HttpTransport {
  post(path: string, body: string, timeoutMs: number): Promise<HttpOutcome>
  close(): void
}

const answerBytesMax = 64 * 1_048_576
const socketsMax = 64

/** Failures before a connection stands: nothing was written. */
const beforeConnect = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
])

/** A kept pool of connections to the venue. No automatic retry: the outbox decides what to do. */
export function createHttpTransport(baseUrl: string): HttpTransport {
  const base = new URL(baseUrl)
  const isTls = base.protocol === 'https:'
  const settings = {
    keepAlive: true,
    keepAliveMsecs: 10_000,
    maxSockets: socketsMax,
    scheduling: 'lifo' as const,
  }
  const agent = isTls ? new HttpsAgent(settings) : new HttpAgent(settings)
  const open = isTls ? httpsRequest : httpRequest
  const prefix = base.pathname.replace(/\/$/, '')

  const start = (path: string, body: string): ClientRequest =>
    open({
      protocol: base.protocol,
      hostname: base.hostname.replace(/^\[|\]$/g, ''),
      port: base.port === '' ? (isTls ? 443 : 80) : base.port,
      path: `${prefix}${path}`,
      method: 'POST',
      agent,
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
    })

  return {
    post: (path, body, timeoutMs) => exchange(start(path, body), body, timeoutMs),
    close: () => {
      agent.destroy()
    },
  }
}

function exchange(request: ClientRequest, body: string, timeoutMs: number): Promise<HttpOutcome> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      finish({ kind: 'unknown', error: `no answer within ${timeoutMs} ms` })
      request.destroy()
    }, timeoutMs)
    const finish = (outcome: HttpOutcome): void => {
      clearTimeout(timer)
      resolve(outcome)
    }
    request.on('socket', (socket) => {
      socket.setNoDelay(true)
    })
    request.on('error', (error: NodeJS.ErrnoException) => {
      const text = error.code === undefined ? error.message : `${error.message} (${error.code})`
      const isEarly = error.code !== undefined && beforeConnect.has(error.code)
      finish({ kind: isEarly ? 'not_sent' : 'unknown', error: text })
    })
    request.on('response', (response) => {
      collect(response, finish)
    })
    request.end(body)
  })
}

function collect(response: IncomingMessage, finish: (outcome: HttpOutcome) => void): void {
  const chunks: Buffer[] = []
  let bytes = 0
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > answerBytesMax) {
      finish({ kind: 'unknown', error: `an answer of more than ${answerBytesMax} bytes` })
      response.destroy()
      return
    }
    chunks.push(chunk)
  })
  response.on('end', () => {
    const body = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)
    if (!response.complete) finish({ kind: 'unknown', error: 'the answer broke off' })
    else finish({ kind: 'answer', status: response.statusCode ?? 0, body })
  })
  response.on('close', () => {
    finish({ kind: 'unknown', error: 'the connection closed in the middle of the answer' })
  })
}
