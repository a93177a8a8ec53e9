import type { Answer } from './answer.ts'

/** A refusal of a local endpoint: `{"error":{"code","text"}}`. */
export interface HttpError {
  readonly status: 400 | 401 | 403 | 404 | 405 | 413 | 429 | 500 | 502 | 503
  readonly code: string
  readonly text: string
  readonly headers?: Readonly<Record<string, string>>
}

type Headers = Readonly<Record<string, string>>

/** Names and values in turn: the form that Node writes out without looking at it again. */
const safetyHead = [
  ...['X-Content-Type-Options', 'nosniff'],
  ...['Cross-Origin-Resource-Policy', 'same-origin'],
]

export function sendBytes(
  response: Answer,
  status: number,
  type: string,
  body: string | Uint8Array,
  headers: Headers = {},
): void {
  if (response.headersSent || response.isOver) return
  const head = headOf(response, type, headers)
  head.push('Content-Length', String(Buffer.byteLength(body)))
  response.writeHead(status, head)
  response.end(body)
  response.wasWritten()
}

/** The same with a long body: writes one piece of several parts, then lets `turn` pass before the next. */
export async function sendPieces(
  response: Answer,
  type: string,
  pieces: readonly (readonly Buffer[])[],
  headers: Headers,
  turn: () => Promise<void>,
): Promise<void> {
  if (response.headersSent) return
  const bytes = pieces.flat().reduce((sum, { length }) => sum + length, 0)
  response.writeHead(200, [...headOf(response, type, headers), 'Content-Length', String(bytes)])
  for (const piece of pieces) {
    if (response.isOver) return
    response.cork()
    for (const part of piece) response.write(part)
    response.uncork()
    response.wasWritten()
    await turn()
  }
  response.end()
}

/** What every answer says about itself, and `headers`. */
export function headOf(
  { requestId }: Pick<Answer, 'requestId'>,
  type: string,
  headers: Headers,
): string[] {
  const head = ['X-Request-Id', requestId, ...safetyHead, 'Content-Type', type]
  const saysItself = Object.keys(headers).some((name) => name.toLowerCase() === 'cache-control')
  if (!saysItself) head.push('Cache-Control', 'no-store')
  for (const [name, value] of Object.entries(headers)) head.push(name, value)
  return head
}

/** When whoever was turned away for asking too often may ask again. */
export const retryHeaders = (status: number): Headers =>
  status === 429 ? { 'Retry-After': '1' } : {}

export function sendJson(response: Answer, status: number, body: unknown, headers?: Headers): void {
  sendBytes(response, status, 'application/json', JSON.stringify(body), headers)
}

export function sendError(response: Answer, error: HttpError): void {
  sendJson(response, error.status, errorBody(error), error.headers)
}

export const errorBody = ({
  code,
  text,
}: HttpError): { readonly error: { readonly code: string; readonly text: string } } => ({
  error: { code, text },
})

export const internalError = {
  status: 500,
  code: 'internal',
  text: 'Guard could not answer; see its log',
} as const satisfies HttpError

export const badQuery = (text: string): HttpError => ({ status: 400, code: 'bad_query', text })
