import type { ServerResponse } from 'node:http'

/** A refusal of a local endpoint: `{"error":{"code","text"}}`. */
export interface HttpError {
  readonly status: 400 | 401 | 403 | 404 | 405 | 413 | 429 | 500 | 502 | 503
  readonly code: string
  readonly text: string
  readonly headers?: Readonly<Record<string, string>>
}

export type Headers = Readonly<Record<string, string>>

const safetyHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
} as const

export function sendBytes(
  response: ServerResponse,
  status: number,
  type: string,
  body: string | Uint8Array,
  headers: Headers = {},
): void {
  if (response.headersSent || response.destroyed) return
  response.writeHead(status, {
    ...safetyHeaders,
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(body),
    ...headers,
  })
  response.end(body)
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers?: Headers,
): void {
  sendBytes(response, status, 'application/json', JSON.stringify(body), headers)
}

export function sendError(response: ServerResponse, error: HttpError): void {
  sendJson(response, error.status, errorBody(error), error.headers)
}

export const errorBody = ({
  code,
  text,
}: HttpError): { readonly error: { readonly code: string; readonly text: string } } => ({
  error: { code, text },
})

export const badQuery = (text: string): HttpError => ({ status: 400, code: 'bad_query', text })
