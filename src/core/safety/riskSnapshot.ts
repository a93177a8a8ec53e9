import type { RiskDetail, RiskStateName } from '../events/guardEvent.ts'
import type { Json } from '../protocol/action.ts'
import { Decimal } from '../values/decimal.ts'
import { dayMs } from '../values/millis.ts'
import { err, ok } from '../values/result.ts'
import type { Result } from '../values/result.ts'
import type { Absorbed } from './absorbed.ts'
import type { CashBook, CashChange, CashSeen } from './cashBook.ts'

/** What losses are measured from. */
export interface RiskBases {
  /** The last equity that counted. */
  readonly equity: Decimal
  readonly dayStart: Decimal
  readonly peak: Decimal
  readonly day: string
}

/** An equity that waits for an explanation, with what is compared with reports; null of an older memory. */
export interface HeldView {
  readonly equity: Decimal
  readonly seen: CashSeen | null
}

/** Views that no reported change explains yet, from the first of them on. */
export interface Suspense {
  readonly since: number
  readonly views: readonly HeldView[]
  /** One of the views would halt. */
  readonly isHolding: boolean
}

/** The last view, explained or not. */
export interface LastView {
  readonly equity: Decimal
  readonly seen: CashSeen
  readonly venueTime: number
}

/** Everything the risk engine remembers of equity. */
export interface RiskMemory {
  readonly state: RiskStateName
  readonly detail: RiskDetail | null
  readonly bases: RiskBases | null
  readonly suspense: Suspense | null
  readonly absorbed: readonly Absorbed[]
  /** What a halt closes is still open: until it is closed the halt of a day does not end. */
  readonly isClosing: boolean
  /** The account was set up anew since the last view: what only that moved is neither profit nor loss. */
  readonly isAnew: boolean
}

/** What is remembered of an account that was never seen. */
export const noMemory: RiskMemory = {
  ...{ state: 'active', detail: null, bases: null, suspense: null, absorbed: [] },
  ...{ isClosing: false, isAnew: false },
}

/** The risk engine's state as plain JSON; what `restore` takes. */
export type RiskSnapshot = { readonly [key: string]: Json }

interface RiskRemembered {
  readonly memory: RiskMemory
  readonly cash: CashMemory
  readonly last: LastView | null
}

interface CashMemory {
  readonly base: { readonly cash: Decimal; readonly otherCash: Decimal | null } | null
  readonly from: number
  readonly movements: readonly CashChange[]
  readonly flows: readonly CashChange[]
  readonly seen: readonly string[]
}

export function writeRiskSnapshot(
  memory: RiskMemory,
  cash: CashBook,
  last: LastView | null,
): RiskSnapshot {
  const { state, detail, bases, suspense, absorbed, isClosing, isAnew } = memory
  const change = ({ id, usdc, at, isFlow, isUnsure, worth }: CashChange): Json => ({
    ...{ id, usdc: usdc.toString(), at },
    ...(isFlow === true ? { is_flow: true } : {}),
    ...(isUnsure === true ? { is_unsure: true } : {}),
    ...(worth === undefined ? {} : { worth: worth.toString() }),
  })
  return {
    version: 1,
    state,
    detail: detail === null ? null : { ...detail },
    is_closing: isClosing,
    is_anew: isAnew,
    bases:
      bases === null
        ? null
        : {
            equity: bases.equity.toString(),
            day_start: bases.dayStart.toString(),
            peak: bases.peak.toString(),
            day: bases.day,
          },
    suspense:
      suspense === null
        ? null
        : {
            since: suspense.since,
            views: suspense.views.map(({ equity }) => equity.toString()),
            sights: suspense.views.map(({ seen }) => (seen === null ? null : sightOf(seen))),
            is_holding: suspense.isHolding,
          },
    absorbed: absorbed.map((each) => ({
      usdc: each.usdc.toString(),
      at: each.at,
      equity: each.equity.toString(),
      peak_before: each.peakBefore.toString(),
      day: each.day,
      high: each.high.toString(),
    })),
    last:
      last === null
        ? null
        : {
            equity: last.equity.toString(),
            ...sightOf(last.seen),
            venue_time: last.venueTime,
          },
    cash: {
      base: cash.base?.toString() ?? null,
      other_base: cash.otherBase?.toString() ?? null,
      from: cash.from,
      movements: cash.movements.map(change),
      flows: cash.flows.map(change),
      seen: cash.seenIds(),
    },
  }
}

