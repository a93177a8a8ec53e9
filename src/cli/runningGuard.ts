import { request } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import type { Json } from '../core/protocol/action.ts'
import { failed, noAnswer } from './cliError.ts'

/** Reads a Guard that runs on this machine. */
export interface RunningGuard {
  readonly url: string
  /** `waitMs`: how long Guard may hold the answer back on purpose. */
  get(path: string, waitMs?: number): Promise<Json>
  /** The same, with the headers of the answer. */
  answer(path: string, waitMs?: number): Promise<Answer>
  /** Null for 404. */
  find(path: string): Promise<Json>
  post(path: string, body: Json): Promise<Json>
}

/** How long an answer may take, and how long it is still listened for once that time is up. */
const answerMs = 4_000
const lateMs = 1_000

export function guardUrl(host: string, port: number): string {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}

export function runningGuard(
  url: string,
  token: string | null,
  timeoutMs = answerMs,
): RunningGuard {
  const ask = async (method: string, path: string, body?: Json, waitMs = 0): Promise<Answer> => {
    try {
      return await exchange(`${url}${path}`, method, body, token, timeoutMs + waitMs)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      if (wasCutOff(error)) {
        throw noAnswer(`the connection to ${url} was ended before the whole answer came (${why})`, [
          'a Guard that stops, dies or has too many connections does so; it may also be another program',
          'try again; where it stays so, end programs that keep connections to it and ask nothing',
          'guard kill latches all the same: it needs no connection',
        ])
      }
      throw noAnswer(`no Guard answers at ${url} (${why})`, [
        'start it with: guard run',
        'or look at another home with: --home DIR',
      ])
    }
  }
  return {
    url,
    get: async (path, waitMs) => accepted(await ask('GET', path, undefined, waitMs)).body,
    answer: async (path, waitMs) => accepted(await ask('GET', path, undefined, waitMs)),
    find: async (path) => {
      const answer = await ask('GET', path)
      return answer.status === 404 ? null : accepted(answer).body
    },
    post: async (path, body) => accepted(await ask('POST', path, body)).body,
  }
}

/** The answer itself where Guard did what was asked; throws where it refused. */
function accepted(answer: Answer): Answer {
  const { status, body } = answer
  if (status >= 400) throw failed(`Guard answered ${status}: ${errorText(body)}`)
  return answer
}

interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Json
}

function exchange(
  url: string,
  method: string,
  body: Json | undefined,
  token: string | null,
  ms: number,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers: Record<string, string> = {}
    if (body !== undefined) headers['content-type'] = 'application/json'
    if (token !== null) headers['authorization'] = `Bearer ${token}`
    // Each on a connection of its own: a kept one may have been ended while this process was stopped.
    const options = { method, headers, timeout: ms, agent: false }
    const outgoing = request(url, options, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        try {
          const { statusCode: status = 0, headers } = response
          resolve({ status, headers, body: JSON.parse(text) as Json })
        } catch {
          reject(new Error('it answered, but not like a Guard'))
        }
      })
    })
    // The time may have passed while this process was stopped, or while the machine slept: then the answer
    // has arrived already and is only not read yet, or it comes right after.
    outgoing.on('timeout', () => {
      const heard = outgoing.socket?.bytesRead
      setTimeout(() => {
        if (outgoing.socket?.bytesRead !== heard) return
        outgoing.destroy(new Error(`no answer within ${ms + lateMs} ms`))
      }, lateMs)
    })
    outgoing.on('error', reject)
    outgoing.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

/**
 * Whether a connection was taken and then ended. Some program has that port then, or had it until just
 * now: where none has, the system refuses the connection. Which program, and why, is not known.
 */
function wasCutOff(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : null
  return code === 'ECONNRESET' || code === 'EPIPE'
}

function errorText(body: Json): string {
  if (typeof body !== 'object' || body === null || !('error' in body)) return JSON.stringify(body)
  const { error } = body
  const isNamed = typeof error === 'object' && error !== null && 'text' in error
  return isNamed ? String(error['text']) : JSON.stringify(error)
}
