import { limits } from '../../core/values/limits.ts'
import type { GuardEvent } from '../../core/events/guardEvent.ts'

/** An event as readers get it, serialised once and shared by all of them. */
interface EventBytes {
  readonly json: Buffer
  /** The same event framed for a stream of server-sent events. */
  readonly sse: Buffer
}

/** As many as are made into bytes in one turn of the event loop. */
export const fewEvents = limits.eventsPerTurn

const known = new WeakMap<GuardEvent, EventBytes>()

export function bytesOf(event: GuardEvent): EventBytes {
  const cached = known.get(event)
  if (cached) return cached
  const json = JSON.stringify(event)
  const sse = Buffer.from(`id: ${event.seq}\nevent: ${event.kind}\ndata: ${json}\n\n`)
  const bytes = { json: sse.subarray(sse.indexOf('{'), sse.length - 2), sse }
  known.set(event, bytes)
  return bytes
}

const open = Buffer.from('[')
const comma = Buffer.from(',')
const close = Buffer.from(']')
/** What is this small goes out in one piece with its head, and that wants text. */
const smallBytes = limits.eventsTextBytesMax

/** A JSON array of a few events from their shared bytes. */
export function arrayOf(events: readonly GuardEvent[]): string | Buffer {
  if (events.length === 0) return '[]'
  const parts: Buffer[] = [open]
  for (const [index, event] of events.entries()) {
    if (index > 0) parts.push(comma)
    parts.push(bytesOf(event).json)
  }
  parts.push(close)
  const whole = Buffer.concat(parts)
  return whole.length > smallBytes ? whole : whole.toString('utf8')
}

/**
 * The same of many, in pieces of a few; each is made when it is asked for. All readers of an event
 * are given the same bytes: those who take nothing keep no copies.
 */
export function* arrayPieces(events: readonly GuardEvent[]): Generator<readonly Buffer[]> {
  for (let at = 0; at < events.length; at += fewEvents) {
    const parts: Buffer[] = []
    for (const event of events.slice(at, at + fewEvents)) {
      parts.push(at + parts.length === 0 ? open : comma, bytesOf(event).json)
    }
    if (at + fewEvents >= events.length) parts.push(close)
    yield parts
  }
}
