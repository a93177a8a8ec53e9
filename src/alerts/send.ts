import { limits } from '../core/values/limits.ts'
import type { Timers } from '../engine/ports.ts'
import type { ChannelAnswer, ChannelRequest } from './channel.ts'

type Sent =
  | { readonly kind: 'answer'; readonly answer: ChannelAnswer }
  | { readonly kind: 'unreachable'; readonly error: string }

/** Sends a request and waits at most `timeoutMs` for the whole answer. */
export type Send = (request: ChannelRequest, timeoutMs: number) => Promise<Sent>

const answerBytesMax = limits.channelAnswerBytesMax

/** Over HTTP; a redirect is not followed, because a secret may be in the address. */
export function httpSend(timers: Timers): Send {
  return async (request, timeoutMs) => {
    const abort = new AbortController()
    const cancel = timers.after(timeoutMs, () => {
      abort.abort()
    })
    try {
      const response = await fetch(request.url, {
        method: request.method,
        headers: request.headers,
        body: request.body,
        redirect: 'manual',
        signal: abort.signal,
      })
      const body = await bounded(response)
      const { status, headers } = response
      return { kind: 'answer', answer: { status, header: (name) => headers.get(name), body } }
    } catch (error) {
      const text = abort.signal.aborted ? `no answer within ${timeoutMs} ms` : codeOf(error)
      return { kind: 'unreachable', error: text }
    } finally {
      cancel()
    }
  }
}

async function bounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  if (response.body === null) return ''
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > answerBytesMax) break
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** The cause's code alone: a message could repeat the address, and that holds a secret. */
function codeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  return typeof code === 'string' ? `cannot be reached (${code})` : 'cannot be reached'
}