function sightOf({ cash, otherCash, tolerance }: CashSeen): { readonly [key: string]: Json } {
  return {
    cash: cash.toString(),
    other_cash: otherCash?.toString() ?? null,
    tolerance: tolerance.toString(),
  }
}

/** Reads a snapshot strictly: one that could not have been written is refused, never mended. */
export function readRiskSnapshot(snapshot: unknown): Result<RiskRemembered> {
  const reader = new Reader()
  const value = reader.snapshot(snapshot)
  const problem = reader.problem ?? impossible(value.memory)
  return problem === null ? ok(value) : err(`risk snapshot: ${problem}`)
}

function impossible({ state, detail, bases }: RiskMemory): string | null {
  // Stopped without figures: an earlier memory could not be read.
  const isUnread = state === 'stopped' && detail === null
  if (bases === null) {
    return state === 'active' || isUnread ? null : `state ${state} without an equity`
  }
  if (bases.peak.lt(bases.equity)) return 'peak must not be below equity'
  if (bases.peak.lt(bases.dayStart)) return 'peak must not be below day_start'
  if (state === 'active') return detail === null ? null : 'detail must be null when active'
  if (isUnread) return null
  if (detail === null) return `detail must not be null when ${state}`
  if (state === 'stopped') return 'peak' in detail ? null : 'detail must have a peak when stopped'
  if (!('until_ms' in detail)) return 'detail must have until_ms when halted_for_day'
  // Whichever day's: it may have been written by a clock that was days ahead, and is a halt all the same.
  return detail.until_ms % dayMs === 0 ? null : 'detail.until_ms must be the end of a day'
}

/** Reads fields, and keeps the first thing that is wrong. */
class Reader {
  problem: string | null = null

  snapshot(snapshot: unknown): RiskRemembered {
    const all = this.object('snapshot', snapshot)
    if (all['version'] !== 1) this.#fail('version', '1', all['version'])
    const cash = this.object('cash', all['cash'])
    const base = this.#orNull(cash['base'], (value) => this.decimal('cash.base', value))
    const otherCash = this.#orNull(cash['other_base'], (value) =>
      this.decimal('cash.other_base', value),
    )
    return {
      memory: {
        state: this.#state(all['state']),
        detail: this.#orNull(all['detail'], (value) => this.#detail(value)),
        bases: this.#orNull(all['bases'], (value) => this.#bases(value)),
        suspense: this.#orNull(all['suspense'], (value) => this.#suspense(value)),
        absorbed: this.list('absorbed', all['absorbed'], (value) => this.#absorbed(value)),
        // Older ones lack it.
        isClosing: this.flag('is_closing', all['is_closing'] ?? false),
        isAnew: this.flag('is_anew', all['is_anew'] ?? false),
      },
      last: this.#orNull(all['last'], (value) => this.#last(value)),
      cash: {
        base: base === null ? null : { cash: base, otherCash },
        from: this.count('cash.from', cash['from']),
        movements: this.list('cash.movements', cash['movements'], (value) => this.#change(value)),
        flows: this.list('cash.flows', cash['flows'], (value) => this.#change(value)),
        seen: this.list('cash.seen', cash['seen'], (value) => this.text('cash.seen', value)),
      },
    }
  }

  object(name: string, value: unknown): { readonly [key: string]: unknown } {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as { readonly [key: string]: unknown }
    }
    this.#fail(name, 'an object', value)
    return {}
  }

  list<T>(name: string, value: unknown, read: (value: unknown) => T): readonly T[] {
    if (Array.isArray(value)) return value.map((each: unknown) => read(each))
    this.#fail(name, 'a list', value)
    return []
  }

  text(name: string, value: unknown): string {
    if (typeof value === 'string') return value
    this.#fail(name, 'text', value)
    return ''
  }

  count(name: string, value: unknown): number {
    if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number
    this.#fail(name, 'a whole number', value)
    return 0
  }

  flag(name: string, value: unknown): boolean {
    if (typeof value !== 'boolean') this.#fail(name, 'true or false', value)
    return value === true
  }

  decimal(name: string, value: unknown): Decimal {
    const parsed = Decimal.parse(value)
    if (parsed.ok) return parsed.value
    this.#fail(name, 'a decimal as text', value)
    return Decimal.zero
  }

  #day(name: string, value: unknown): string {
    const day = this.text(name, value)
    const isDay = /^\d{4}-\d{2}-\d{2}$/.test(day) && !Number.isNaN(Date.parse(day))
    if (!isDay) this.#fail(name, 'a day as YYYY-MM-DD', value)
    return day
  }

