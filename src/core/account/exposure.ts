import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import type { AccountView, CoinExposure, Exposure, RestingEntry } from './accountView.ts'
import { lossPerUnit } from './cover.ts'
import type { OrderBook } from './orderBook.ts'
import type { Reservations } from './reservations.ts'

interface CoinSums {
  /** The position's and what is in flight; resting entries have their own running sums. */
  readonly risk: Decimal
  readonly value: Decimal
  readonly buyValue: Decimal
  readonly sellValue: Decimal
  readonly inFlight: readonly RestingEntry[]
}

type Positions = Pick<AccountView, 'positions' | 'cover' | 'mid' | 'mark'>

/** Sums of risk and value, cached per coin and in all until something of it changes. */
export class ExposureSums {
  readonly #account: Positions
  readonly #orders: OrderBook
  readonly #reservations: Reservations
  readonly #coins = new Map<Coin, CoinSums>()
  #totals: Exposure | null = null

  constructor(account: Positions, orders: OrderBook, reservations: Reservations) {
    this.#account = account
    this.#orders = orders
    this.#reservations = reservations
  }

  invalidate(coin: Coin | null): void {
    this.#totals = null
    if (coin === null) this.#coins.clear()
    else this.#coins.delete(coin)
  }

  inFlight(coin: Coin): readonly RestingEntry[] {
    return this.#sums(coin).inFlight
  }

  ofCoin(coin: Coin, isBuy: boolean): CoinExposure {
    const sums = this.#sums(coin)
    const resting = this.#orders.coin(coin)?.valueOf(isBuy) ?? Decimal.zero
    return { sideValue: resting.plus(isBuy ? sums.buyValue : sums.sellValue) }
  }

  totals(): Exposure {
    this.#totals ??= this.#sum()
    return this.#totals
  }

  #sum(): Exposure {
    let openRisk = this.#orders.entryRisk
    let openValue = this.#orders.entryValue
    const uncoveredPositions: Coin[] = []
    const { positions } = this.#account
    for (const coin of new Set([...positions.keys(), ...this.#reservations.coins()])) {
      const sums = this.#sums(coin)
      openRisk = openRisk.plus(sums.risk)
      openValue = openValue.plus(sums.value)
      if (this.#account.cover(coin)?.isFull === false) uncoveredPositions.push(coin)
    }
    return {
      openRisk,
      openValue,
      uncoveredPositions: uncoveredPositions.sort(),
      uncoveredOrders: [...this.#orders.coinsWithoutStop].sort(),
    }
  }

  #sums(coin: Coin): CoinSums {
    const known = this.#coins.get(coin)
    if (known !== undefined) return known
    const sums = this.#sumCoin(coin)
    this.#coins.set(coin, sums)
    return sums
  }

  #sumCoin(coin: Coin): CoinSums {
    const position = this.#account.positions.get(coin)
    const price = this.#account.mid(coin)?.price ?? this.#account.mark(coin)
    const held = position?.size.abs().times(price ?? position.entryPrice) ?? Decimal.zero
    const isLong = position?.size.isPositive() ?? false
    let risk = this.#account.cover(coin)?.risk ?? Decimal.zero
    let buyValue = isLong ? held : Decimal.zero
    let sellValue = isLong ? Decimal.zero : held
    const inFlight: RestingEntry[] = []
    for (const { item, size } of this.#reservations.entries(coin)) {
      const { isBuy, stop, cloid } = item
      // As resting it stands at its limit, as filled it is a position at the mid: the worse counts.
      const worst = price === null ? item.price : Decimal.max(item.price, price)
      const filledLoss = lossPerUnit(isBuy, price ?? item.price, stop)
      const loss = Decimal.max(lossPerUnit(isBuy, item.price, stop), filledLoss)
      const value = size.times(worst)
      risk = risk.plus(size.times(loss))
      if (isBuy) buyValue = buyValue.plus(value)
      else sellValue = sellValue.plus(value)
      const oid = null
      inFlight.push({ coin, isBuy, price: item.price, size, stop, oid, cloid, isConfirmed: false })
    }
    return { risk, value: buyValue.plus(sellValue), buyValue, sellValue, inFlight }
  }
}
