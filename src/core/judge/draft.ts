import type { AccountView, Exposure, RestingEntry } from '../account/accountView.ts'
import { lossPerUnit } from '../account/cover.ts'
import type { OpenOrder } from '../protocol/venueState.ts'
import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'

/** An entry of this request that was found good: the ones after it see it as reserved. */
export interface DraftedEntry {
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
export class Draft {
  readonly account: AccountView
  private exposed: Exposure | null = null
  private risk = Decimal.zero
  private value = Decimal.zero
  private readonly sides = new Map<string, Decimal>()
  private readonly drafted: DraftedEntry[] = []
  private readonly removed = new Set<number>()
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
    if (this.removed.size === 0) return uncoveredOrders
    return uncoveredOrders.filter((coin) =>
      this.restingEntries(coin).some((entry) => entry.stop === null),
    )
  }

  get orderCount(): number {
    return this.account.openOrderCount + this.orders
  }

  get entryCount(): number {
    return this.drafted.length
  }

  sideValue(coin: Coin, isBuy: boolean): Decimal {
    const own = this.sides.get(sideKey(coin, isBuy)) ?? Decimal.zero
    return this.account.coinExposure(coin, isBuy).sideValue.plus(own)
  }

  /** Entries resting on a coin: without those this request replaces, with those it places. */
  private restingEntries(coin: Coin): readonly RestingEntry[] {
    const kept = this.account
      .restingEntries(coin)
      .filter(({ oid }) => oid === null || !this.removed.has(oid))
    return [...kept, ...this.own(coin)]
  }

  private own(coin: Coin): readonly RestingEntry[] {
    return this.drafted.filter((entry) => entry.coin === coin).map(asResting)
  }

  /** Those of the resting entries that decide what leverage all of them bear. */
  extremeEntries(coin: Coin): readonly RestingEntry[] {
    if (this.removed.size > 0) return this.restingEntries(coin)
    return [...this.account.extremeEntries(coin), ...this.own(coin)]
  }

  /** The leverage this request already gives the coin; null when it gives none. */
  plannedLeverage(coin: Coin): number | null {
    return this.leverages.get(coin) ?? null
  }

  add(entry: DraftedEntry, mid: Decimal): void {
    this.drafted.push(entry)
    this.orders += entry.orderCount
    this.leverages.set(entry.coin, entry.leverage)
    // As a reservation counts it: resting at its limit or filled at the mid, whichever is worse.
    const worst = entry.isBuy ? Decimal.max(entry.price, mid) : Decimal.min(entry.price, mid)
    this.risk = this.risk.plus(entry.size.times(worst.minus(entry.stop).abs()))
    const value = entry.size.times(Decimal.max(entry.price, mid))
    this.value = this.value.plus(value)
    this.addSide(entry.coin, entry.isBuy, value)
  }

  /** Takes a resting entry out, with the stop it carries. */
  remove(order: OpenOrder): void {
    this.removed.add(order.oid)
    for (const { oid, size, price, stop } of this.account.restingEntries(order.coin)) {
      if (oid !== order.oid) continue
      const value = size.times(price)
      this.value = this.value.minus(value)
      this.addSide(order.coin, order.isBuy, value.negated())
      if (stop === null) continue
      this.risk = this.risk.minus(size.times(lossPerUnit(order.isBuy, price, stop)))
    }
  }

  private addSide(coin: Coin, isBuy: boolean, value: Decimal): void {
    const key = sideKey(coin, isBuy)
    this.sides.set(key, (this.sides.get(key) ?? Decimal.zero).plus(value))
  }
}

function asResting(entry: DraftedEntry): RestingEntry {
  const { coin, isBuy, price, size, stop } = entry
  return { coin, isBuy, price, size, stop, oid: null, cloid: null, isConfirmed: false }
}

function sideKey(coin: Coin, isBuy: boolean): string {
  return `${isBuy ? 'buy' : 'sell'} ${coin}`
}
