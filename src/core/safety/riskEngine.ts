import type { AccountEvent } from '../account/accountEvent.ts'
import type { CashView } from '../account/cash.ts'
import type { RiskDetail, RiskStateName } from '../events/guardEvent.ts'
import { Decimal } from '../values/decimal.ts'
import { limits } from '../values/limits.ts'
import { utcDay } from '../values/millis.ts'
import type { Millis } from '../values/millis.ts'
import { err, ok } from '../values/result.ts'
import type { Result } from '../values/result.ts'
import { assert } from '../values/unreachable.ts'
import { movedAbsorbed, raisedAbsorbed, released, withAbsorbed } from './absorbed.ts'
import type { Absorbed } from './absorbed.ts'
import { CashBook, cents, seenOf, worthOf } from './cashBook.ts'
import type { CashChange, CashDoubt, CashSeen, Explanation } from './cashBook.ts'
import { flowsOf, movementsOf } from './cashChanges.ts'
import { droppedViews, lifted } from './droppedViews.ts'
import { dayDetail, drawdownDetail } from './haltDetail.ts'
import { lossOf, ratioOf, stepOf, withFlow } from './loss.ts'
import { onDayOf, unknownDay, withHoldMoved } from './riskDay.ts'
import { noMemory, readRiskSnapshot, writeRiskSnapshot } from './riskSnapshot.ts'
import type { LastView, RiskBases, RiskMemory, RiskSnapshot } from './riskSnapshot.ts'

/** The rules the risk engine keeps; `Rules` has them all. */
export interface RiskLimits {
  readonly dailyLossStop: Decimal
  readonly drawdownHalt: Decimal
  readonly equityCap: Decimal | null
}

/** What the risk engine needs of the account, after the event was applied to it. */
export interface RiskAccount {
  readonly cash: CashView | null
  readonly venueTime: Millis | null
}

export interface RiskView {
  readonly state: RiskStateName
  readonly detail: RiskDetail | null
  readonly equity: Decimal | null
  readonly dayStart: Decimal | null
  readonly peak: Decimal | null
  readonly day: string | null
  /** Shares of the capped base; null until the account was seen. */
  readonly dailyLoss: Decimal | null
  readonly drawdown: Decimal | null
  /** A drop that would halt waits for a flow that may explain it: nothing opens meanwhile. */
  readonly holding: boolean
  /** The state or its detail is another one than at the last answer. */
  readonly changed: boolean
  /**
   * Equities that nothing explained, that would have halted or lifted the peak, and that this sight
   * contradicts: they counted for nothing. Empty nearly always.
   */
  readonly dropped: readonly Decimal[]
}

/**
 * Turns equity into `active`, `halted_for_day` or `stopped`. A halt stays however the equity
 * recovers; deposits and withdrawals are neither profit nor loss.
 */
