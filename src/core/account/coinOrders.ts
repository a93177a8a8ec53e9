import type { OpenOrder } from '../protocol/venueState.ts'
import { Decimal } from '../values/decimal.ts'
import type { Millis } from '../values/millis.ts'
import type { RestingEntry, StoppedEntry } from './accountView.ts'
import { CoinStops } from './coinStops.ts'
import type { Stop } from './stop.ts'
import { EntrySide } from './entrySide.ts'
import { leastWorth } from './worstLoss.ts'
import type { CountedEntry } from './entrySide.ts'
import { FlyingStops } from './flyingStops.ts'
import type { OrderLife } from './orderLife.ts'
import type { Lent } from './coveringStops.ts'
import { beyondStop, lossPerUnit } from './stopLoss.ts'
import type { StopRow } from './stopRow.ts'
import type { PromisedStop } from './stopPromise.ts'
import type { TwapLife } from './twapLife.ts'

/** What one order adds to its coin; kept so that it can be taken out again exactly. */
interface Counted {
  readonly isBuy: boolean
  readonly isEntry: boolean
  readonly order: OpenOrder | null
  readonly entries: readonly CountedEntry[]
  /** What it has filled, though the position does not show it: only orders that ended. */
  readonly late: Decimal
  /** The same of every order, also by the answer to its action; negative when it sells. */
  readonly untold: Decimal
}

/** Entries of a side that have a stop: what they are worth at their limits, and lose at their stops. */
interface Stopped {
  readonly worth: Decimal
  readonly loss: Decimal
}

const nothingLost: Stopped = { worth: Decimal.zero, loss: Decimal.zero }

/**
 * What all orders of one coin may still do at their worst, in sums that are kept as orders change:
 * the one place where they are summed. No question walks through the orders.
 */
export class CoinOrders {
  readonly #counted = new Map<OrderLife | TwapLife, Counted>()
  readonly #orders = new Map<number, OpenOrder>()
  readonly #entries = new Map<number, RestingEntry>()
  readonly #buys = new EntrySide()
  readonly #sells = new EntrySide()
  /** Of both sides, those that wait for a trigger. */
  readonly #waiting = new EntrySide()
  readonly #stops = new CoinStops()
  readonly #flying = new FlyingStops()
  #nextId = 0
  #orderList: readonly OpenOrder[] | null = null
  #risk = Decimal.zero
  /** Kept from when it is first asked for: coins of the main dex never ask. */
  #stopped: { readonly long: Stopped; readonly short: Stopped } | null = null
  #withoutStop = 0
  #unconfirmed = 0
  #inFlight = 0
  #inFlightValue = Decimal.zero
  #lateBuys = Decimal.zero
  #lateSells = Decimal.zero
  /** Which orders those are, entries among them. */
  readonly #late = new Map<OrderLife | TwapLife, OrderLife>()
  #untold = Decimal.zero
  /** The same of entries alone, by side: how much they have bought, and sold, in units of the coin. */
  #untoldBuys = Decimal.zero
  #untoldSells = Decimal.zero

