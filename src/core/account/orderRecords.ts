import type { OrderRef } from '../protocol/action.ts'
import { dexOf } from '../protocol/coinKind.ts'
import type { OpenOrder, OrderUpdate } from '../protocol/venueState.ts'
import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { limits } from '../values/limits.ts'
import { shifted } from '../values/millis.ts'
import type { Millis } from '../values/millis.ts'
import type { RestingEntry, StoppedEntry, StopInFlight, TakenEntry } from './accountView.ts'
import { ActionGroups } from './actionGroups.ts'
import type { CoinOrders } from './coinOrders.ts'
import type { HeldSince } from './heldSince.ts'
import { OrderCounts } from './orderCounts.ts'
import { OrderFamilies } from './orderFamilies.ts'
import { OrderIndex } from './orderIndex.ts'
import { OrderLife } from './orderLife.ts'
import type { KeptStop } from './orderLife.ts'
import { RecentMap } from './recentMap.ts'
import type { ReservationId, ReservedOrder } from './reservation.ts'
import type { ClosedPart } from './stopPromise.ts'
import type { SnapshotTimes } from './snapshotTimes.ts'
import { describedBy } from './toldOrder.ts'
import { OutlivedOrders } from './outlivedOrders.ts'
import { UnsettledOrders } from './unsettledOrders.ts'

/** How much of an order has filled as far as Guard was told, in units of its coin. */
export interface Filling {
  readonly filled: Decimal
  /** The venue has told its end: nothing more of it fills. */
  readonly isFinal: boolean
}

interface KnownStops {
  keptStop(cloid: string): KeptStop | null
  closedBy(part: ClosedPart): void
}

/** Stops that lists lack though nothing has told their end; beyond it the oldest are forgotten. */
const lostMax = 64

/** All orders that are followed, by everything they are asked for. Only `Orders` changes them. */
export class OrderRecords {
  readonly lives = new Set<OrderLife>()
  /** Those whose effect the account does not show in full yet. */
  readonly unsettled = new UnsettledOrders()
  /** Those that lists lack, though nothing has told their end. */
  readonly missing = new Set<OrderLife>()
  readonly groups = new ActionGroups()
  readonly index = new OrderIndex()
  readonly counts = new OrderCounts()
  readonly outlived = new OutlivedOrders()
  readonly families = new OrderFamilies(this.index)
  /** How many orders are open on markets that are no perps of the main dex. */
  onOtherMarkets = 0
  readonly #lostStops = new RecentMap<number, { readonly coin: Coin; readonly at: Millis }>(lostMax)
  readonly #promises: KnownStops | null
  readonly #held: Pick<HeldSince, 'of'> | null

  /** Which stops an earlier run kept for entries that wait for a trigger, and since when positions are held. */
  constructor(promises: KnownStops | null = null, held: Pick<HeldSince, 'of'> | null = null) {
    this.#promises = promises
    this.#held = held
  }

  /** An order that Guard has decided on. */
  expect(action: ReservationId, plan: ReservedOrder, at: Millis): OrderLife {
    const life = new OrderLife({ action, plan }, at, at + limits.mayArriveMs)
    life.heldFrom = this.#held?.of(plan.coin) ?? null
    this.lives.add(life)
    this.unsettled.add(life)
    this.groups.add(action, life)
    this.index.expect(life)
    if (plan.name !== undefined) this.index.names.intend(plan.name, plan.cloid)
    return life
  }

