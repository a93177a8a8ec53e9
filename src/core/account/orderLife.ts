import { guardCloidKind } from '../protocol/guardCloid.ts'
import { hasRoom } from '../protocol/marketStop.ts'
import type { OpenOrder } from '../protocol/venueState.ts'
import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { limits } from '../values/limits.ts'
import { shifted } from '../values/millis.ts'
import type { Millis } from '../values/millis.ts'
import type { RestingEntry, StopInFlight, WatchedEntry } from './accountView.ts'
import type { Stop } from './stop.ts'
import type { ReservationId, ReservedOrder, StopChooser } from './reservation.ts'

/**
 * Where an order stands. `reserved`: judged, and not sent. `sent`: it left, and nothing came back.
 * `told`: an answer or a fill told of it. `working`, `waiting`: the venue shows it open, at work or
 * waiting for its parent's fill. `ended`: filled, cancelled or refused.
 */
export type OrderState = 'reserved' | 'sent' | 'told' | 'working' | 'waiting' | 'ended'

/** How an order ended. */
interface Ended {
  /** How much of it the venue says was filled. */
  readonly filled: Decimal
  /** When, by the venue's clock: a state of a later moment shows its fills. */
  readonly time: Millis
}

/** What the venue has told of an open order under its number. */
export type ToldSoFar = Pick<
  OrderLife,
  'shown' | 'isListed' | 'seenAt' | 'filledTold' | 'played' | 'inState'
>

/** The stop that Guard keeps for an entry that waits for a trigger. */
export interface KeptStop {
  readonly stop: Decimal
  readonly stopBy: StopChooser
}

/** Where an order comes from: Guard's own plan, or the venue's word alone. */
type Origin =
  | { readonly action: ReservationId; readonly plan: ReservedOrder }
  | {
      readonly action: null
      readonly plan: null
      readonly coin: Coin
      readonly isBuy: boolean
      readonly isReduceOnly: boolean
      readonly cloid: string | null
      /** The stop that an earlier run of Guard's kept for it; left out or null when it kept none. */
      readonly kept?: KeptStop | null
    }

/**
 * One order, from the tick it was decided on until nothing of it is left to come. It is identified
 * by what Guard minted (the action and the place in it) or, where it was made elsewhere, by the
 * venue's number; the client order id is only an attribute, which a bot may use again.
 */
export class OrderLife {
  readonly action: ReservationId | null
  readonly plan: ReservedOrder | null
  readonly coin: Coin
  readonly isBuy: boolean
  readonly isReduceOnly: boolean
  readonly cloid: string | null
  /** The stop that stands in Guard's record alone; null for any other order. */
  readonly kept: KeptStop | null
  oid: number | null = null
  /** As the venue last showed it; null until then. */
  shown: OpenOrder | null = null
  /** A whole list had it, with its trigger and its children. */
  isListed = false
  /** Its trigger has fired, as an update told. */
  hasFired = false
  /** It waits for the fill of its parent. */
  isWaiting = false
  /** A market stop among its children, as large as the order itself; after its end the one it had. */
  childStop: Decimal | null = null
  /** When the venue last showed it, by Guard's clock. */
  seenAt: Millis
  /** When it was first shown since it was last not shown, by Guard's clock; null when it never was. */
  shownSince: Millis | null = null
  /** Since when lists have lacked it, though nothing has told its end; null when none does. */
  missingSince: Millis | null = null
  /** A read lacks it that was taken after it could arrive, or was seen; what it filled may be untold. */
  isGone = false
  hasLeft = false
  outcome: 'pending' | 'accepted' | 'unknown' = 'pending'
  /** When Guard decided on it, by its clock. */
  at: Millis
  /** From here on, by Guard's clock, a snapshot shows what became of it. */
  shownFrom: number
  /** How much of it was filled by fills that the positions include. */
  played = Decimal.zero
  /** How much of it the answer to its action said was filled. */
  answered = Decimal.zero
  /** How much of it was filled by the time of a state that the positions include. */
  inState = Decimal.zero
  /** When the venue last told that more of it is filled: by its own clock where known, and by Guard's. */
  filledTold: { readonly venue: Millis | null; readonly local: Millis } | null = null
  ended: Ended | null = null
  /**
   * From when on the position was known that Guard decided on it for, by the venue's clock; null where
   * none was.
   */
  heldFrom: number | null = null
  /**
   * By when that position had ended, by the venue's clock: it protects nothing of what is there now,
   * wherever the venue has put it. Null as long as the position has not.
   */
  outlivedAt: number | null = null

  constructor(origin: Origin, at: Millis, shownFrom: number) {
    this.action = origin.action
    this.plan = origin.plan
    const { coin, isBuy, cloid } = origin.plan ?? origin
    this.coin = coin
    this.isBuy = isBuy
    this.cloid = cloid
    this.isReduceOnly = origin.plan === null ? origin.isReduceOnly : origin.plan.kind !== 'entry'
    this.kept = origin.plan === null ? (origin.kept ?? null) : keptOf(origin.plan)
    this.at = at
    this.seenAt = at
    this.shownFrom = shownFrom
  }

