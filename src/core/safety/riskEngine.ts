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
import { raisedAbsorbed, withAbsorbed } from './absorbed.ts'
import type { Absorbed } from './absorbed.ts'
import { BlindLoss } from './blindLoss.ts'
import type { BlindSight } from './blindLoss.ts'
import { CashBook, cents, movedFlow, seenOf, worthOf } from './cashBook.ts'
import type { CashChange, CashDoubt, CashSeen, Explanation } from './cashBook.ts'
import { flowsOf, movementsOf } from './cashChanges.ts'
import { lifted, weighedViews } from './droppedViews.ts'
import { breaches, halted, movedBases, withFlowMoved } from './halts.ts'
import type { RiskLimits } from './halts.ts'
import { countedViews, explainedLate, nearestTo } from './lateReports.ts'
import type { CountedView } from './lateReports.ts'
import { stepOf } from './loss.ts'
import { onDayOf, unknownDay, withHoldFrom, withHoldMoved } from './riskDay.ts'
import { noMemory, readRiskSnapshot, writeRiskSnapshot } from './riskSnapshot.ts'
import type { HeldView, LastView, RiskBases, RiskMemory, RiskSnapshot } from './riskSnapshot.ts'
import { riskViewOf } from './riskView.ts'
import type { RiskAccount, RiskView } from './riskView.ts'
import { untoldLoss } from './untoldLoss.ts'

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
  /** The equity was seen since the start; until then changes from before the start may be missing. */
  #hasLooked = false
  #isBlind = false
  #untold: Decimal | null = null
  readonly #blindLoss = new BlindLoss()
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
    this.#isBlind = cash === null || venueTime === null
    this.#untold = null
    if (cash === null || venueTime === null) {
      this.#memory = withHoldFrom(this.#memory, at)
      this.#watchBlind(account, at)
      return this.#answer()
    }
    this.#hasLooked = true
    this.#blindLoss.counts(false, at)
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
      if (cash.isUnified) this.#watchUntold(cash.equity, at)
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
    const { bases, isAnew } = this.#memory
    if (bases === null) return { expected: null }
    if (isAnew) return null
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
    if (this.#isBlind) this.#memory = withHoldFrom(this.#memory, at)
    else this.#endHold(at)
    return this.#answer()
  }

  /** The account has another mode, say: held views are dropped, the next is not compared with earlier ones. */
  setAnew(): void {
    this.#memory = { ...this.#memory, suspense: null, isAnew: this.#memory.bases !== null }
    this.#last = null
  }

  get isAnew(): boolean {
    return this.#memory.isAnew
  }

  /** A person looked: `stopped` ends, and this equity is the new peak and day start. */
  review(equity: Decimal, at: Millis): RiskView {
    this.#memory = noMemory
    this.#cash.restore(null, 0, [], [], this.#cash.seenIds())
    this.#last = null
    this.#hasLooked = false
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
    const equity = this.#last?.equity ?? this.#memory.bases?.equity ?? null
    const told = { equity, cap: this.#limits.equityCap, changed, dropped }
    const untold = this.#untold
    return riskViewOf(this.#memory, { ...told, isBlind: this.#isBlind || untold !== null, untold })
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
    this.#takeOverdue(at)
    const explanation = this.#cash.explain(seen)
    const { isAnew } = this.#memory
    if (isAnew) this.#memory = { ...this.#memory, isAnew: false }
    if (isAnew && !explanation.isExplained) {
      this.#move(equity, this.#cash.takeAnew(seen, venueTime))
      this.#judge(equity, at)
      return
    }
    if (explanation.isExplained) {
      const views = this.#heldViews(explanation)
      const isHeld = views.at(-1)?.eq(equity) === true
      const counted = (isHeld ? views : [...views, equity]).map((each) => ({ equity: each }))
      this.#settle(explanation, this.#withoutFlows(counted), seen, venueTime, at)
      return
    }
    const suspense = this.#memory.suspense ?? { since: at, views: [], isHolding: false }
    const isLast = suspense.views.at(-1)?.equity.eq(equity) === true
    const views = isLast ? suspense.views : [...suspense.views, { equity, seen }]
    const { flow, residual } = explanation
    const breaches = this.#breachesWith(equity, flow)
    const excused = breaches && !this.#breachesWith(equity, flow.plus(residual))
    const isHolding = suspense.isHolding || excused
    this.#memory = { ...this.#memory, suspense: { ...suspense, views, isHolding } }
    if (breaches && !excused) this.#halt(equity, at)
    this.#endHold(at)
  }

  /** The held equities that count once a view is explained: where it has flows, each may have had some. */
  #heldViews({ flows }: Explanation): readonly Decimal[] {
    const { suspense } = this.#memory
    if (suspense === null) return []
    const isRight = ({ seen }: HeldView): boolean =>
      flows.length > 0 || seen === null || this.#cash.explain(seen).isExplained
    const { kept, dropped } = weighedViews(suspense, isRight, this.#bases.peak)
    this.#dropped = dropped
    return kept
  }

  /**
   * A balance that lacks what fills lost is not the equity: what they lost counts once it is late. Where
   * nothing explains a balance, it waits for what may explain it, and that may be such a loss.
   */
  #watchUntold(equity: Decimal, at: Millis): void {
    if (this.#memory.suspense !== null) return
    this.#takeOverdue(at)
    this.#untold = untoldLoss(this.#cash, equity, at - limits.accountAgeMsMax)
    const late = untoldLoss(this.#cash, equity, at - limits.flowHoldMsMax)
    if (late !== null) this.#halt(equity.minus(late), at)
  }

  /** What is known to be lost while the equity is not; before this run's first look only what came since. */
  #watchBlind(sight: BlindSight, at: Millis): void {
    const { bases } = this.#memory
    if (bases === null) return
    const reported = this.#hasLooked ? this.#cash.expected : null
    const known = this.#blindLoss.known(sight, bases, reported)
    if (known === null) return
    const isLosing = breaches(this.#memory, known.bases, known.equity, this.#limits)
    if (this.#blindLoss.counts(isLosing, at)) this.#halt(known.equity, at, known.bases)
  }

  #settle(
    explanation: Explanation,
    views: readonly CountedView[],
    seen: CashSeen,
    venueTime: number,
    at: Millis,
  ): void {
    const { flow } = explanation
    const equities = views.map(({ equity }) => equity)
    const first = flow.isZero() ? 0 : stepOf(flow, [this.#bases.equity, ...equities])
    this.#cash.accept(explanation, seen, venueTime)
    this.#memory = { ...this.#memory, suspense: null }
    const judge = ({ equity, found }: CountedView): void => this.#judge(equity, at, found)
    views.slice(0, first).forEach(judge)
    const rest = equities.slice(first) as [Decimal, ...Decimal[]]
    if (!flow.isZero()) this.#move(rest[0], flow)
    // The deepest of them is what a halt names; then each counts in its turn.
    this.#halt(Decimal.min(...rest), at)
    views.slice(first).forEach(judge)
  }

  /** What no view of a whole hold has included was in one that was counted as profit or loss. */
  #takeOverdue(at: Millis): void {
    for (const [change, flow] of this.#cash.overdue(at - limits.flowHoldMsMax)) {
      const late = nearestTo(this.#memory, change)
      if (late?.equity.gt(flow) !== true) continue
      this.#cash.remove(change)
      this.#explain(late, change, flow)
    }
  }

  /** Without views whose fall some of the reported flows made, and no loss; the last one always counts. */
  #withoutFlows<View extends { readonly equity: Decimal }>(views: readonly View[]): View[] {
    return views.filter(({ equity }, place) => {
      const flow = this.#cash.flowNear(equity.minus(this.#bases.equity))
      const isLast = place === views.length - 1
      return isLast || !this.#breachesWith(equity, Decimal.zero) || this.#breachesWith(equity, flow)
    })
  }

  /** After ten seconds what nothing explains is profit or loss, the deepest view included. */
  #endHold(at: Millis): void {
    const { suspense } = this.#memory
    const last = this.#last
    if (suspense === null || last === null) return
    if (at < suspense.since) {
      // The clock was set back: the hold must not last until it has caught up.
      this.#memory = withHoldFrom(this.#memory, at)
      return
    }
    if (at - suspense.since < limits.flowHoldMsMax) return
    const explanation = this.#cash.explain(last.seen)
    const views = this.#withoutFlows(suspense.views)
    const counted = countedViews([...views.slice(0, -1), last], ({ seen }) =>
      seen === null ? null : this.#cash.explain(seen).residual,
    )
    this.#settle(explanation, counted, last.seen, last.venueTime, at)
  }

  #noteMovement(change: CashChange): void {
    if (!this.#cash.isNewMovement(change)) return
    this.#blindLoss.moved(change)
    if (!this.#explainsLate(change, movedFlow(change))) this.#cash.addMovement(change)
  }

  #noteFlow(change: CashChange): void {
    if (!this.#cash.isNewFlow(change)) return
    if (!this.#explainsLate(change, worthOf(change))) this.#cash.addFlow(change)
  }

  /** The report is of a change that was counted as profit or loss by now, and that is put right. */
  #explainsLate(change: CashChange, flow: Decimal): boolean {
    const late = nearestTo(this.#memory, change)
    const isOwn = late?.usdc.minus(change.usdc).abs().lte(this.#tolerance) === true
    if (isOwn) this.#explain(late, change, flow)
    return isOwn
  }

  #explain(late: Absorbed, { usdc }: CashChange, flow: Decimal): void {
    const told = { usdc, flow, tolerance: this.#tolerance }
    this.#memory = explainedLate(this.#memory, this.#bases, late, told)
  }

  get #tolerance(): Decimal {
    return this.#last?.seen.tolerance ?? cents
  }

  #move(equity: Decimal, flow: Decimal): void {
    this.#memory = withFlowMoved(this.#memory, this.#bases, equity, flow)
  }

  #judge(equity: Decimal, at: Millis, found?: Decimal): void {
    const bases = this.#bases
    const { peak: peakBefore, day } = bases
    let absorbed = raisedAbsorbed(this.#memory.absorbed, equity)
    const late = { at, equity, day, peakBefore, high: equity }
    if (found) absorbed = withAbsorbed(this.#memory.absorbed, { ...late, usdc: found })
    const peak = Decimal.max(peakBefore, equity)
    this.#memory = { ...this.#memory, absorbed, bases: { ...bases, equity, peak } }
    this.#halt(equity, at)
  }

  #halt(equity: Decimal, at: Millis, bases = this.#bases): void {
    const { isTimeKnown } = this
    this.#memory = halted(this.#memory, bases, equity, { at, isTimeKnown, limits: this.#limits })
  }

  #breachesWith(equity: Decimal, flow: Decimal): boolean {
    return breaches(this.#memory, movedBases(this.#bases, equity, flow), equity, this.#limits)
  }
}