export class RiskEngine {
  /** Whether the times it is given are the venue's own: until then no day begins, and none ends. */
  isTimeKnown = true
  #limits: RiskLimits
  readonly #cash = new CashBook()
  #memory: RiskMemory = noMemory
  #last: LastView | null = null
  #dropped: readonly Decimal[] = []
  #told: { readonly state: RiskStateName; readonly detail: RiskDetail | null } = {
    state: 'active',
    detail: null,
  }

  constructor(riskLimits: RiskLimits) {
    this.#limits = riskLimits
  }

  /** Takes up a snapshot of an earlier run; refuses one that cannot be. */
  static restore(snapshot: unknown, riskLimits: RiskLimits): Result<RiskEngine> {
    const read = readRiskSnapshot(snapshot)
    if (!read.ok) return err(read.error)
    const { memory, cash } = read.value
    const engine = new RiskEngine(riskLimits)
    engine.#memory = memory
    engine.#last = read.value.last
    engine.#told = { state: memory.state, detail: memory.detail }
    engine.#cash.restore(cash.base, cash.from, cash.movements, cash.flows, cash.seen)
    return ok(engine)
  }

  /**
   * For a memory that cannot be read: what it held may have been a halt, so nothing opens until a
   * person has reviewed it. It has no figures to tell.
   */
  static unreadable(riskLimits: RiskLimits): RiskEngine {
    const engine = new RiskEngine(riskLimits)
    engine.#memory = { ...engine.#memory, state: 'stopped' }
    return engine
  }

  snapshot(): RiskSnapshot {
    return writeRiskSnapshot(this.#memory, this.#cash, this.#last)
  }

  /** New rules hold from the next look on; peak and day start stay. */
  setLimits(riskLimits: RiskLimits): void {
    this.#limits = riskLimits
  }

  /** One event of the venue, after the account took it; flows, fills and equity in one call. */
  apply(event: AccountEvent, account: RiskAccount): RiskView {
    for (const change of movementsOf(event)) this.#noteMovement(change)
    for (const change of flowsOf(event)) this.#noteFlow(change)
    return this.observe(account, event.at)
  }

  /** Looks at the account at this moment. */
  observe(account: RiskAccount, at: Millis): RiskView {
    this.#turnDay(at)
    const { cash, venueTime } = account
    if (cash === null || venueTime === null) return this.#answer()
    const seen = seenOf(cash)
    this.#last = { equity: cash.equity, seen, venueTime }
    if (this.#memory.bases === null) {
      this.#begin(cash.equity, at)
      this.#cash.start(seen, venueTime)
    } else if (!this.#cash.isStarted) {
      this.#cash.start(seen, venueTime)
      this.#judge(cash.equity, at)
    } else {
      this.#weigh(cash.equity, seen, venueTime, at)
    }
    return this.#answer()
  }

  /**
   * Whether a sight's cash is one that no report explains, and would halt or lift the peak: it is
   * confirmed before it counts. Where its positions are the known ones (`isSure`) a fall of the mark
   * is real, so that a loss which it alone makes is not doubted. Nothing can explain the very first
   * sight, which sets the peak and the start of the day.
   */
  doubts({ equity, ...cash }: CashView, isSure: boolean): CashDoubt | null {
    const { bases } = this.#memory
    if (bases === null) return { expected: null }
    const seen = seenOf({ equity, ...cash })
    const { isExplained, residual, flow } = this.#cash.isStarted
      ? this.#cash.explain(seen)
      : { isExplained: false, residual: Decimal.zero, flow: Decimal.zero }
    if (isExplained) return null
    const halts = !equity.isPositive() || this.#breachesWith(equity, flow)
    const lifts = residual.isPositive() && equity.gt(bases.peak.times(lifted))
    if (!halts && !lifts) return null
    const isMarkAlone = this.#cash.isStarted && this.#breachesWith(equity.minus(residual), flow)
    if (halts && isSure && isMarkAlone) return null
    return { expected: this.#cash.isStarted ? seen.cash.minus(residual) : bases.equity }
  }

  /** Whether everything that a halt closes is closed: until then the halt of a day does not end. */
  closed(isFlat: boolean): void {
    if (this.#memory.isClosing === isFlat) this.#memory = { ...this.#memory, isClosing: !isFlat }
  }

  /** Time passes: a day turns, a hold ends. */
  tick(at: Millis): RiskView {
    this.#turnDay(at)
    this.#endHold(at)
    return this.#answer()
  }

  /** The account was set up anew: views that wait for an explanation may be of a part of it. */
  forgetSight(): void {
    this.#memory = { ...this.#memory, suspense: null }
    this.#last = null
  }

  /** A person looked: `stopped` ends, and this equity is the new peak and day start. */
  review(equity: Decimal, at: Millis): RiskView {
    this.#memory = noMemory
    this.#cash.restore(null, 0, [], [], this.#cash.seenIds())
    this.#last = null
    this.#begin(equity, at)
    return this.#answer()
  }

  view(): RiskView {
    return this.#view(false, [])
  }

  /** The clock was set by so much: a hold keeps its age. */
  clockStepped(ms: number): void {
    this.#memory = withHoldMoved(this.#memory, ms)
  }

  #view(changed: boolean, dropped: readonly Decimal[]): RiskView {
    const { state, detail, bases, suspense } = this.#memory
    const equity = this.#last?.equity ?? bases?.equity ?? null
    const cap = this.#limits.equityCap
    const shareOf = (base: Decimal | undefined): Decimal | null =>
      base === undefined || equity === null ? null : ratioOf(base, equity, cap)
    return {
      state,
      detail,
      equity,
      dayStart: bases?.dayStart ?? null,
      peak: bases?.peak ?? null,
      day: bases === null || bases.day === unknownDay ? null : bases.day,
      // Every request and every message looks, and hardly any asks for what must be divided.
      get dailyLoss() {
        return shareOf(bases?.dayStart)
      },
      get drawdown() {
        return shareOf(bases?.peak)
      },
      holding: suspense?.isHolding ?? false,
      changed,
      dropped,
    }
  }

  /** What losses are measured from; asked for only once the account was seen. */
  get #bases(): RiskBases {
    const { bases } = this.#memory
    assert(bases !== null, 'the account was seen')
    return bases
  }

  #answer(): RiskView {
    const { state, detail } = this.#memory
    const changed = state !== this.#told.state || detail !== this.#told.detail
    this.#told = { state, detail }
    const dropped = this.#dropped
    this.#dropped = []
    return this.#view(changed, dropped)
  }

  #begin(equity: Decimal, at: Millis): void {
    const day = this.isTimeKnown ? utcDay(at) : unknownDay
    const bases = { equity, dayStart: equity, peak: equity, day }
    this.#memory = { ...this.#memory, bases }
  }

  #turnDay(at: Millis): void {
    if (this.isTimeKnown) this.#memory = onDayOf(this.#memory, at)
  }

  /** A view whose cash the reports explain counts at once; another one waits for its report. */
  #weigh(equity: Decimal, seen: CashSeen, venueTime: number, at: Millis): void {
    const explanation = this.#cash.explain(seen)
    const before = this.#memory.suspense?.views ?? []
    const views = before.at(-1)?.eq(equity) === true ? before : [...before, equity]
    if (explanation.isExplained) {
      // Cash that is what it was, with nothing reported, contradicts the views that nothing explained.
      const isBack = explanation.movements === 0 && explanation.flows.length === 0
      if (isBack) this.#dropped = droppedViews(this.#memory.suspense, this.#bases.peak)
      this.#settle(explanation, isBack ? [equity] : views, seen, venueTime, at)
      return
    }
    const { flow, residual } = explanation
    const breaches = this.#breachesWith(equity, flow)
    const excused = breaches && !this.#breachesWith(equity, flow.plus(residual))
    const suspense = this.#memory.suspense ?? { since: at, views: [], isHolding: false }
    const isHolding = suspense.isHolding || excused
    this.#memory = { ...this.#memory, suspense: { ...suspense, views, isHolding } }
    if (breaches && !excused) this.#halt(equity, at)
    this.#endHold(at)
  }

  #settle(
    explanation: Explanation,
    views: readonly Decimal[],
    seen: CashSeen,
    venueTime: number,
    at: Millis,
  ): void {
    const { flow } = explanation
    const last = views.at(-1) as Decimal
    const held = [...views.slice(0, -1).filter((view) => !this.#isOfFlows(view)), last]
    const first = flow.isZero() ? 0 : stepOf(flow, [this.#bases.equity, ...held])
    this.#cash.accept(explanation, seen, venueTime)
    this.#memory = { ...this.#memory, suspense: null }
    for (const view of held.slice(0, first)) this.#judge(view, at)
    const rest = held.slice(first) as [Decimal, ...Decimal[]]
    if (!flow.isZero()) this.#move(rest[0], flow)
    // The deepest of them is what a halt names; then each counts in its turn.
    this.#halt(Decimal.min(...rest), at)
    for (const view of rest) this.#judge(view, at)
  }

  /** A view between several flows is no loss where those that it had make it none. */
  #isOfFlows(view: Decimal): boolean {
    const flow = this.#cash.flowNear(view.minus(this.#bases.equity))
    return this.#breachesWith(view, Decimal.zero) && !this.#breachesWith(view, flow)
  }

  /** After ten seconds what nothing explains is profit or loss, the deepest view included. */
  #endHold(at: Millis): void {
    const { suspense } = this.#memory
    const last = this.#last
    if (suspense === null || last === null) return
    if (at < suspense.since) {
      // The clock was set back: the hold must not last until it has caught up.
      this.#memory = { ...this.#memory, suspense: { ...suspense, since: at } }
      return
    }
    if (at - suspense.since < limits.flowHoldMsMax) return
    const explanation = this.#cash.explain(last.seen)
    const { peak, day } = this.#bases
    const found = { usdc: explanation.residual, at, equity: suspense.views[0] as Decimal, day }
    const late = { ...found, peakBefore: peak, high: Decimal.zero }
    // It is there before the views count: they are the first that follow it.
    this.#memory = { ...this.#memory, absorbed: withAbsorbed(this.#memory.absorbed, late) }
    this.#settle(explanation, suspense.views, last.seen, last.venueTime, at)
  }

  #noteMovement(change: CashChange): void {
    if (!this.#cash.isNewMovement(change)) return
    const late = this.#lateFor(change)
    if (late === undefined) this.#cash.addMovement(change)
    else if (change.isFlow === true) this.#correct(late, change.usdc)
    else this.#forget(late)
  }

  #noteFlow(change: CashChange): void {
    if (!this.#cash.isNewFlow(change)) return
    const late = this.#lateFor(change)
    if (late === undefined) this.#cash.addFlow(change)
    else this.#correct(late, worthOf(change))
  }

  /** What was counted without a report, and fits this report that came too late for it. */
  #lateFor({ usdc, at }: CashChange): Absorbed | undefined {
    return this.#memory.absorbed.find(
      (each) => at <= each.at && each.usdc.minus(usdc).abs().lte(cents),
    )
  }

  /** It was profit or loss, as it was counted: only its report was late. */
  #forget(late: Absorbed): void {
    const { kept } = released(this.#memory.absorbed, late, (base) => base)
    this.#memory = { ...this.#memory, absorbed: kept }
  }

  /** A flow that was counted as profit or loss is taken out of it again; a halt stays. */
  #correct(late: Absorbed, flow: Decimal): void {
    const bases = this.#bases
    const moved = (base: Decimal): Decimal => withFlow(base, late.equity, flow)
    const { kept, peak } = released(this.#memory.absorbed, late, moved)
    const dayStart = late.day === bases.day ? moved(bases.dayStart) : bases.dayStart
    this.#memory = { ...this.#memory, absorbed: kept, bases: { ...bases, peak, dayStart } }
  }

  #move(equity: Decimal, flow: Decimal): void {
    const bases = this.#bases
    const moved = (base: Decimal): Decimal => withFlow(base, equity, flow)
    const absorbed = movedAbsorbed(this.#memory.absorbed, moved)
    const [peak, dayStart] = [moved(bases.peak), moved(bases.dayStart)]
    this.#memory = { ...this.#memory, absorbed, bases: { ...bases, peak, dayStart } }
  }

  #judge(equity: Decimal, at: Millis): void {
    const bases = this.#bases
    const absorbed = raisedAbsorbed(this.#memory.absorbed, equity)
    const peak = Decimal.max(bases.peak, equity)
    this.#memory = { ...this.#memory, absorbed, bases: { ...bases, equity, peak } }
    this.#halt(equity, at)
  }

  #halt(equity: Decimal, at: Millis): void {
    const { state } = this.#memory
    const bases = this.#bases
    if (state === 'stopped') return
    const { drawdownHalt, dailyLossStop, equityCap } = this.#limits
    if (lossOf(bases.peak, equity, drawdownHalt, equityCap)) {
      const detail = drawdownDetail(equity, bases.peak, drawdownHalt)
      this.#memory = { ...this.#memory, state: 'stopped', detail }
      return
    }
    if (state === 'halted_for_day') return
    if (lossOf(bases.dayStart, equity, dailyLossStop, equityCap)) {
      const detail = dayDetail(equity, bases.dayStart, dailyLossStop, at)
      // It is today's, whichever day that turns out to be.
      const day = this.isTimeKnown ? bases.day : unknownDay
      const isClosing = true
      const state = 'halted_for_day'
      this.#memory = { ...this.#memory, state, isClosing, detail, bases: { ...bases, day } }
    }
  }

  /** Whether this equity would change the state if `flow` of it were a flow. */
  #breachesWith(equity: Decimal, flow: Decimal): boolean {
    const { state } = this.#memory
    const bases = this.#bases
    if (state === 'stopped') return false
    const { drawdownHalt, dailyLossStop, equityCap } = this.#limits
    const peak = withFlow(bases.peak, equity, flow)
    if (lossOf(peak, equity, drawdownHalt, equityCap)) return true
    const dayStart = withFlow(bases.dayStart, equity, flow)
    return state === 'active' && lossOf(dayStart, equity, dailyLossStop, equityCap)
  }
}
