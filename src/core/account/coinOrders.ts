import type { OpenOrder } from '../protocol/venueState.ts'
import { Decimal } from '../values/decimal.ts'
import type { RestingEntry, Stop } from './accountView.ts'
import { lossPerUnit } from './cover.ts'
import { EntryExtremes } from './entryExtremes.ts'

/** One coin's open orders with running sums, so that no question has to walk them. */
export class CoinOrders {
  readonly #orders = new Map<number, OpenOrder>()
  readonly #entries = new Map<number, RestingEntry>()
  readonly #stops = new Map<number, Stop>()
  #orderList: readonly OpenOrder[] | null = null
  #entryList: readonly RestingEntry[] | null = null
  #extremes: EntryExtremes | null = null
  #risk = Decimal.zero
  #buyValue = Decimal.zero
  #sellValue = Decimal.zero
  #withoutStop = 0

  get isEmpty(): boolean {
    return this.#orders.size === 0
  }
  get entryRisk(): Decimal {
    return this.#risk
  }
  get entryValue(): Decimal {
    return this.#buyValue.plus(this.#sellValue)
  }
  /** How many entries rest without their stop. */
  get withoutStop(): number {
    return this.#withoutStop
  }
  get stops(): readonly Stop[] {
    return [...this.#stops.values()]
  }
  get orders(): readonly OpenOrder[] {
    this.#orderList ??= [...this.#orders.values()]
    return this.#orderList
  }
  get entries(): readonly RestingEntry[] {
    this.#entryList ??= [...this.#entries.values()]
    return this.#entryList
  }
  /** Found anew only when one of them has gone. */
  get extremeEntries(): readonly RestingEntry[] {
    if (this.#extremes === null) {
      this.#extremes = new EntryExtremes()
      for (const entry of this.#entries.values()) this.#extremes.add(entry)
    }
    return this.#extremes.list()
  }
  valueOf(isBuy: boolean): Decimal {
    return isBuy ? this.#buyValue : this.#sellValue
  }

  put(order: OpenOrder, entry: RestingEntry | null, stop: Stop | null): void {
    this.remove(order.oid)
    this.#orders.set(order.oid, order)
    if (stop !== null) this.#stops.set(order.oid, stop)
    if (entry === null) return
    this.#entries.set(order.oid, entry)
    this.#extremes?.add(entry)
    this.#count(entry, 1)
  }

  remove(oid: number): void {
    this.#orderList = null
    this.#orders.delete(oid)
    this.#stops.delete(oid)
    const entry = this.#entries.get(oid)
    if (entry === undefined) return
    this.#entryList = null
    this.#entries.delete(oid)
    if (this.#extremes?.has(entry) === true) this.#extremes = null
    this.#count(entry, -1)
  }

  #count(entry: RestingEntry, sign: 1 | -1): void {
    this.#entryList = null
    const times = Decimal.whole(sign)
    const value = entry.size.times(entry.price).times(times)
    if (entry.isBuy) this.#buyValue = this.#buyValue.plus(value)
    else this.#sellValue = this.#sellValue.plus(value)
    if (entry.stop === null) {
      this.#withoutStop += sign
      return
    }
    const loss = lossPerUnit(entry.isBuy, entry.price, entry.stop)
    this.#risk = this.#risk.plus(entry.size.times(loss).times(times))
  }
}
