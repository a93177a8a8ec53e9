import type { OrderRef } from '../protocol/action.ts'
import type { OpenOrder } from '../protocol/venueState.ts'
import type { Coin } from '../values/coin.ts'
import type { Cloid } from '../values/cloid.ts'
import { Decimal } from '../values/decimal.ts'
import type { Millis } from '../values/millis.ts'
import type { RestingEntry, StopInFlight, StoppedEntry, TakenEntry } from './accountView.ts'
import { BuilderQuestions } from './builderQuestions.ts'
import type { Intents } from './intents.ts'
import type { Filling, OrderRecords } from './orderRecords.ts'
import type { Struck } from './outlivedOrders.ts'
import { StopRow } from './stopRow.ts'
import type { ReservationId } from './reservation.ts'

/** What is asked of the account's orders and of what is on its way, answered from the records alone. */
export abstract class OrderQuestions extends BuilderQuestions {
  protected abstract readonly records: OrderRecords
  protected abstract readonly intents: Intents

  /** The coins of orders, cancels, leverages and margin on their way; several times where several are. */
  coinsInFlight(): readonly Coin[] {
    return [...Array.from(this.records.unsettled, ({ coin }) => coin), ...this.intents.coins()]
  }
  leveragesInFlight(coin: Coin): readonly ReservationId[] {
    return this.intents.leveragesOf(coin)
  }
  /** Since when a cancel of an order is in flight; null when none is. */
  cancellingSince(oid: number): Millis | null {
    return this.intents.cancellingSince({ oid, cloid: this.records.open(oid)?.cloid ?? null })
  }
  marginInFlight(coin: Coin): Decimal {
    return this.intents.marginOf(coin)
  }

  /** Since when an entry of the main dex may be gone or still to come, though only a read can tell. */
  get doubtfulSince(): number | null {
    return this.records.doubtfulSince
  }
  /** The coins of which that has been so from before a time on. */
  doubtfulCoins(before: number): ReadonlySet<Coin> {
    return this.records.doubtfulCoins(before)
  }

  /** How many open orders are on spot pairs and other markets that no perp is on. */
  get onOtherMarkets(): number {
    return this.records.onOtherMarkets
  }
  get orderCount(): number {
    return this.records.places
  }
  get openOrderCount(): number {
    return this.records.openCount
  }
  order(ref: OrderRef): OpenOrder | null {
    if ('oid' in ref) return this.records.open(ref.oid)
    return this.records.openBy(this.idOf(ref.cloid))
  }
  cloidOf(oid: number): string | null {
    return this.records.cloidOf(oid)
  }
  mayBeOpen(ref: OrderRef): boolean {
    if ('oid' in ref) return this.records.mayBeOpen(ref)
    return this.records.mayBeOpen({ cloid: this.idOf(ref.cloid) })
  }
  holderOf(cloid: string): string | null {
    return this.records.holderOf(this.idOf(cloid))
  }
  idOf(name: string): Cloid {
    const id = this.records.index.names.idOf(name) ?? name
    // Once its order is gone, the one that was to be replaced may rest all the same.
    const isGone = this.records.holderOf(id) === null && this.records.holderOf(name) !== null
    return (isGone ? name : id) as Cloid
  }
  /** How a bot calls the order that Guard gave this id; null where it has no name for it. */
  nameOf(id: string): string | null {
    return this.records.index.names.nameOf(id)
  }
  fillingOf(oid: number): Filling {
    return this.records.fillingOf(oid)
  }
  parentOf(oid: number): number | null {
    return this.records.open(oid) === null ? null : this.records.parentOf(oid)
  }
  ordersOf(coin: Coin): readonly OpenOrder[] {
    return this.records.coin(coin)?.orders ?? []
  }
  coinsWithOrders(): Iterable<Coin> {
    return this.records.coinsWithOrders()
  }
  takenUnseen(): Iterable<TakenEntry> {
    return this.records.takenUnseen()
  }
  restingEntries(coin: Coin): readonly RestingEntry[] {
    return this.records.coin(coin)?.entries ?? []
  }
  hasUnconfirmedEntry(coin: Coin): boolean {
    return (this.records.coin(coin)?.unconfirmed ?? 0) > 0
  }
  entryOf(oid: number): RestingEntry | null {
    return this.records.entryOf(oid)
  }
  hasBareEntry(coin: Coin, without: readonly number[]): boolean {
    return this.records.hasBareEntry(coin, without)
  }
  extremeEntries(coin: Coin, without: readonly number[]): readonly StoppedEntry[] {
    return this.records.extremeEntries(coin, without)
  }
  hasEntryInFlight(coin: Coin): boolean {
    return (this.records.coin(coin)?.inFlight ?? 0) > 0
  }
  filledUntold(coin: Coin): Decimal {
    return this.records.coin(coin)?.untold ?? Decimal.zero
  }
  stopsInFlight(coin: Coin): readonly StopInFlight[] {
    return this.records.stopsInFlight(coin)
  }
  ownStopsInFlight(coin: Coin, isLong: boolean): StopRow {
    return this.records.coin(coin)?.flyingStops(isLong) ?? new StopRow(isLong)
  }
  outlivedStops(coin: Coin): readonly number[] {
    return this.records.outlived.openOn(coin)
  }
  /** What Guard's orders have closed, since this was asked last, of positions opened after theirs had ended. */
  takeStruck(): readonly Struck[] {
    return this.records.outlived.takeStruck()
  }
  otherStopsInFlight(coin: Coin): readonly StopInFlight[] {
    return this.records.otherStopsInFlight(coin)
  }
  /** Since when the end of an order that closes is known, and its fills are still to be told. */
  endedSince(coin: Coin, isLong: boolean): Millis | null {
    return this.records.coin(coin)?.endedSince(isLong) ?? null
  }
  /** When the last stop on a coin was lost of which nothing was told since: it may have fired; null for none. */
  stopLostAt(coin: Coin): Millis | null {
    return this.records.stopLostAt(coin)
  }
  closingSince(coin: Coin): Millis | null {
    return this.records.closingSince(coin)
  }
}
