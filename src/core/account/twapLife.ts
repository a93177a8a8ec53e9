import type { Fill, Twap } from '../protocol/venueState.ts'
import { Decimal } from '../values/decimal.ts'
import { shifted } from '../values/millis.ts'
import type { Millis } from '../values/millis.ts'
import type { RestingEntry } from './accountView.ts'
import type { Source } from './accountEvent.ts'
import { signedSize } from './fillChain.ts'
import type { ReservationId, ReservedTwap, Settlement } from './reservation.ts'
import { isSameTwap } from './sameTwap.ts'

/**
 * One TWAP that went through Guard, from the tick it was decided on until the venue's own list has
 * shown that it ended and a later state shows all that it filled.
 */
export class TwapLife {
  readonly action: ReservationId
  readonly plan: ReservedTwap
  /** When Guard decided on it, by its clock. */
  at: Millis
  /** From here on, by Guard's clock, a list shows whether it runs. */
  shownFrom: number
  /** Which of these an earlier run wrote down, by the venue's time: a setting of the clock moves them not. */
  kept: 'both' | 'at' | 'none' = 'none'
  hasLeft = false
  outcome: 'pending' | 'accepted' | 'unknown' = 'pending'
  /** The venue's number; null until it is told. */
  id: number | null = null
  isListed = false
  /** Since when lists have lacked it, though nothing has told its end; null when none does. */
  missingSince: Millis | null = null
  /** Since when it is known to be over; a state of later, or of after its cancel, shows all it filled. */
  overSince: Millis | null = null
  /** Since when the venue says that it is cancelled, or over: the next list without it ends it. */
  cancelledAt: Millis | null = null
  /** It can only reduce, and there is nothing to reduce, or what there was has ended since. */
  isIdle = false
  #hasOutlived = false
  /** How much of it was filled by slices that the positions include. */
  played = Decimal.zero
  /** How much of it a list showed as filled, and when that came. */
  executed: { readonly size: Decimal; readonly at: Millis } | null = null
  /** How much of it was filled by the time of a state that the positions include. */
  inState = Decimal.zero

  constructor(action: ReservationId, plan: ReservedTwap, at: Millis, shownFrom: number) {
    this.action = action
    this.plan = plan
    this.at = at
    this.shownFrom = shownFrom
  }

  /** What of it may still fill, or has filled unseen. */
  get left(): Decimal {
    const left = this.plan.size.minus(Decimal.max(this.played, this.inState))
    return left.isNegative() ? Decimal.zero : left
  }

  /** A slice of it has filled. */
  get hasStarted(): boolean {
    return this.played.isPositive() || this.executed?.size.isPositive() === true
  }

  /** Nobody knows yet whether the venue has taken it. */
  get isUnsettled(): boolean {
    return this.outcome === 'pending' || (this.outcome === 'unknown' && this.id === null)
  }

  /** The venue may hold it back until its price comes, and not list it meanwhile. */
  get mayWaitUnlisted(): boolean {
    return this.plan.triggerPrice !== null && !this.isListed && !this.hasStarted
  }

  /** Whether what the venue tells of a TWAP may be this one. */
  isLike(told: Omit<Twap, 'id'>): boolean {
    const { plan, at } = this
    return isSameTwap({ ...plan, isReduceOnly: plan.opens === null }, at, told)
  }

  /** The venue has answered that it is cancelled, or that there is none. */
  cancelled(at: Millis): void {
    this.cancelledAt = at
    this.missingSince ??= at
  }

  /** As the venue lists it. */
  show({ executedSize }: Twap, source: Source, at: Millis): void {
    this.isListed = true
    if (source === 'read') this.cancelledAt = null
    if (this.cancelledAt === null) {
      this.missingSince = null
      this.overSince = null
    }
    if (this.executed === null || executedSize.gt(this.executed.size)) {
      this.executed = { size: executedSize, at }
    }
  }

  /**
   * A list lacks it that was taken by `takenAt`. The stream does not date its lists, and one that has
   * come to stand still looks like any other: only one that was read tells its end, or any list where
   * the venue has answered a cancel that it is over.
   */
  miss(source: Source, at: Millis, takenAt: number): void {
    if (this.cancelledAt !== null) this.overSince ??= at
    if (takenAt <= this.shownFrom || this.outcome === 'pending') return
    if (source === 'read' && !this.mayWaitUnlisted) this.overSince ??= at
    else this.missingSince ??= at
  }

  /** A state is in the positions that was taken by `takenAt`. */
  showState(takenAt: number, isFlat: boolean): void {
    const { executed } = this
    if (executed !== null && takenAt > executed.at) {
      this.inState = Decimal.max(this.inState, executed.size)
    }
    const isSeen = this.plan.opens === null && isFlat && takenAt > this.shownFrom
    this.isIdle = this.#hasOutlived || isSeen
  }

  /** A fill was told: what ends the position ends what reduces it, whatever is opened next. */
  sawFill(fill: Fill): void {
    const { coin, startPosition: start } = fill
    const isMeant = this.plan.opens === null && this.plan.coin === coin && fill.at > this.at
    if (!isMeant || start.isZero() || start.times(start.plus(signedSize(fill))).isPositive()) return
    this.isIdle = this.#hasOutlived = true
  }

  settle(
    outcome: Exclude<Settlement['outcome'], 'refused'>,
    at: Millis,
    mayArriveMs: number,
  ): void {
    this.outcome = outcome
    if (this.kept === 'both') this.kept = 'at'
    this.shownFrom = outcome === 'accepted' ? at : at + mayArriveMs
  }

  /** What of it may still open a position; null when nothing may. */
  entry(): RestingEntry | null {
    const { left, plan } = this
    const { coin, isBuy, opens } = plan
    if (opens === null || !left.isPositive()) return null
    const { price, stop, worth } = opens
    const isWaiting = plan.triggerPrice !== null && !this.hasStarted && this.cancelledAt === null
    return {
      ...{ coin, isBuy, price, size: left, stop, oid: null, cloid: null, isConfirmed: false },
      watched: { stopBy: 'guard', worth, hasNotFired: isWaiting, needsGuard: isWaiting },
    }
  }

  /** The clock was set by so much: everything keeps its age. */
  shift(ms: number): void {
    if (this.kept === 'none') this.at = shifted(this.at, ms)
    if (this.kept !== 'both') this.shownFrom += ms
    if (this.missingSince !== null) this.missingSince = shifted(this.missingSince, ms)
    if (this.overSince !== null) this.overSince = shifted(this.overSince, ms)
    if (this.cancelledAt !== null) this.cancelledAt = shifted(this.cancelledAt, ms)
    if (this.executed === null) return
    this.executed = { ...this.executed, at: shifted(this.executed.at, ms) }
  }
}
