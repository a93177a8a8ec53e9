import { limits } from '../core/values/limits.ts'
import type { AlertKind } from './alertFacts.ts'
import type { Severity } from './severity.ts'
import type { AlertsConfig } from './alertsConfig.ts'
import { cut } from './channel.ts'
import type { Notice } from './notice.ts'
import { isQuiet } from './quietHours.ts'

/** Notices that are told together, waiting to be told. */
export interface Line {
  readonly key: string
  readonly kind: AlertKind
  readonly severity: Severity
  /** `was`: it began and was over before anyone could be told. */
  readonly phase: Notice['phase'] | 'was'
  readonly text: string
  readonly firstAt: number
  readonly lastAt: number
  readonly count: number
}

const textMax = limits.alertTextCharsMax
export const linesMax = limits.alertLinesMax
/** How long what is not urgent waits for company. */
const groupMs = 10_000
const urgentGapMs = 3_000
const minuteMs = 60_000
/** However much happens, a phone rings at most so often in a minute. */
export const messagesPerMinuteMax = limits.alertMessagesPerMinuteMax
const calmPerMinuteMax = limits.alertCalmPerMinuteMax

/** Collects what is to be told, and says when it is time. */
export class WaitingLines {
  readonly #config: Pick<AlertsConfig, 'severity' | 'quiet'>
  #lines: Map<string, Line>
  #sentAt: number[]

  constructor(
    config: Pick<AlertsConfig, 'severity' | 'quiet'>,
    saved: readonly Line[],
    sentAt: readonly number[],
  ) {
    this.#config = config
    this.#lines = new Map(saved.map((line) => [idOf(line), line]))
    this.#sentAt = [...sentAt]
  }

  lines(): readonly Line[] {
    return [...this.#lines.values()]
  }

  sentAt(): readonly number[] {
    return this.#sentAt
  }

  add(notice: Notice): void {
    const severity = this.#config.severity[notice.kind]
    if (severity === 'off') return
    const { key, kind, phase, at } = notice
    const text = cut(notice.text, textMax)
    const untold = this.#lines.get(idOf({ key, phase: 'began' }))
    if (phase === 'over' && untold !== undefined) {
      const was = { ...untold, phase: 'was', text: `${untold.text}; ${text}` } as const
      this.#lines.delete(idOf(untold))
      this.#merge({ ...was, lastAt: at })
      return
    }
    this.#merge({ key, kind, severity, phase, text, firstAt: at, lastAt: at, count: 1 })
  }

  /** What is to be sent now, the worst first; null when nothing is, or not yet. */
  due(now: number, isLast = false): readonly Line[] | null {
    this.#bringBack(now)
    const quiet = isQuiet(this.#config.quiet, now)
    const lines = this.lines().filter(({ severity }) => !quiet || severity === 'critical')
    if (lines.length === 0) return null
    this.#sentAt = this.#sentAt.filter((at) => at > now - minuteMs && at <= now)
    const isUrgent = lines.some(isLoud)
    const used = this.#sentAt.length
    if (used >= (isUrgent ? messagesPerMinuteMax : calmPerMinuteMax)) return null
    if (isLast) return sorted(lines)
    const last = this.#sentAt.at(-1)
    if (isUrgent && last !== undefined && now - last < urgentGapMs) return null
    const oldest = Math.min(...lines.map(({ firstAt }) => firstAt))
    if (!isUrgent && now - oldest < groupMs) return null
    return sorted(lines)
  }

  /** They are told; what joined them meanwhile waits on. */
  told(lines: readonly Line[], at: number): void {
    this.#sentAt.push(at)
    for (const line of lines) {
      const now = this.#lines.get(idOf(line))
      if (now === undefined) continue
      if (now.count === line.count) this.#lines.delete(idOf(line))
      else
        this.#lines.set(idOf(line), {
          ...now,
          count: now.count - line.count,
          firstAt: line.lastAt,
        })
    }
  }

  /** How long something critical has been waiting for someone to be told. */
  urgentSince(): number | null {
    const urgent = this.lines().filter(isLoud)
    return urgent.length === 0 ? null : Math.min(...urgent.map(({ firstAt }) => firstAt))
  }

  /** After the clock was set back, what lies ahead of it began now: nobody waits for the old time. */
  #bringBack(now: number): void {
    for (const [id, line] of this.#lines) {
      if (line.lastAt <= now) continue
      const firstAt = Math.min(line.firstAt, now)
      this.#lines.set(id, { ...line, firstAt, lastAt: now })
    }
  }

  #merge(line: Line): void {
    const id = this.#roomFor(line)
    const known = this.#lines.get(id)
    this.#lines.set(
      id,
      known === undefined
        ? line
        : {
            ...known,
            text: line.text,
            lastAt: Math.max(known.lastAt, line.lastAt),
            count: known.count + line.count,
          },
    )
  }

  /** When there are too many lines, those of one kind become one. */
  #roomFor(line: Line): string {
    const id = idOf(line)
    if (this.#lines.has(id) || this.#lines.size < linesMax) return id
    const alike = this.lines().find(({ kind, phase }) => kind === line.kind && phase === line.phase)
    if (alike !== undefined) return idOf(alike)
    const least = sorted(this.lines()).at(-1)
    if (least !== undefined) this.#lines.delete(idOf(least))
    return id
  }
}

function idOf({ key, phase }: Pick<Line, 'key' | 'phase'>): string {
  return `${phase}\u0000${key}`
}

/** Critical, and not only the news that it is over. */
export function isLoud({ severity, phase }: Pick<Line, 'severity' | 'phase'>): boolean {
  return severity === 'critical' && phase !== 'over'
}

const order = { critical: 0, warning: 1, info: 2 } as const

function sorted(lines: readonly Line[]): readonly Line[] {
  return [...lines].sort(
    (a, b) =>
      Number(isLoud(b)) - Number(isLoud(a)) ||
      order[a.severity] - order[b.severity] ||
      a.firstAt - b.firstAt,
  )
}