  get isEmpty(): boolean {
    return this.#counted.size === 0 && this.#flying.isEmpty
  }
  get hasOrders(): boolean {
    return this.#orders.size > 0
  }
  /** USD at risk if every entry fills at its limit and is stopped out. */
  entryRisk(gap: Decimal | null): Decimal {
    if (gap === null) return this.#risk
    if (this.#stopped === null) {
      this.#stopped = { long: nothingLost, short: nothingLost }
      for (const entry of this.#entries.values()) this.#countStopped(entry, 1)
    }
    const { long, short } = this.#stopped
    const ofLongs = beyondStop(true, long.worth, long.loss, gap)
    return ofLongs.plus(beyondStop(false, short.worth, short.loss, gap))
  }
  /** How many entries rest without their stop. */
  get withoutStop(): number {
    return this.#withoutStop
  }
  /** How many entries no list has shown with their children. */
  get unconfirmed(): number {
    return this.#unconfirmed
  }
  /** How many entries are on their way, in whole or in part. */
  get inFlight(): number {
    return this.#inFlight
  }
  /** USD of the entries that the venue holds no margin for: on their way, or waiting for a trigger. */
  get inFlightValue(): Decimal {
    return this.#inFlightValue
  }
  /** What was filled by all that was answered and the position does not show; negative when sold. */
  get untold(): Decimal {
    return this.#untold
  }
  get orders(): readonly OpenOrder[] {
    this.#orderList ??= [...this.#orders.values()]
    return this.#orderList
  }
  get entries(): readonly RestingEntry[] {
    return [...this.#entries.values()]
  }

  /** USD that the entries of a side are worth when filled: at the higher of limit and mid. */
  valueAt(isBuy: boolean, mid: Decimal | null): Decimal {
    return (isBuy ? this.#buys : this.#sells).valueAt(mid)
  }

  /** How much the entries of a side come to, in units of the coin. */
  sizeOf(isBuy: boolean): Decimal {
    return (isBuy ? this.#buys : this.#sells).size
  }

  /** USD that the entries which wait for a trigger are worth when they are filled. */
  waitingAt(price: Decimal | null): Decimal {
    return this.#waiting.valueAt(price)
  }

  /** USD that the entries of a side lose when they are filled and their stops fill at their worst. */
  lossAt(isBuy: boolean, mid: Decimal | null): Decimal {
    return (isBuy ? this.#buys : this.#sells).lossAt(mid)
  }

  extremes(isLeftOut: (entry: RestingEntry) => boolean): readonly StoppedEntry[] {
    return [...this.#buys.extremes(isLeftOut), ...this.#sells.extremes(isLeftOut)]
  }

  /** Guard's own on their way for a long or a short position, each sent alone. */
  flyingStops(isLong: boolean): StopRow {
    return this.#flying.row(isLong)
  }

  /** The working stops of a long or of a short position. */
  stops(isLong: boolean): StopRow {
    return this.#stops.row(isLong)
  }

  /** How much of those stops may belong to fills that the position does not show, in units of the coin. */
  earlyStops(isLong: boolean): Decimal {
    return this.#stops.early(isLong)
  }

  /** The same as what is promised for those fills, stop by stop. */
  earlyPromises(isLong: boolean): readonly PromisedStop[] {
    return this.#stops.earlyPromises(isLong)
  }

  /**
   * How much of those stops may cover something else than what is held: such fills, and all that
   * entries may still fill. An entry's own stop works only once all of the entry is filled: a part of
   * it is covered by whatever stop the position has to spare.
   */
  lentStops(isLong: boolean): Lent {
    const entries = this.sizeOf(isLong)
    const unexplained = this.#stops.unexplained(isLong)
    return { lent: Decimal.max(this.earlyStops(isLong), entries.plus(unexplained)), unexplained }
  }

  /** A state of the positions was taken then; whether anything counts otherwise by it. */
  stateTaken(at: number): boolean {
    return this.#stops.stateTaken(at)
  }

  /**
   * What is left of a position's signed size, without a sign, once all fills that were told have come.
   * A close may have closed what an entry has filled meanwhile, and nothing of what is shown.
   */
  withLateFills(size: Decimal): Decimal {
    const isLong = size.isPositive()
    const late = isLong ? this.#lateSells : this.#lateBuys
    const entered = isLong ? this.#untoldBuys : this.#untoldSells
    const closed = Decimal.max(late.minus(entered), Decimal.zero)
    return Decimal.max(size.abs().minus(closed), Decimal.zero)
  }

  /**
   * Since when the end of an order that closes a long position, or a short one, is known while its fills are
   * still to be told; null where there is none.
   */
  endedSince(isLong: boolean): Millis | null {
    let since: Millis | null = null
    for (const { isBuy, seenAt } of this.#late.values()) {
      if (isBuy !== isLong && (since === null || seenAt < since)) since = seenAt
    }
    return since
  }

  /**
   * Counts an order as it is now, in place of what it was; only an open one is a `stop`. The last state
   * of the positions was taken at `stateTakenAt`.
   */
  put(life: OrderLife, stop: Stop | null, stateTakenAt: number): void {
    this.remove(life)
    this.#flying.put(life)
    const entries = life.entries().map((entry) => this.#asCounted(entry))
    const order = life.isOpen ? life.shown : null
    const late = life.ended === null ? Decimal.zero : life.unplayed
    const untold = life.isBuy ? life.untold : life.untold.negated()
    if (order === null && entries.length === 0 && untold.isZero()) return
    if (late.isPositive()) this.#late.set(life, life)
    const counted = { isBuy: life.isBuy, isEntry: life.isEntry, order, entries, late, untold }
    this.#counted.set(life, counted)
    this.#count(counted, 1)
    if (order !== null) {
      this.#orders.set(order.oid, order)
      this.#orderList = null
    }
    if (stop !== null) this.#stops.add(life, stop, stateTakenAt)
    if (entries.length === 0) return
    const sizes = entries.map(({ entry }) => entry.size)
    this.#stops.count(
      life,
      sizes.reduce((sum, size) => sum.plus(size)),
    )
  }

  /** Counts what a TWAP may still open, in place of what it counted as. */
  putTwap(life: TwapLife, entry: RestingEntry | null): void {
    this.remove(life)
    if (entry === null) return
    const entries = [this.#asCounted(entry)]
    const { isBuy } = entry
    const nothing = { late: Decimal.zero, untold: Decimal.zero }
    const counted = { isBuy, isEntry: true, order: null, entries, ...nothing }
    this.#counted.set(life, counted)
    this.#count(counted, 1)
  }

  #asCounted(entry: RestingEntry): CountedEntry {
    this.#nextId += 1
    return { id: this.#nextId, entry, value: entry.size.times(leastWorth(entry)) }
  }

  remove(life: OrderLife | TwapLife): void {
    this.#flying.remove(life)
    const counted = this.#counted.get(life)
    if (counted === undefined) return
    this.#counted.delete(life)
    this.#late.delete(life)
    this.#count(counted, -1)
    const { order } = counted
    if (order !== null) {
      this.#orders.delete(order.oid)
      this.#orderList = null
    }
    this.#stops.forget(life)
  }

  #count({ isBuy, isEntry, entries, late, untold }: Counted, sign: 1 | -1): void {
    for (const counted of entries) this.#countEntry(counted, sign)
    const signed = (size: Decimal): Decimal => (sign === 1 ? size : size.negated())
    this.#untold = this.#untold.plus(signed(untold))
    if (isBuy) {
      this.#lateBuys = this.#lateBuys.plus(signed(late))
      if (isEntry) this.#untoldBuys = this.#untoldBuys.plus(signed(untold.abs()))
    } else {
      this.#lateSells = this.#lateSells.plus(signed(late))
      if (isEntry) this.#untoldSells = this.#untoldSells.plus(signed(untold.abs()))
    }
  }

  #countInFlight({ value, entry }: CountedEntry, sign: 1 | -1): void {
    if (entry.oid === null) this.#inFlight += sign
    this.#inFlightValue = this.#inFlightValue.plus(sign === 1 ? value : value.negated())
  }

  #countStopped({ isBuy, size, price, stop }: RestingEntry, sign: 1 | -1): void {
    if (this.#stopped === null || stop === null) return
    const { worth, loss } = isBuy ? this.#stopped.long : this.#stopped.short
    const signed = sign === 1 ? size : size.negated()
    const changed = {
      worth: worth.plus(signed.times(price)),
      loss: loss.plus(signed.times(lossPerUnit(isBuy, price, stop, null))),
    }
    this.#stopped = { ...this.#stopped, [isBuy ? 'long' : 'short']: changed }
  }

  #countEntry(counted: CountedEntry, sign: 1 | -1): void {
    const { entry } = counted
    const side = entry.isBuy ? this.#buys : this.#sells
    if (sign === 1) side.add(counted)
    else side.remove(counted)
    if (sign === 1) this.#entries.set(counted.id, entry)
    else this.#entries.delete(counted.id)
    if (!entry.isConfirmed) this.#unconfirmed += sign
    const { needsGuard = false, hasNotFired = false } = entry.watched ?? {}
    if (needsGuard && sign === 1) this.#waiting.add(counted)
    else if (needsGuard) this.#waiting.remove(counted)
    if (entry.oid === null || hasNotFired) this.#countInFlight(counted, sign)
    if (entry.stop === null) {
      this.#withoutStop += sign
      return
    }
    this.#countStopped(entry, sign)
    const risk = entry.size.times(lossPerUnit(entry.isBuy, entry.price, entry.stop, null))
    this.#risk = sign === 1 ? this.#risk.plus(risk) : this.#risk.minus(risk)
  }
}
