import { guardCloidKind } from '../protocol/guardCloid.ts'
import type { Leverage } from '../protocol/venueState.ts'
import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { limits } from '../values/limits.ts'
import { shifted } from '../values/millis.ts'
import type { Millis } from '../values/millis.ts'
import type { Source } from './accountEvent.ts'
import type { StopInFlight } from './accountView.ts'
import type { SentOrder } from './orderBook.ts'
import type { Reservation, ReservationId, Settlement } from './reservation.ts'

export type EntryReservation = Extract<Reservation, { kind: 'entry' }>

/** What of the open orders a reservation looks at. */
export interface OrderLookup {
  live(cloid: string): LiveOrder | null
  isOpen(oid: number | null, cloid: string | null): boolean
}

/** How the venue calls an order, beside the id that Guard sent with it. */
interface OrderIds {
  readonly cloid: string
  readonly oid: number
}

/** An open order: its sizes, and whether a snapshot listed it with its children. */
interface LiveOrder {
  readonly oid: number
  readonly size: Decimal
  readonly originalSize: Decimal
  readonly isConfirmed: boolean
}

/** An action without a reply may still arrive for this long. */
const mayArriveMs = 2 * limits.expiresAfterMsMax

interface Holding {
  readonly id: ReservationId
  at: Millis
  /** The id of the entry that a stop was sent with; null for anything else. */
  readonly parent: string | null
  /** The order that had its id when it was reserved, and makes way for it; nothing of that is its. */
  readonly replaced: number | null
  readonly item: Reservation
  outcome: 'pending' | 'accepted' | 'unknown'
  /** From here on a snapshot shows what became of it. */
  shownFrom: number
  filled: Decimal
  /** How much the venue says was filled when the order ended, by its clock; null while it may live. */
  ended: { readonly filled: Decimal; readonly time: Millis } | null
}

/**
 * Everything in flight, each at its worst case. An entry is let go only once its effect is in the
 * confirmed account: the order listed with its children, its fills played, or a later snapshot.
 */
export class Reservations {
  readonly #orders: OrderLookup
  readonly #onChange: (coin: Coin | null) => void
  readonly #byId = new Map<ReservationId, Set<Holding>>()
  readonly #byCloid = new Map<string, Holding>()
  readonly #byCoin = new Map<Coin, Set<Holding>>()
  readonly #cancels = new Set<Holding>()
  readonly #all = new Set<Holding>()
  /** The venue's time of the last state. */
  #stateTime = 0
  #stateTakenAt = 0
  #ordersTakenAt = 0
  #ordersReadAt = 0

  constructor(orders: OrderLookup, onChange: (coin: Coin | null) => void) {
    this.#orders = orders
    this.#onChange = onChange
  }

  get count(): number {
    return this.#all.size
  }

  coins(): Iterable<Coin> {
    return this.#byCoin.keys()
  }

  reserve(id: ReservationId, items: readonly Reservation[], at: Millis): void {
    const group = this.#byId.get(id) ?? new Set()
    this.#byId.set(id, group)
    for (const item of items) {
      this.#hold(group, id, item, at, null)
      if (item.kind !== 'entry' || item.stopCloid === null) continue
      const { coin, size, stop: trigger, stopCloid: cloid } = item
      const stop = { kind: 'stop', coin, isBuy: !item.isBuy, trigger, size, cloid } as const
      this.#hold(group, id, stop, at, item.cloid)
    }
  }