  get state(): OrderState {
    if (this.ended !== null) return 'ended'
    if (this.shown !== null) return this.isWaiting ? 'waiting' : 'working'
    if (this.outcome === 'accepted' || this.oid !== null) return 'told'
    return this.hasLeft ? 'sent' : 'reserved'
  }

  /** The venue shows it open. */
  get isOpen(): boolean {
    return this.shown !== null && this.ended === null
  }

  /** It can open or enlarge a position. */
  get isEntry(): boolean {
    return !this.isReduceOnly
  }

  /** It takes one of the places that the venue has for open orders, or may do so in a moment. */
  get takesPlace(): boolean {
    if (this.shown !== null || this.ended !== null) return this.isOpen
    return !this.isGone && (this.outcome === 'pending' || this.plan?.mayRest === true)
  }

  /** What the venue says was filled and the positions do not include yet. */
  get unplayed(): Decimal {
    const unplayed = this.toldFilled.minus(Decimal.max(this.played, this.inState))
    return unplayed.isNegative() ? Decimal.zero : unplayed
  }

  /** The same, also by the answer to its action, which comes before any fill. */
  get untold(): Decimal {
    if (this.ended !== null) return this.unplayed
    return Decimal.max(this.answered.minus(Decimal.max(this.played, this.inState)), this.unplayed)
  }

  /** Where an order that only reduces fires, a stop or a take profit; null for any other. */
  get firesAt(): Decimal | null {
    if (this.plan?.kind === 'stop') return this.plan.trigger
    const { trigger = null, isReduceOnly = false } = this.shown ?? {}
    return isReduceOnly ? (trigger?.price ?? null) : null
  }

  /** How much of it the venue says was filled. */
  get toldFilled(): Decimal {
    if (this.ended !== null) return this.ended.filled
    if (this.shown === null || this.isReduceOnly) return Decimal.zero
    return this.shown.originalSize.minus(this.shown.size)
  }

  /** The venue took it, and it cannot rest: what was to fill of it has filled. */
  get isFilledAtOnce(): boolean {
    return this.outcome === 'accepted' && this.plan?.mayRest === false
  }

  /** Whether those that wait for its fill work by now: it is filled, or has ended with a part of it. */
  get isParentDone(): boolean {
    if (this.ended !== null) return Decimal.max(this.ended.filled, this.played).isPositive()
    return this.plan !== null && this.played.gte(this.plan.size)
  }

  /** What the answer to its action says became of it. */
  answer(outcome: 'accepted' | 'unknown', at: Millis): void {
    this.outcome = outcome
    this.shownFrom = outcome === 'accepted' ? at : at + limits.expiresAfterMsMax
  }

  /** A state that the positions include was taken after all that was told of its fills. */
  showFills(): void {
    this.inState = Decimal.max(this.inState, this.toldFilled)
  }

  /** Takes back all that was told under a number that turned out to be another order's. */
  untell(): ToldSoFar {
    const { shown, isListed, seenAt, filledTold, played, inState } = this
    this.shown = null
    this.isListed = false
    this.missingSince = null
    this.filledTold = null
    this.played = Decimal.zero
    this.inState = Decimal.zero
    return { shown, isListed, seenAt, filledTold, played, inState }
  }

  /** What was told of this order while it was taken for another. */
  tell({ shown, isListed, seenAt, filledTold, played, inState }: ToldSoFar): void {
    this.shown = shown
    this.isListed = isListed
    this.seenAt = seenAt
    this.filledTold = filledTold
    this.played = played
    this.inState = inState
  }

  /** A read that came now lacks it: a state of a later moment shows all that it filled. */
  vanish(at: Millis): void {
    this.shown = null
    this.isListed = false
    this.isGone = true
    // One that cannot rest was over by the time it could arrive: nothing of it fills later.
    if (this.plan?.mayRest !== false) this.shownFrom = at
  }

  /** What of it may still open a position, or has done so unseen: what rests, and what is in flight. */
  entries(): readonly RestingEntry[] {
    if (this.isReduceOnly) return []
    const resting = this.restingEntry
    const hidden = this.#hiddenEntry()
    if (resting === null) return hidden === null ? [] : [hidden]
    return hidden === null ? [resting] : [resting, hidden]
  }

