import type { ChannelName } from './alertsConfig.ts'
import type { Message } from './message.ts'

/** A request as a channel wants it sent. The address may hold a secret: it is never logged. */
export interface ChannelRequest {
  readonly method: 'POST' | 'GET'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

export interface ChannelAnswer {
  readonly status: number
  readonly header: (name: string) => string | null
  readonly body: string
}

export type Outcome =
  | { readonly kind: 'sent' }
  /** The service asks for patience. */
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'failed'; readonly text: string }

/** One way to reach a person: builds the service's own request and reads its own answers. */
export interface Channel {
  readonly name: ChannelName
  build(message: Message, now: number): ChannelRequest
  read(answer: ChannelAnswer, now: number): Outcome
}

const waitMsMax = 3_600_000
const waitMsDefault = 30_000

/** Seconds, as services say them, within sense. */
export function waitSeconds(seconds: unknown): Outcome {
  const ms =
    typeof seconds === 'number' && Number.isFinite(seconds) && seconds >= 0
      ? Math.ceil(seconds * 1_000)
      : waitMsDefault
  return { kind: 'wait', ms: Math.min(Math.max(ms, 1_000), waitMsMax) }
}

/** `Retry-After`: seconds or a date. */
function retryAfter(answer: ChannelAnswer, now: number): Outcome {
  const header = answer.header('retry-after')?.trim() ?? ''
  if (/^\d+(\.\d+)?$/.test(header)) return waitSeconds(Number(header))
  const date = Date.parse(header)
  return waitSeconds(Number.isNaN(date) ? null : (date - now) / 1_000)
}

/** What most services mean by a status. */
export function readStatus(answer: ChannelAnswer, now: number, said: string): Outcome {
  if (answer.status >= 200 && answer.status < 300) return { kind: 'sent' }
  if (answer.status === 429) return retryAfter(answer, now)
  if (answer.status === 503 && answer.header('retry-after') !== null) return retryAfter(answer, now)
  const words = said === '' ? '' : `: ${said}`
  return { kind: 'failed', text: `HTTP ${answer.status}${words}` }
}

/** An object out of an answer's body; empty when it is none. */
export function jsonOf(body: string): { readonly [key: string]: unknown } {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null ? (value as { [key: string]: unknown }) : {}
  } catch {
    return {}
  }
}

/** What a service said, short and in one line. */
export function words(value: unknown): string {
  return typeof value === 'string'
    ? value
        .replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')
        .trim()
        .slice(0, 160)
    : ''
}

/** Cut to at most `most` characters, never through a character. */
export function cut(text: string, most: number): string {
  const points = [...text]
  return points.length <= most ? text : `${points.slice(0, most - 1).join('')}…`
}
