import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import type { CoinExposure, Exposure } from './accountView.ts'
import type { Cover } from './stop.ts'
import type { Held } from './covers.ts'
import type { OrderRecords } from './orderRecords.ts'

/** What one coin adds to the totals, in USD. */
interface CoinSums {
  readonly risk: Decimal
  readonly buyValue: Decimal
  readonly sellValue: Decimal
  /** The same as sizes, in units of the coin. */
  readonly buySize: Decimal
  readonly sellSize: Decimal
  readonly isUncovered: boolean
}

/** What is summed beside the orders. */
interface CoveredPositions extends Held {
  cover(coin: Coin): Cover | null
}

/** Of a coin with neither a position nor an order that counts. */
const nothing: CoinSums = {
  risk: Decimal.zero,
  buyValue: Decimal.zero,
  sellValue: Decimal.zero,
  buySize: Decimal.zero,
  sellSize: Decimal.zero,
  isUncovered: false,
}

/**
 * Worst-case risk and value, the one sum that everybody asks: positions at the mid with their
 * covering stops, entries at their limit and stop, worth the higher of limit and mid, whether they
 * rest or are in flight. Only coins that changed are summed again.
 */
export class ExposureSums {
  readonly #held: CoveredPositions
  readonly #orders: OrderRecords
  readonly #coins = new Map<Coin, CoinSums>()
  readonly #dirty = new Set<Coin>()
  #risk = Decimal.zero
  #value = Decimal.zero
  readonly #uncovered = new Set<Coin>()
  #totals: Exposure | null = null

  constructor(held: CoveredPositions, orders: OrderRecords) {
    this.#held = held
    this.#orders = orders
  }

  invalidate(coin: Coin): void {
    this.#totals = null
    this.#dirty.add(coin)
  }

  ofCoin(coin: Coin, isBuy: boolean): CoinExposure {
    this.#refresh(coin)
    const sums = this.#coins.get(coin) ?? nothing
    const { buyValue, buySize, sellValue, sellSize } = sums
    if (isBuy) return { sideValue: buyValue, sideSize: buySize }
    return { sideValue: sellValue, sideSize: sellSize }
  }

  totals(): Exposure {
    if (this.#totals !== null) return this.#totals
    for (const coin of this.#dirty) this.#refresh(coin)
    this.#totals = {
      openRisk: this.#risk,
      openValue: this.#value,
      uncoveredPositions: [...this.#uncovered].sort(),
      uncoveredOrders: this.coinsWithoutStop(),
    }
    return this.#totals
  }

  coinsWithoutStop(): readonly Coin[] {
    return [...this.#orders.coinsWithoutStop].sort()
  }

  #refresh(coin: Coin): void {
    if (!this.#dirty.delete(coin)) return
    const before = this.#coins.get(coin) ?? nothing
    const sums = this.#sumCoin(coin)
    this.#risk = this.#risk.minus(before.risk).plus(sums.risk)
    this.#value = this.#value.minus(valueOf(before)).plus(valueOf(sums))
    if (sums === nothing) this.#coins.delete(coin)
    else this.#coins.set(coin, sums)
    if (sums.isUncovered) this.#uncovered.add(coin)
    else this.#uncovered.delete(coin)
  }

  #sumCoin(coin: Coin): CoinSums {
    const position = this.#held.positions.get(coin)
    const orders = this.#orders.coin(coin)
    if (position === undefined && orders === null) return nothing
    const price = this.#held.priceOf(coin)
    const cover = this.#held.cover(coin)
    let risk = orders?.entryRisk(this.#held.gapOf(coin)) ?? Decimal.zero
    let buyValue = orders?.valueAt(true, price) ?? Decimal.zero
    let sellValue = orders?.valueAt(false, price) ?? Decimal.zero
    let buySize = orders?.sizeOf(true) ?? Decimal.zero
    let sellSize = orders?.sizeOf(false) ?? Decimal.zero
    if (position !== undefined) {
      const size = position.size.abs()
      const value = size.times(price ?? position.entryPrice)
      if (position.size.isPositive()) {
        buyValue = buyValue.plus(value)
        buySize = buySize.plus(size)
      } else {
        sellValue = sellValue.plus(value)
        sellSize = sellSize.plus(size)
      }
    }
    if (cover !== null) risk = risk.plus(cover.risk)
    const isUncovered = cover?.isFull === false
    return { risk, buyValue, sellValue, buySize, sellSize, isUncovered }
  }
}

function valueOf({ buyValue, sellValue }: CoinSums): Decimal {
  return buyValue.plus(sellValue)
}
