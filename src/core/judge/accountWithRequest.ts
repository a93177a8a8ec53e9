import type { AccountView, Exposure, StoppedEntry } from '../account/accountView.ts'
import { lossPerUnit } from '../account/stopRow.ts'
import type { OpenOrder } from '../protocol/venueState.ts'
import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'

/** An entry of this request that was found good: the ones after it see it as reserved. */
export interface RequestedEntry {
  readonly coin: Coin
  readonly isBuy: boolean
  readonly size: Decimal
  readonly price: Decimal
  readonly stop: Decimal
  readonly orderCount: number
  /** The isolated leverage the coin will have. */
  readonly leverage: number
}

/**
 * The account with this request's own effects on top: entries judged before count as reserved, and
 * resting entries that the request replaces count as gone.
 */
export class AccountWithRequest {
  readonly account: AccountView
  private exposed: Exposure | null = null
  private risk = Decimal.zero
  private value = Decimal.zero
  private readonly sides = new Map<string, Decimal>()
  private readonly drafted: RequestedEntry[] = []
  private readonly removed: number[] = []
  private readonly leverages = new Map<Coin, number>()
  private orders = 0

  constructor(account: AccountView) {
    this.account = account
  }

  private exposure(): Exposure {
    this.exposed ??= this.account.exposure()
    return this.exposed
  }

  get openRisk(): Decimal {
    return this.exposure().openRisk.plus(this.risk)
  }

  get openValue(): Decimal {
    return this.exposure().openValue.plus(this.value)
  }

  get uncoveredPositions(): readonly Coin[] {
    return this.exposure().uncoveredPositions
  }

  /** Coins with an entry resting without its stop, those that this request replaces left out. */
  get uncoveredOrders(): readonly Coin[] {
    const { uncoveredOrders } = this.exposure()
    return uncoveredOrders.filter((coin) => this.account.hasBareEntry(coin, this.removed))
  }

  get orderCount(): number {
    return this.account.orderCount + this.orders
  }

  get entryCount(): number {
    return this.drafted.length
  }

  sideValue(coin: Coin, isBuy: boolean): Decimal {
    const own = this.sides.get(sideKey(coin, isBuy)) ?? Decimal.zero
    return this.account.coinExposure(coin, isBuy).sideValue.plus(own)
  }

  private own(coin: Coin): readonly StoppedEntry[] {
    return this.drafted.filter((entry) => entry.coin === coin).map(asResting)
  }

  /** The entries that decide what leverage all of a coin bear, with those this request places. */
  extremeEntries(coin: Coin): readonly StoppedEntry[] {
    return [...this.account.extremeEntries(coin, this.removed), ...this.own(coin)]
  }

  /** The leverage this request already gives the coin; null when it gives none. */
  plannedLeverage(coin: Coin): number | null {
    return this.leverages.get(coin) ?? null
  }

  /** An entry that was found good; it counts from now on as it will once it is reserved. */
  add(entry: RequestedEntry, mid: Decimal): void {
    const { coin, isBuy, size, price, stop } = entry
    this.drafted.push(entry)
    this.orders += entry.orderCount
    this.leverages.set(coin, entry.leverage)
    this.risk = this.risk.plus(size.times(lossPerUnit(isBuy, price, stop)))
    this.addValue(coin, isBuy, size.times(Decimal.max(price, mid)))
  }

  /** An order that only reduces and can stay open. */
  addResting(): void {
    this.orders += 1
  }

  /** Takes an open order out: as the entry that it may be, and with the children that go with it. */
  remove(order: OpenOrder): void {
    this.removed.push(order.oid)
    this.orders -= 1 + order.children.length
    const entry = this.account.entryOf(order.oid)
    if (entry === null) return
    const { coin, isBuy, size, price, stop } = entry
    const worth = Decimal.max(price, this.account.mid(coin)?.price ?? price)
    this.addValue(coin, isBuy, size.times(worth).negated())
    if (stop !== null) this.risk = this.risk.minus(size.times(lossPerUnit(isBuy, price, stop)))
  }

  private addValue(coin: Coin, isBuy: boolean, value: Decimal): void {
    this.value = this.value.plus(value)
    this.addSide(coin, isBuy, value)
  }

  private addSide(coin: Coin, isBuy: boolean, value: Decimal): void {
    const key = sideKey(coin, isBuy)
    this.sides.set(key, (this.sides.get(key) ?? Decimal.zero).plus(value))
  }
}

function asResting(entry: RequestedEntry): StoppedEntry {
  const { coin, isBuy, price, size, stop } = entry
  return { coin, isBuy, price, size, stop, oid: null, cloid: null, isConfirmed: false }
}

function sideKey(coin: Coin, isBuy: boolean): string {
  return `${isBuy ? 'buy' : 'sell'} ${coin}`
}