  /** An order that was made elsewhere. */
  elsewhere(told: OrderUpdate | OpenOrder, at: Millis): OrderLife {
    const { coin, isBuy, oid, cloid } = told
    const isReduceOnly = told.isReduceOnly ?? false
    const kept = cloid === null ? null : (this.#promises?.keptStop(cloid) ?? null)
    const origin = { action: null, plan: null, coin, isBuy, isReduceOnly, cloid, kept } as const
    const life = new OrderLife(origin, at, 0)
    this.lives.add(life)
    this.index.number(life, oid)
    return life
  }

  /** The order that a message tells of; the venue may give a trigger order a new number when it fires. */
  find(told: OpenOrder | OrderUpdate, at: Millis): OrderLife | null {
    const described = describedBy(told)
    const found = this.index.find(described)
    if (found !== null) return found
    const fired = this.index.triggerLike(described)
    return fired?.hasFired === true ? this.#goOn(fired, told.oid, at) : null
  }

  /** Finds orders that fired: a whole list has them under a new number, and lacks the old one. */
  followFired(listed: ReadonlyMap<number, OpenOrder>, at: Millis): void {
    for (const order of listed.values()) {
      if (this.index.get(order.oid) !== null || this.find(order, at) !== null) continue
      const life = this.index.triggerLike(describedBy(order))
      if (life !== null && !listed.has(life.oid ?? 0)) this.#goOn(life, order.oid, at)
    }
  }

  /** The same order goes on under a new number, and the old number counts as ended. */
  #goOn(life: OrderLife, oid: number, at: Millis): OrderLife {
    const old = life.oid ?? 0
    this.families.part(old)
    this.index.ended(old, life.cloid, at)
    this.index.number(life, oid)
    if (life.shown !== null) life.shown = { ...life.shown, oid }
    return life
  }

  /** The venue shows an order open for the first time. */
  show(life: OrderLife, order: OpenOrder, at: Millis): void {
    life.shown = order
    life.shownSince = at
    life.isGone = false
    life.filledTold = { venue: null, local: at }
    this.index.opened(life)
    this.seen(life, at)
  }

  /** The venue shows it once more. */
  seen(life: OrderLife, at: Millis): void {
    life.seenAt = at
    life.missingSince = null
    this.missing.delete(life)
  }

  /** An entry is not open any more, or never was; what it may have filled is still to be told. */
  vanish(life: OrderLife, at: Millis): void {
    this.families.leave(life)
    this.missing.delete(life)
    // One without a number is still known by its id alone, should it be told of after all.
    if (life.oid !== null) this.index.closed(life)
    life.vanish(at)
    this.unsettled.add(life)
  }

  /** Its end was told: a stop's promise is over, also before its fills are told. */
  ended(life: OrderLife, at: Millis): void {
    life.seenAt = at
    const { coin, isBuy, oid, cloid, firesAt: trigger, unplayed: size } = life
    this.missing.delete(life)
    this.families.leave(life)
    this.index.closed(life)
    this.#promises?.closedBy({ coin, isLong: !isBuy, oid, cloid, trigger, size })
  }

  /** A list lacks it, and nothing has told its end. */
  lost({ oid, coin, workingStop }: OrderLife, at: Millis): void {
    if (oid !== null && workingStop !== null) this.#lostStops.set(oid, { coin, at })
  }

  /** When the last stop on a coin was lost of which nothing was told since: it may have fired; null for none. */
  stopLostAt(coin: Coin): Millis | null {
    let last: Millis | null = null
    for (const oid of this.#lostStops.keys()) {
      const stop = this.#lostStops.get(oid)
      const isBack = this.index.get(oid) !== null
      const isTold =
        isBack || this.index.endedAt(oid) !== null || this.index.playedOf(oid).isPositive()
      if (stop?.coin === coin && !isTold && (last === null || stop.at > last)) last = stop.at
    }
    return last
  }

