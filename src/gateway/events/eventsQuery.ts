import type { EventKind } from '../../core/events/guardEvent.ts'
import { limits } from '../../core/values/limits.ts'
import { err, ok } from '../../core/values/result.ts'
import type { Result } from '../../core/values/result.ts'
import { quotedText } from '../../core/values/shownText.ts'

/** What a reader of `/guard/events` asked for. */
export interface EventsQuery {
  readonly since: number
  readonly kinds: readonly EventKind[] | null
  readonly waitMs: number
  readonly source: 'memory' | 'journal'
  readonly limit: number
}

/** Every kind there is; the record makes the compiler ask for the missing one. */
const kindTable: Record<EventKind, true> = {
  started: true,
  decision: true,
  sent: true,
  risk: true,
  flatten: true,
  protect: true,
  kill: true,
  error: true,
  stopped: true,
  recovered: true,
  reviewed: true,
}
export const eventKinds = Object.keys(kindTable) as EventKind[]

export function parseEventsQuery(query: URLSearchParams): Result<EventsQuery> {
  const since = parseCount(query, 'since', 0, Number.MAX_SAFE_INTEGER, 0)
  if (!since.ok) return since
  const wait = parseCount(query, 'wait', 0, limits.longPollSecondsMax, 0)
  if (!wait.ok) return wait
  const limit = parseCount(query, 'limit', 1, limits.eventsPageMax, limits.eventsPageMax)
  if (!limit.ok) return limit
  const kinds = parseKinds(query.get('kind'))
  if (!kinds.ok) return kinds
  const source = query.get('source') ?? 'memory'
  if (source !== 'memory' && source !== 'journal') {
    return err(`source must be journal or memory, not ${quote(source)}`)
  }
  return ok({
    since: since.value,
    kinds: kinds.value,
    waitMs: wait.value * 1_000,
    source,
    limit: limit.value,
  })
}

/** `Last-Event-ID` as a browser sends it back; null when there is none, or an empty one. */
export function parseLastEventId(header: string | undefined): Result<number | null> {
  if (header === undefined || header === '') return ok(null)
  const seq = /^\d{1,16}$/.test(header) ? Number(header) : NaN
  if (Number.isSafeInteger(seq)) return ok(seq)
  return err(`Last-Event-ID must be a whole number of 0 or more, not ${quote(header)}`)
}

function parseCount(
  query: URLSearchParams,
  name: string,
  min: number,
  max: number,
  missing: number,
): Result<number> {
  const text = query.get(name)
  if (text === null) return ok(missing)
  const value = /^\d{1,16}$/.test(text) ? Number(text) : NaN
  if (Number.isSafeInteger(value) && value >= min && value <= max) return ok(value)
  const range = max === Number.MAX_SAFE_INTEGER ? 'of 0 or more' : `from ${min} to ${max}`
  return err(`${name} must be a whole number ${range}, not ${quote(text)}`)
}

function parseKinds(text: string | null): Result<readonly EventKind[] | null> {
  if (text === null) return ok(null)
  const names = text.split(',')
  const unknown = names.find((name) => !(eventKinds as string[]).includes(name))
  if (unknown === undefined) return ok(names as EventKind[])
  return err(`kind must name ${eventKinds.join(', ')}; ${quote(unknown)} is none of them`)
}

const quote = (text: string): string => quotedText(text)