  /** The entry as it rests; null when it does not. */
  get restingEntry(): RestingEntry | null {
    if (this.isReduceOnly || this.shown === null || this.ended !== null) return null
    const { coin, isBuy, price, size, oid, cloid } = this.shown
    const isConfirmed = this.isListed
    const kept = this.#keptAt(price)
    const sent = isConfirmed ? this.childStop : (this.childStop ?? this.#plannedStop)
    const stop = sent ?? kept?.stop ?? null
    const entry = { coin, isBuy, price, size, stop, oid, cloid, isConfirmed }
    return kept === null ? entry : { ...entry, watched: this.#watched(kept, price) }
  }

  /** The stop in Guard's record, where it lies on the losing side of the order's price. */
  #keptAt(price: Decimal): KeptStop | null {
    const { kept, isBuy } = this
    if (kept === null) return null
    return (isBuy ? kept.stop.lt(price) : kept.stop.gt(price)) ? kept : null
  }

  #watched({ stopBy }: KeptStop, price: Decimal): WatchedEntry {
    const planned = this.plan?.kind === 'entry' ? this.plan.watched : undefined
    const trigger = this.shown === null ? (planned?.trigger ?? null) : this.shown.trigger
    const worth = Decimal.max(price, trigger?.price ?? price, planned?.worth ?? price)
    const needsGuard = this.childStop === null
    return { stopBy, worth, hasNotFired: trigger !== null, needsGuard }
  }

  /** What neither rests visibly nor was filled visibly. */
  #hiddenEntry(): RestingEntry | null {
    const { coin, isBuy, cloid, shown } = this
    const plan = this.plan?.kind === 'entry' ? this.plan : null
    const isUnseen = shown === null && this.ended === null
    const seen = Decimal.max(this.played, this.inState)
    const size = isUnseen ? plan?.size.minus(seen) : this.unplayed
    const price = (plan ?? shown)?.price
    if (size?.isPositive() !== true || price === undefined) return null
    const kept = this.#keptAt(price)
    const stop = plan?.stop ?? this.childStop ?? kept?.stop ?? null
    if (stop === null) return null
    const entry = { coin, isBuy, price, size, stop, oid: null, cloid, isConfirmed: false }
    return kept === null ? entry : { ...entry, watched: this.#watched(kept, price) }
  }

  get #plannedStop(): Decimal | null {
    return this.plan?.kind === 'entry' ? this.plan.stop : null
  }

  /** The stop that it is and that the venue watches: not one that waits; null when it is none. */
  get workingStop(): Stop | null {
    if (this.outlivedAt !== null) return null
    return this.shown === null || this.state !== 'working' ? null : stopOf(this.shown)
  }

  /** The clock was set by so much: everything keeps its age. */
  shift(ms: number): void {
    this.at = shifted(this.at, ms)
    this.seenAt = shifted(this.seenAt, ms)
    this.shownFrom += ms
    if (this.shownSince !== null) this.shownSince = shifted(this.shownSince, ms)
    if (this.missingSince !== null) this.missingSince = shifted(this.missingSince, ms)
    if (this.filledTold === null) return
    this.filledTold = { ...this.filledTold, local: shifted(this.filledTold.local, ms) }
  }

  /** A stop of Guard's own that was sent without an entry: it works at once. */
  get isGuardsAlone(): boolean {
    const { plan } = this
    return plan?.kind === 'stop' && plan.parent === null && ownerOf(plan.cloid) === 'guard'
  }

  /** Whether Guard itself sent this order to close a position. */
  get isGuardsClose(): boolean {
    return this.plan?.kind === 'reduce' && guardCloidKind(this.cloid) === 'close'
  }

  /** The stop on its way to the venue; null when it is none, or is shown or over. */
  stopInFlight(entry: Pick<OrderLife, 'cloid' | 'isFilledAtOnce'> | null): StopInFlight | null {
    const { plan } = this
    if (plan?.kind !== 'stop' || this.shown !== null || this.ended !== null) return null
    if (this.outlivedAt !== null) return null
    const { cloid, isBuy, trigger, size } = plan
    const owner = ownerOf(cloid)
    const isAccepted = this.outcome === 'accepted'
    const leftSince = this.hasLeft ? this.at : null
    const parent = entry?.cloid ?? null
    const isParentFilled = entry?.isFilledAtOnce ?? false
    return {
      ...{ cloid, owner, parent, isParentFilled, leftSince, isAccepted, isBuy, trigger, size },
    }
  }
}

/** The stop that Guard keeps for an entry of its own plan that waits for a trigger. */
function keptOf(plan: ReservedOrder): KeptStop | null {
  if (plan.kind !== 'entry' || plan.watched === undefined) return null
  return { stop: plan.stop, stopBy: plan.watched.stopBy }
}

/** Whose stop a client order id is. */
function ownerOf(cloid: string | null): 'guard' | 'bot' {
  return guardCloidKind(cloid) === 'stop' ? 'guard' : 'bot'
}

/**
 * The order as a stop that may cover a position, or null: a reduce-only market stop loss whose own
 * limit leaves at least 5% of room beyond the trigger. A stop-limit may trigger and never fill.
 */
export function stopOf(order: OpenOrder): Stop | null {
  const { trigger } = order
  if (trigger === null || !order.isReduceOnly) return null
  if (!trigger.isMarket || trigger.tpsl !== 'sl') return null
  if (!hasRoom(trigger.price, order.price, !order.isBuy)) return null
  return {
    isBuy: order.isBuy,
    oid: order.oid,
    cloid: order.cloid,
    trigger: trigger.price,
    size: order.size,
    owner: ownerOf(order.cloid),
    isPositionTpsl: order.isPositionTpsl,
    placedAt: order.at,
  }
}