  #state(value: unknown): RiskStateName {
    if (value === 'active' || value === 'halted_for_day' || value === 'stopped') return value
    this.#fail('state', 'active, halted_for_day or stopped', value)
    return 'stopped'
  }

  #detail(value: unknown): RiskDetail {
    const detail = this.object('detail', value)
    const equity = this.decimal('detail.equity', detail['equity']).toString()
    const limit = this.decimal('detail.limit', detail['limit']).toString()
    if ('peak' in detail) {
      return { equity, peak: this.decimal('detail.peak', detail['peak']).toString(), limit }
    }
    return {
      until_ms: this.count('detail.until_ms', detail['until_ms']),
      equity,
      day_start: this.decimal('detail.day_start', detail['day_start']).toString(),
      limit,
    }
  }

  #bases(value: unknown): RiskBases {
    const bases = this.object('bases', value)
    return {
      equity: this.decimal('bases.equity', bases['equity']),
      dayStart: this.decimal('bases.day_start', bases['day_start']),
      peak: this.decimal('bases.peak', bases['peak']),
      day: this.#day('bases.day', bases['day']),
    }
  }

  #suspense(value: unknown): Suspense {
    const suspense = this.object('suspense', value)
    const equities = this.list('suspense.views', suspense['views'], (each) =>
      this.decimal('suspense.views', each),
    )
    // Older ones lack them.
    const sights = this.list('suspense.sights', suspense['sights'] ?? [], (each) =>
      this.#orNull(each, (sight) => this.#sight(this.object('suspense.sights', sight))),
    )
    const views = equities.map((equity, nth) => ({ equity, seen: sights[nth] ?? null }))
    if (views.length === 0) this.#fail('suspense.views', 'at least one equity', suspense['views'])
    return {
      since: this.count('suspense.since', suspense['since']),
      views,
      isHolding: this.flag('suspense.is_holding', suspense['is_holding']),
    }
  }

  #last(value: unknown): LastView {
    const last = this.object('last', value)
    return {
      equity: this.decimal('last.equity', last['equity']),
      venueTime: this.count('last.venue_time', last['venue_time']),
      seen: this.#sight(last),
    }
  }

  #sight(sight: { readonly [key: string]: unknown }): CashSeen {
    return {
      cash: this.decimal('last.cash', sight['cash']),
      otherCash: this.#orNull(sight['other_cash'], (each) => this.decimal('last.other_cash', each)),
      tolerance: this.decimal('last.tolerance', sight['tolerance']),
    }
  }

  #absorbed(value: unknown): Absorbed {
    const each = this.object('absorbed', value)
    return {
      usdc: this.decimal('absorbed.usdc', each['usdc']),
      at: this.count('absorbed.at', each['at']),
      equity: this.decimal('absorbed.equity', each['equity']),
      peakBefore: this.decimal('absorbed.peak_before', each['peak_before']),
      day: this.#day('absorbed.day', each['day']),
      high: this.decimal('absorbed.high', each['high']),
    }
  }

  #change(value: unknown): CashChange {
    const change = this.object('cash change', value)
    return {
      id: this.text('cash change.id', change['id']),
      usdc: this.decimal('cash change.usdc', change['usdc']),
      at: this.count('cash change.at', change['at']),
      ...(this.#flag('is_flow', change) ? { isFlow: true } : {}),
      ...(this.#flag('is_unsure', change) ? { isUnsure: true } : {}),
      ...this.#worth(change),
    }
  }

  /** Written only where it is true, so that what an earlier version wrote reads the same. */
  #flag(name: 'is_flow' | 'is_unsure', change: { readonly [key: string]: unknown }): boolean {
    const value = change[name]
    if (value !== undefined && value !== true)
      this.#fail(`cash change.${name}`, 'true or nothing', value)
    return value === true
  }

  #worth({ worth }: { readonly [key: string]: unknown }): { readonly worth?: Decimal } {
    return worth === undefined ? {} : { worth: this.decimal('cash change.worth', worth) }
  }

  #orNull<T>(value: unknown, read: (value: unknown) => T): T | null {
    return value === null ? null : read(value)
  }

  #fail(name: string, expected: string, received: unknown): void {
    const shown = received === undefined ? 'nothing' : JSON.stringify(received).slice(0, 60)
    this.problem ??= `${name} must be ${expected}, received ${shown}`
  }
}
