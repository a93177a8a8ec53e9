import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import type { AccountView, CoinExposure, Exposure, RestingEntry } from './accountView.ts'
import { lossPerUnit } from './cover.ts'
import type { OrderBook } from './orderBook.ts'
import type { EntryReservation, Reservations } from './reservations.ts'

interface CoinSums {
  /** The position's and what is in flight; resting entries have their own running sums. */
  readonly risk: Decimal
  readonly value: Decimal
  readonly buyValue: Decimal
  readonly sellValue: Decimal
  readonly inFlight: readonly RestingEntry[]
}

/** An entry in flight at its worst, by the mid it was worked out with. */
interface Weighed {
  readonly mid: Decimal | null
  readonly risk: Decimal
  readonly value: Decimal
  readonly entry: RestingEntry
}

type Positions = Pick<AccountView, 'positions' | 'cover' | 'mid' | 'mark'>

/** Sums of risk and value, cached per coin and in all until something of it changes. */
export class ExposureSums {
  readonly #account: Positions
  readonly #orders: OrderBook
  readonly #reservations: Reservations
  readonly #coins = new Map<Coin, CoinSums>()
  readonly #weighed = new WeakMap<EntryReservation, Weighed>()
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

  coinsWithoutStop(): readonly Coin[] {
    return [...this.#orders.coinsWithoutStop].sort()
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
      uncoveredOrders: this.coinsWithoutStop(),
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
      const weighed = this.#weigh(item, size, price)
      risk = risk.plus(weighed.risk)
      if (item.isBuy) buyValue = buyValue.plus(weighed.value)
      else sellValue = sellValue.plus(weighed.value)
      inFlight.push(weighed.entry)
    }
    return { risk, value: buyValue.plus(sellValue), buyValue, sellValue, inFlight }
  }

  /** Worked out once for a size and a price: with many in flight each is summed up many times. */
  #weigh(item: EntryReservation, size: Decimal, mid: Decimal | null): Weighed {
    const known = this.#weighed.get(item)
    if (known !== undefined && known.mid === mid && known.entry.size.eq(size)) return known
    const { coin, isBuy, price, stop, cloid } = item
    // As resting it stands at its limit, as filled it is a position at the mid: the worse counts.
    const worst = mid === null ? price : Decimal.max(price, mid)
    const filledLoss = lossPerUnit(isBuy, mid ?? price, stop)
    const loss = Decimal.max(lossPerUnit(isBuy, price, stop), filledLoss)
    const weighed: Weighed = {
      mid,
      risk: size.times(loss),
      value: size.times(worst),
      entry: { coin, isBuy, price, size, stop, oid: null, cloid, isConfirmed: false },
    }
    this.#weighed.set(item, weighed)
    return weighed
  }
}
