import { limits } from '../core/values/limits.ts'
import { factsOf } from './alertFacts.ts'
import { rankOf } from './severity.ts'
import type { AlertKind } from './alertFacts.ts'
import type { AlertsConfig } from './alertsConfig.ts'
import { cut } from './channel.ts'
import type { Condition } from './condition.ts'
import type { Notice } from './notice.ts'

/** Something that lasts, and how often a person has been told. */
export interface Lasting extends Condition {
  readonly told: number
  readonly toldAt: number | null
  readonly absentSince: number | null
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
/** When it is said again, counted from the last time; the last entry goes on. */
const repeats = {
  critical: [15 * minuteMs, hourMs, 4 * hourMs, 24 * hourMs],
  warning: [4 * hourMs, 24 * hourMs],
} as const
/** Gone for less than this is not over. */
const overAfterMs = 10_000
/** What came back within this has to stay longer before it is told again. */
const flutterMs = 10 * minuteMs
const flutterAfterMs = minuteMs
const textMax = limits.alertTextCharsMax
const lastingMax = limits.lastingAlertsMax

/** Raised once, repeated with back-off, resolved once. */
export class LastingAlerts {
  readonly #severity: AlertsConfig['severity']
  readonly #active: Map<string, Lasting>
  readonly #overAt = new Map<string, number>()

  constructor(severity: AlertsConfig['severity'], saved: readonly Lasting[]) {
    this.#severity = severity
    this.#active = new Map(saved.map((each) => [each.key, each]))
  }

  kindOf(key: string): AlertKind | null {
    return this.#active.get(key)?.kind ?? null
  }

  list(): readonly Lasting[] {
    return [...this.#active.values()]
  }

  /** The same key keeps its start; a worse kind is news again, a milder one is not. */
  raise(condition: Condition): void {
    const { key, kind } = condition
    const text = cut(condition.text, textMax)
    const known = this.#active.get(key)
    if (known === undefined) {
      if (this.#active.size >= lastingMax) return
      this.#active.set(key, { ...condition, text, told: 0, toldAt: null, absentSince: null })
      return
    }
    const isWorse = rankOf(this.#severity[kind]) > rankOf(this.#severity[known.kind])
    const fresh = isWorse ? { told: 0, toldAt: null } : {}
    this.#active.set(key, { ...known, kind, text, absentSince: null, ...fresh })
  }

  /** Everything that is no longer there; `isKnown` is false while the account is not yet seen. */
  missing(present: ReadonlySet<string>, now: number, isKnown: boolean): void {
    for (const [key, each] of this.#active) {
      if (present.has(key) || !isKnown || each.absentSince !== null) continue
      this.#active.set(key, { ...each, absentSince: now })
    }
  }

  /** What is to be said now. */
  take(now: number): readonly Notice[] {
    const notices: Notice[] = []
    this.#bringBack(now)
    for (const each of this.#active.values()) {
      const notice = each.absentSince === null ? this.#going(each, now) : this.#gone(each, now)
      if (notice !== null) notices.push(notice)
    }
    for (const [key, at] of this.#overAt) if (now - at > flutterMs) this.#overAt.delete(key)
    return notices
  }

  /** After the clock was set back, what lies ahead of it was now: nobody waits for the old time. */
  #bringBack(now: number): void {
    const latest = (at: number | null): number | null => (at === null ? null : Math.min(at, now))
    for (const [key, each] of this.#active) {
      const { since, toldAt, absentSince } = each
      if (Math.max(since, toldAt ?? since, absentSince ?? since) <= now) continue
      const told = { toldAt: latest(toldAt), absentSince: latest(absentSince) }
      this.#active.set(key, { ...each, since: Math.min(since, now), ...told })
    }
    for (const [key, at] of this.#overAt) this.#overAt.set(key, Math.min(at, now))
  }

  #going(each: Lasting, now: number): Notice | null {
    const severity = this.#severity[each.kind]
    if (severity === 'off') return null
    const { key, kind, text } = each
    if (each.toldAt === null) {
      if (now - each.since < this.#patience(each)) return null
      this.#active.set(key, { ...each, told: 1, toldAt: now })
      return { key, kind, phase: 'began', text, at: each.since }
    }
    if (severity === 'info') return null
    const waits = repeats[severity]
    const waitMs = waits[Math.min(each.told, waits.length) - 1] ?? 0
    if (now - each.toldAt < waitMs) return null
    this.#active.set(key, { ...each, told: each.told + 1, toldAt: now })
    return { key, kind, phase: 'still', text: `for ${span(now - each.since)}: ${text}`, at: now }
  }

  #gone(each: Lasting, now: number): Notice | null {
    if (each.absentSince === null || now - each.absentSince < overAfterMs) return null
    this.#active.delete(each.key)
    if (each.told === 0) return null
    this.#overAt.set(each.key, now)
    const { key, kind } = each
    const text = `it lasted ${span(each.absentSince - each.since)}`
    return { key, kind, phase: 'over', text, at: each.absentSince }
  }

  #patience({ key, kind }: Lasting): number {
    const afterMs = factsOf(kind).afterMs ?? 0
    const isUrgent = this.#severity[kind] === 'critical'
    return this.#overAt.has(key) && !isUrgent ? Math.max(afterMs, flutterAfterMs) : afterMs
  }
}

/** A duration as a person says it. */
function span(ms: number): string {
  const minutes = Math.floor(Math.max(0, ms) / minuteMs)
  if (minutes < 1) return `${Math.floor(Math.max(0, ms) / 1_000)} s`
  if (minutes < 120) return `${minutes} min`
  return `${Math.floor(minutes / 60)} h`
}