  /** The clock was set by so much: everything keeps its age. */
  shift(ms: number): void {
    for (const life of this.lives) life.shift(ms)
    this.index.shift(ms)
    for (const oid of [...this.#lostStops.keys()]) {
      const stop = this.#lostStops.get(oid)
      if (stop !== undefined) this.#lostStops.set(oid, { ...stop, at: shifted(stop.at, ms) })
    }
  }

  /**
   * Positions that were known from before these moments had ended by then. Returns the orders of Guard's
   * own that were decided on for one of them, as far as nobody knew it yet.
   */
  outlive(ended: ReadonlyMap<Coin, number>): readonly OrderLife[] {
    return [...ended].flatMap(([coin, at]) => this.outlived.add(this.lives, coin, at))
  }

  /** Nothing more is to come of it. */
  forget(life: OrderLife): void {
    this.lives.delete(life)
    for (const each of [this.unsettled, this.missing]) each.delete(life)
    for (const each of [this.index, this.outlived]) each.forget(life)
    if (life.oid !== null) this.families.part(life.oid)
    this.families.leave(life)
    this.groups.leave(life, (each) => this.lives.has(each))
    life.ended ??= { filled: life.played, time: 0 as Millis }
    this.counts.remove(life)
  }

  /** How many orders the venue shows open, on other markets too: it counts them together. */
  get openCount(): number {
    return this.counts.open + this.onOtherMarkets
  }
  /** How many places for open orders are taken, by those in flight too. */
  get places(): number {
    return this.counts.places + this.onOtherMarkets
  }
  get coinsWithoutStop(): ReadonlySet<Coin> {
    return this.counts.coinsWithoutStop
  }
  /** Since when an order of the main dex may be gone, or an entry still to come, though only a read can tell. */
  get doubtfulSince(): number | null {
    let first = Infinity
    for (const { coin, since } of this.#doubtful()) {
      if (dexOf(coin) === '') first = Math.min(first, since)
    }
    return first === Infinity ? null : first
  }
  /** The coins, of any dex, of which that has been so from before a time on. */
  doubtfulCoins(before: number): ReadonlySet<Coin> {
    return new Set([...this.#doubtful()].flatMap(({ coin, since }) => (since < before ? coin : [])))
  }
  /**
   * The coins of which an exit or a stop was answered before a time, and of which no list was taken since:
   * it may be gone without a word, and where lists come on a change alone, none tells. With `others`.
   */
  unlistedCoins(
    before: number,
    times: Pick<SnapshotTimes, 'ordersTakenAt'>,
    others: readonly Coin[],
  ): ReadonlySet<Coin> {
    const coins = new Set<Coin>(others)
    for (const { coin, isEntry, plan, outcome, shownFrom } of this.unsettled) {
      if (isEntry || plan === null || outcome === 'pending' || shownFrom >= before) continue
      if (times.ordersTakenAt(coin) <= shownFrom) coins.add(coin)
    }
    return coins
  }
  /** Entries that the venue took by its answer, and that it has not shown yet: they may rest there. */
  *takenUnseen(): Generator<TakenEntry> {
    for (const { coin, oid, plan, state, takesPlace, answered } of this.unsettled) {
      if (plan?.kind !== 'entry' || oid === null || state !== 'told' || !takesPlace) continue
      if (plan.mayRest && answered.lt(plan.size)) yield { coin, oid }
    }
  }
  *#doubtful(): Generator<{ readonly coin: Coin; readonly since: number }> {
    for (const { coin, missingSince } of this.missing) {
      if (missingSince !== null) yield { coin, since: missingSince }
    }
    for (const { coin, isEntry, plan, outcome, shownFrom } of this.unsettled) {
      if (isEntry && plan !== null && outcome !== 'pending') yield { coin, since: shownFrom }
    }
  }

  coin(coin: Coin): CoinOrders | null {
    return this.counts.get(coin)
  }
  coins(): Iterable<Coin> {
    return this.counts.coins()
  }
  *coinsWithOrders(): Generator<Coin> {
    for (const coin of this.coins()) if (this.coin(coin)?.hasOrders === true) yield coin
  }
  extremeEntries(coin: Coin, without: readonly number[]): readonly StoppedEntry[] {
    const isLeftOut = ({ oid }: RestingEntry): boolean => oid !== null && without.includes(oid)
    return this.coin(coin)?.extremes(isLeftOut) ?? []
  }
  /** The order with this number as the venue shows it open; null when it does not. */
  open(oid: number): OpenOrder | null {
    const life = this.index.get(oid)
    return life?.isOpen === true ? life.shown : null
  }
  openBy(cloid: string): OpenOrder | null {
    return this.index.openBy(cloid)?.shown ?? null
  }
  /** Whether an order of that number or that client order id is open. */
  isOpen({ oid, cloid }: Pick<OrderLife, 'oid' | 'cloid'>): boolean {
    const isByOid = oid !== null && this.open(oid) !== null
    return isByOid || (cloid !== null && this.index.openBy(cloid) !== null)
  }
  /** The order that a cancel names: by its number, or the open one with its client order id. */
  named({ oid, cloid }: Pick<OrderLife, 'oid' | 'cloid'>): OrderLife | null {
    const life = oid === null ? null : this.index.get(oid)
    return life ?? (cloid === null ? null : this.index.openBy(cloid))
  }
  openOids(): readonly number[] {
    return [...this.lives].flatMap(({ isOpen, oid }) => (isOpen && oid !== null ? [oid] : []))
  }
  life(oid: number): OrderLife | null {
    return this.index.get(oid)
  }
  /** How the order is called that has a client order id now, on its way or open; null when none has. */
  holderOf(cloid: string): string | null {
    const holder = this.index.holderOf(cloid)
    if (holder === null) return null
    return holder.oid === null ? 'an order on its way' : `order ${holder.oid}`
  }
  /** Whether the venue may have this order open: it is followed, or may be one on its way. */
  mayBeOpen(ref: OrderRef): boolean {
    if ('oid' in ref) {
      if (this.index.get(ref.oid) !== null) return true
      if (this.index.endedAt(ref.oid) !== null) return false
      return someOf(this.unsettled, ({ oid }) => oid === null)
    }
    if (this.index.holderOf(ref.cloid) !== null) return true
    const isNamed = ({ cloid }: OrderLife): boolean => cloid === ref.cloid
    return someOf(this.unsettled, isNamed) || someOf(this.missing, isNamed)
  }
  /** An open order as the entry it is; null when it is none. */
  entryOf(oid: number): RestingEntry | null {
    return this.index.get(oid)?.restingEntry ?? null
  }
  /** Whether a coin has an entry resting without its stop, those of `without` left out. */
  hasBareEntry(coin: Coin, without: readonly number[]): boolean {
    const bare = without.filter((oid) => {
      const entry = this.entryOf(oid)
      return entry?.coin === coin && entry.stop === null
    })
    return (this.coin(coin)?.withoutStop ?? 0) > bare.length
  }
  cloidOf(oid: number): string | null {
    return this.index.cloidOf(oid)
  }
  /** The larger of what the venue said had filled and the sum of the fills; also after its end. */
  fillingOf(oid: number): Filling {
    const told = this.index.get(oid)?.toldFilled ?? Decimal.zero
    const filled = Decimal.max(told, this.index.filledOf(oid))
    return { filled, isFinal: this.index.endedAt(oid) !== null }
  }
  /**
   * Whether an order waits for the fill of its parent: as the venue lists it or, until a list has
   * it, as Guard sent it. The updates of the two may come in any order, or only one of them.
   */
  isWaiting(life: OrderLife): boolean {
    if (life.oid !== null && this.families.parentOf(life.oid) !== null) return true
    const parent = life.isListed ? null : this.groups.parentOf(life)
    return parent?.isParentDone === false
  }
  /** The number of the entry that a child waits for; null when it waits for none. */
  parentOf(oid: number): number | null {
    return this.families.parentOf(oid)
  }
  /** Also the one that it waited for until its own end. */
  lastParentOf(oid: number): number | null {
    return this.families.lastParentOf(oid)
  }

  /** Stops on their way to the venue, each with the id of the entry it was sent with. */
  stopsInFlight(coin: Coin): readonly StopInFlight[] {
    return this.#inFlight(this.unsettled.stopsOf(coin))
  }

  /** The same without Guard's own that were sent alone. */
  otherStopsInFlight(coin: Coin): readonly StopInFlight[] {
    return this.#inFlight(this.unsettled.otherStopsOf(coin))
  }

  #inFlight(stops: Iterable<OrderLife>): readonly StopInFlight[] {
    const found: StopInFlight[] = []
    for (const life of stops) {
      const stop = life.stopInFlight(this.groups.parentOf(life) ?? null)
      if (stop !== null) found.push(stop)
    }
    return found
  }

  /** Since when a close by Guard is in flight on a coin; null when none is. */
  closingSince(coin: Coin): Millis | null {
    let since: Millis | null = null
    for (const life of this.unsettled.closesOf(coin)) if (life.outlivedAt === null) since = life.at
    return since
  }
}

function someOf(lives: Iterable<OrderLife>, has: (life: OrderLife) => boolean): boolean {
  for (const life of lives) if (has(life)) return true
  return false
}
