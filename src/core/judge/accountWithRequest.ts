import type {
  AccountView,
  CoinExposure,
  CrossPool,
  Exposure,
  PoolRow,
  StoppedEntry,
  WaitingValue,
} from '../account/accountView.ts'
import type { WatchedTrigger } from '../account/reservation.ts'
import { lossPerUnit } from '../account/stopLoss.ts'
import type { Leverage, OpenOrder } from '../protocol/venueState.ts'
import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { stopGapOf } from './context.ts'
import { RequestPool } from './requestPool.ts'

/** An entry of this request that was found good: the ones after it see it as reserved. */
export interface RequestedEntry {
  readonly coin: Coin
  readonly isBuy: boolean
  readonly size: Decimal
  readonly price: Decimal
  readonly stop: Decimal
  readonly orderCount: number
  /** The margin and leverage the coin will have. */
  readonly margin: Leverage
  /** Where it waits for a trigger; null for a limit order. */
  readonly watched: WatchedTrigger | null
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
  private readonly sides = new Map<string, CoinExposure>()
  private readonly drafted: RequestedEntry[] = []
  private readonly removed: number[] = []
  private readonly leverages = new Map<Coin, number>()
  private readonly pool = new RequestPool()
  private readonly waiting = new Map<Coin, Decimal>()
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

  /**
   * The same as another entry of that coin and side finds it: it may fill in part, and then takes the
   * stops that the position has beyond its size, since its own works only once all of it is filled.
   */
  openRiskFor(coin: Coin, isBuy: boolean): Decimal {
    return this.openRisk.plus(this.spareRisk(coin, isBuy))
  }

  private spareRisk(coin: Coin, isBuy: boolean): Decimal {
    const position = this.account.positions.get(coin)
    if (position?.size.isPositive() !== isBuy) return Decimal.zero
    const isCounted = this.drafted.some((entry) => entry.coin === coin && entry.isBuy === isBuy)
    return isCounted ? Decimal.zero : this.account.spareRisk(coin)
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
    const own = this.sides.get(sideKey(coin, isBuy))?.sideValue ?? Decimal.zero
    return this.account.coinExposure(coin, isBuy).sideValue.plus(own)
  }

  /** The same in units of the coin. */
  sideSize(coin: Coin, isBuy: boolean): Decimal {
    const own = this.sides.get(sideKey(coin, isBuy))?.sideSize ?? Decimal.zero
    return this.account.coinExposure(coin, isBuy).sideSize.plus(own)
  }

  private own(coin: Coin): readonly StoppedEntry[] {
    return this.drafted.filter((entry) => entry.coin === coin).map(asResting)
  }

  /** The entries that decide what leverage all of a coin bear, with those this request places. */
  extremeEntries(coin: Coin): readonly StoppedEntry[] {
    return [...this.account.extremeEntries(coin, this.removed), ...this.own(coin)]
  }

  /** What entries that wait for a trigger are worth by coin, in USD, with this request's own. */
  waitingValues(): readonly WaitingValue[] {
    const values = new Map(this.account.waitingValues().map(({ coin, value }) => [coin, value]))
    for (const [coin, own] of this.waiting) {
      values.set(coin, (values.get(coin) ?? Decimal.zero).plus(own))
    }
    return [...values].map(([coin, value]) => ({ coin, value }))
  }

  /** What coins ask of the collateral, with this request's own entries. */
  poolRows(pool: CrossPool): readonly PoolRow[] {
    return this.pool.rows(pool)
  }

  /** The leverage this request already gives the coin; null when it gives none. */
  plannedLeverage(coin: Coin): number | null {
    return this.leverages.get(coin) ?? null
  }

  /** An entry that was found good; it counts from now on as it will once it is reserved. */
  add(entry: RequestedEntry, mid: Decimal): void {
    const { coin, isBuy, size, price, stop, watched } = entry
    this.risk = this.risk.plus(this.spareRisk(coin, isBuy))
    this.drafted.push(entry)
    this.orders += entry.orderCount
    this.leverages.set(coin, entry.margin.value)
    this.pool.change(entry, mid, entry.margin)
    this.addRisk(entry, stop, size)
    const value = size.times(Decimal.max(watched?.worth ?? price, mid))
    this.addValue(coin, isBuy, size, value)
    if (watched !== null) this.addWaiting(coin, value)
  }

  private addWaiting(coin: Coin, value: Decimal): void {
    this.waiting.set(coin, (this.waiting.get(coin) ?? Decimal.zero).plus(value))
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
    const { coin, isBuy, size, price, stop, watched } = entry
    const mid = this.account.mid(coin)?.price ?? price
    this.pool.change(entry, mid, null)
    const worth = Decimal.max(watched?.worth ?? price, mid)
    this.addValue(coin, isBuy, size.negated(), size.times(worth).negated())
    if (watched?.needsGuard === true) this.addWaiting(coin, size.times(worth).negated())
    if (stop !== null) this.addRisk(entry, stop, size.negated())
  }

  private addRisk(
    { coin, isBuy, price }: Pick<RequestedEntry, 'coin' | 'isBuy' | 'price'>,
    stop: Decimal,
    size: Decimal,
  ): void {
    const loss = lossPerUnit(isBuy, price, stop, stopGapOf(this.account, coin))
    this.risk = this.risk.plus(size.times(loss))
  }

  private addValue(coin: Coin, isBuy: boolean, size: Decimal, value: Decimal): void {
    this.value = this.value.plus(value)
    const key = sideKey(coin, isBuy)
    const { sideValue = Decimal.zero, sideSize = Decimal.zero } = this.sides.get(key) ?? {}
    this.sides.set(key, { sideValue: sideValue.plus(value), sideSize: sideSize.plus(size) })
  }
}

function asResting(entry: RequestedEntry): StoppedEntry {
  const { coin, isBuy, price, size, stop } = entry
  return { coin, isBuy, price, size, stop, oid: null, cloid: null, isConfirmed: false }
}

function sideKey(coin: Coin, isBuy: boolean): string {
  return `${isBuy ? 'buy' : 'sell'} ${coin}`
}