  #hold(
    group: Set<Holding>,
    id: ReservationId,
    item: Reservation,
    at: Millis,
    parent: string | null,
  ): void {
    const shownFrom = at + mayArriveMs
    const filled = Decimal.zero
    const outcome = 'pending'
    const cloid = item.kind === 'cancel' || !('cloid' in item) ? null : item.cloid
    const replaced = cloid === null ? null : (this.#orders.live(cloid)?.oid ?? null)
    const holding: Holding = {
      ...{ id, at, parent, replaced, item, outcome, shownFrom, filled },
      ended: null,
    }
    group.add(holding)
    this.#all.add(holding)
    if (item.kind === 'cancel') this.#cancels.add(holding)
    if (cloid !== null) this.#byCloid.set(cloid, holding)
    if (item.coin !== null) {
      const ofCoin = this.#byCoin.get(item.coin) ?? new Set()
      this.#byCoin.set(item.coin, ofCoin.add(holding))
    }
    this.#onChange(item.coin)
  }

  /** Returns the leverage settings that the reply confirmed. */
  settle(
    id: ReservationId,
    settlement: Settlement,
    at: Millis,
  ): readonly { coin: Coin; leverage: Leverage }[] {
    return this.#settleAll([...(this.#byId.get(id) ?? [])], settlement, at)
  }

  /** What a reply said of one order of an action. */
  settleOrder(cloid: string, settlement: Settlement, at: Millis): void {
    const holding = this.#byCloid.get(cloid)
    if (holding !== undefined) this.#settleAll([holding], settlement, at)
  }

  #settleAll(
    holdings: readonly Holding[],
    settlement: Settlement,
    at: Millis,
  ): readonly { coin: Coin; leverage: Leverage }[] {
    const confirmed: { coin: Coin; leverage: Leverage }[] = []
    for (const holding of holdings) {
      const { item } = holding
      if (settlement.outcome === 'refused') {
        this.#release(holding)
        continue
      }
      holding.outcome = settlement.outcome
      holding.shownFrom = settlement.outcome === 'accepted' ? at : at + limits.expiresAfterMsMax
      if (settlement.outcome !== 'accepted') continue
      if (item.kind === 'leverage') {
        confirmed.push({ coin: item.coin, leverage: item.leverage })
        this.#release(holding)
      } else {
        this.#review(holding)
      }
    }
    return confirmed
  }

  /** A fill of an order that is in flight. */
  applyFill({ cloid, oid }: OrderIds, size: Decimal): void {
    const holding = this.#byCloid.get(cloid)
    if (holding === undefined || holding.replaced === oid) return
    holding.filled = holding.filled.plus(size)
    this.#review(holding)
  }

  /** The order came to an end, this much of it filled. */
  applyEnd({ cloid, oid }: OrderIds, filled: Decimal, time: Millis): void {
    const holding = this.#byCloid.get(cloid)
    if (holding === undefined || holding.replaced === oid) return
    holding.ended = { filled, time }
    this.#review(holding)
  }

  /** The order appeared among the open ones. */
  applySeen(cloid: string): void {
    const holding = this.#byCloid.get(cloid)
    if (holding !== undefined) this.#review(holding)
  }

  /**
   * A list of orders that was taken at or after `takenAt` is now in the account. That is certain
   * only when it was read: the stream does not date what it sends.
   */
  applyOrders(source: Source, takenAt: number): void {
    this.#ordersTakenAt = Math.max(this.#ordersTakenAt, takenAt)
    if (source === 'read') this.#ordersReadAt = Math.max(this.#ordersReadAt, takenAt)
    this.#reviewAll()
  }

  #reviewAll(): void {
    for (const holding of [...this.#all]) this.#review(holding)
  }

  /** A state of this moment of the venue is now in the account. */
  applyState(time: Millis, takenAt: number): void {
    this.#stateTime = Math.max(this.#stateTime, time)
    this.#stateTakenAt = Math.max(this.#stateTakenAt, takenAt)
    this.#reviewAll()
  }

  /** The clock was set by so much. */
  shift(ms: number): void {
    // Set ahead, earlier snapshots stay where they are: they show nothing of what comes.
    this.#stateTakenAt += Math.min(ms, 0)
    this.#ordersTakenAt += Math.min(ms, 0)
    this.#ordersReadAt += Math.min(ms, 0)
    for (const holding of this.#all) {
      holding.at = shifted(holding.at, ms)
      holding.shownFrom += ms
    }
  }

  /** Since when an entry should have been shown, and was not. */
  get unshownSince(): number | null {
    let since = Infinity
    for (const { item, outcome, shownFrom } of this.#all) {
      if (item.kind === 'entry' && outcome !== 'pending') since = Math.min(since, shownFrom)
    }
    return since === Infinity ? null : since
  }

  /** Order events may have ended what a cancel asked for. */
  reviewCancels(): void {
    for (const holding of [...this.#cancels]) this.#review(holding)
  }

  /** Entries in flight on a coin, with the size that the confirmed account does not show yet. */
  entries(coin: Coin): readonly { item: EntryReservation; size: Decimal }[] {
    const entries: { item: EntryReservation; size: Decimal }[] = []
    for (const holding of this.#byCoin.get(coin) ?? []) {
      if (holding.item.kind !== 'entry') continue
      const size = this.#unseen(holding, holding.item)
      if (size.isPositive()) entries.push({ item: holding.item, size })
    }
    return entries
  }

  stops(coin: Coin): readonly StopInFlight[] {
    const stops: StopInFlight[] = []
    for (const { item, parent, outcome } of this.#byCoin.get(coin) ?? []) {
      if (item.kind !== 'stop') continue
      const { cloid, isBuy, trigger, size } = item
      const owner = guardCloidKind(cloid) === 'stop' ? 'guard' : 'bot'
      const isAccepted = outcome === 'accepted'
      stops.push({ cloid, owner, parent, isAccepted, isBuy, trigger, size })
    }
    return stops
  }

  closingSince(coin: Coin): Millis | null {
    let since: Millis | null = null
    for (const { item, at } of this.#byCoin.get(coin) ?? []) {
      if (item.kind === 'reduce' && guardCloidKind(item.cloid) === 'close') since = at
    }
    return since
  }

  /** Since when a cancel of the order with either of these ids is in flight. */
  cancellingSince(oid: number | null, cloid: string | null): Millis | null {
    for (const { item, at } of this.#cancels) {
      if (item.kind !== 'cancel') continue
      if (item.oid !== null && item.oid === oid) return at
      if (item.cloid !== null && item.cloid === cloid) return at
    }
    return null
  }

  leverageInFlight(coin: Coin): Leverage | null {
    let last: Leverage | null = null
    for (const { item } of this.#byCoin.get(coin) ?? []) {
      if (item.kind === 'leverage') last = item.leverage
    }
    return last
  }

  /** What was sent under a client order id; null when it is not in flight. */
  sent(cloid: string | null): SentOrder | null {
    const holding = cloid === null ? undefined : this.#byCloid.get(cloid)
    const item = holding?.item
    if (holding !== undefined && item?.kind === 'stop') {
      return { entryStop: null, trigger: marketStop(item.trigger), kin: holding.parent }
    }
    if (item?.kind !== 'entry') return null
    return { entryStop: item.stop, trigger: null, kin: item.stopCloid }
  }

  /** The part of an entry that neither rests visibly nor was filled visibly. */
  #unseen(holding: Holding, item: EntryReservation): Decimal {
    const live = this.#live(holding, item.cloid)
    const whole =
      holding.ended?.filled ?? (live === null ? item.size : live.originalSize.minus(live.size))
    const left = whole.minus(holding.filled)
    return left.isNegative() ? Decimal.zero : left
  }

  #review(holding: Holding): void {
    if (this.#isShown(holding)) this.#release(holding)
    else this.#onChange(holding.item.coin)
  }

  #isShown(holding: Holding): boolean {
    const { item, shownFrom } = holding
    const inState = this.#stateTakenAt > shownFrom
    const inOrders = this.#ordersTakenAt > shownFrom
    switch (item.kind) {
      case 'entry': {
        if (inState && this.#ordersReadAt > shownFrom) return true
        if (holding.filled.gte(item.size)) return true
        if (holding.ended !== null) return this.#isEndShown(holding, holding.ended)
        const live = this.#live(holding, item.cloid)
        return live !== null && live.isConfirmed && this.#unseen(holding, item).isZero()
      }
      case 'reduce':
        if (item.cloid === null) return holding.outcome === 'accepted' || (inState && inOrders)
        if (holding.filled.gte(item.size)) return true
        // It may end before its fills are told: until then the position only seems to be there.
        if (holding.ended !== null) return this.#isEndShown(holding, holding.ended)
        return (inState && inOrders) || this.#live(holding, item.cloid) !== null
      case 'stop':
        if (holding.ended !== null || inOrders) return true
        return this.#live(holding, item.cloid) !== null
      case 'cancel':
        return inOrders || (holding.outcome !== 'pending' && !this.#isTargetOpen(item))
      case 'leverage':
        return inState && inOrders
    }
  }

  /** Both moments are the venue's: however late its messages are, a state shows what was before it. */
  #isEndShown({ filled }: Holding, ended: NonNullable<Holding['ended']>): boolean {
    return filled.gte(ended.filled) || this.#stateTime > ended.time
  }

  #live({ replaced }: Holding, cloid: string): LiveOrder | null {
    const live = this.#orders.live(cloid)
    return live === null || live.oid === replaced ? null : live
  }

  #isTargetOpen(item: { readonly oid: number | null; readonly cloid: string | null }): boolean {
    return this.#orders.isOpen(item.oid, item.cloid)
  }

  #release(holding: Holding): void {
    const { item, id } = holding
    this.#all.delete(holding)
    this.#cancels.delete(holding)
    for (const cloid of cloidsOf(item)) {
      if (this.#byCloid.get(cloid) === holding) this.#byCloid.delete(cloid)
    }
    const group = this.#byId.get(id)
    group?.delete(holding)
    if (group?.size === 0) this.#byId.delete(id)
    if (item.coin !== null) {
      const ofCoin = this.#byCoin.get(item.coin)
      ofCoin?.delete(holding)
      if (ofCoin?.size === 0) this.#byCoin.delete(item.coin)
    }
    this.#onChange(item.coin)
  }
}

/** The ids under which the venue will show a reservation's orders. */
export function cloidsOf(item: Reservation): readonly string[] {
  switch (item.kind) {
    case 'entry':
      return item.stopCloid === null ? [item.cloid] : [item.cloid, item.stopCloid]
    case 'reduce':
      return item.cloid === null ? [] : [item.cloid]
    case 'stop':
      return [item.cloid]
    case 'cancel':
    case 'leverage':
      return []
  }
}

function marketStop(price: Decimal): { price: Decimal; isMarket: true; tpsl: 'sl' } {
  return { price, isMarket: true, tpsl: 'sl' }
}
