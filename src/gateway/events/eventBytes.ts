import type { GuardEvent } from '../../core/events/guardEvent.ts'

/** An event as readers get it, serialised once and shared by all of them. */
export interface EventBytes {
  readonly json: Buffer
  /** The same as a server-sent event. */
  readonly sse: Buffer
}

const known = new WeakMap<GuardEvent, EventBytes>()

export function bytesOf(event: GuardEvent): EventBytes {
  const cached = known.get(event)
  if (cached) return cached
  const json = JSON.stringify(event)
  const bytes = {
    json: Buffer.from(json),
    sse: Buffer.from(`id: ${String(event.seq)}\nevent: ${event.kind}\ndata: ${json}\n\n`),
  }
  known.set(event, bytes)
  return bytes
}

const open = Buffer.from('[')
const comma = Buffer.from(',')
const close = Buffer.from(']')

/** A JSON array of events from their shared bytes. */
export function arrayOf(events: readonly GuardEvent[]): Buffer {
  const parts: Buffer[] = [open]
  for (const [index, event] of events.entries()) {
    if (index > 0) parts.push(comma)
    parts.push(bytesOf(event).json)
  }
  parts.push(close)
  return Buffer.concat(parts)
}
