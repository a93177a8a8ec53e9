import { dexOf } from '../protocol/coinKind.ts'
import type { AccountMode, Leverage } from '../protocol/venueState.ts'
import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import type { CrossPool, PoolRow } from './accountView.ts'
import type { Held } from './covers.ts'
import type { OrderRecords } from './orderRecords.ts'
import { leansOn, poolOf } from './poolOf.ts'
import type { Cover } from './stop.ts'
import { positionLoss } from './worstLoss.ts'

/** What a coin's margin hangs on, beside its position. */
interface MarginSettings extends Held {
  cover(coin: Coin): Cover | null
  /** What is set for the coin; null when unknown. */
  setting(coin: Coin): Leverage | null
  /** Another setting that is on its way to the venue; null when none is. */
  settingOnItsWay(coin: Coin): Leverage | null
}

type CoinSums = Pick<PoolRow, 'value' | 'entryValue' | 'inFlightValue' | 'loss' | 'shortLoss'>

/**
 * What each coin asks of the collateral that cross positions share. Sums are kept as orders and prices
 * change: only coins that changed are summed again, and no question walks through their orders.
 */
export class CrossPoolRows {
  readonly #held: MarginSettings
  readonly #orders: OrderRecords
  readonly #sums = new Map<Coin, CoinSums>()
  readonly #dirty = new Set<Coin>()

  constructor(held: MarginSettings, orders: OrderRecords) {
    this.#held = held
    this.#orders = orders
  }

  invalidate(coin: Coin): void {
    this.#dirty.add(coin)
  }

  /** One row for each coin of a pool that is held or has entries, on cross or on isolated margin. */
  view(backing: Omit<CrossPool, 'rows'>): CrossPool {
    this.#sumAll()
    const own = [...this.#sums].filter(([coin]) => leansOn(backing, coin))
    const rows = own.map(([coin, sums]) => ({ coin, ...this.#margin(coin), ...sums }))
    return { ...backing, rows }
  }

  /** Whose collateral such coins lean on, the main dex's among them, with or without. */
  dexes(mode: AccountMode): readonly CrossPool['dex'][] {
    this.#sumAll()
    const dexes = ['', ...[...this.#sums.keys()].map(dexOf)]
    return [...new Set(dexes.map((dex) => poolOf(mode, dex)))]
  }

  #sumAll(): void {
    for (const coin of this.#dirty) {
      const sums = this.#sum(coin)
      if (sums === null) this.#sums.delete(coin)
      else this.#sums.set(coin, sums)
    }
    this.#dirty.clear()
  }

  /**
   * Cross or isolated by the position, else by what is set. While another setting is on its way
   * entries count with both; where none is known they count as cross and as isolated, at leverage 1.
   */
  #margin(coin: Coin): Pick<PoolRow, 'isCross' | 'crossLeverage' | 'isolatedLeverage'> {
    const position = this.#held.positions.get(coin)
    const set = position?.leverage ?? this.#held.setting(coin)
    const coming = this.#held.settingOnItsWay(coin)
    const all = [set, coming].filter((each) => each !== null)
    const valueOf = (type: Leverage['type']): number | null => {
      const values = all.filter((each) => each.type === type).map(({ value }) => value)
      return values.length === 0 ? null : Math.min(...values)
    }
    const [cross, isolated] = [valueOf('cross'), valueOf('isolated')]
    const isUnknown = all.length === 0
    const isolatedLeverage = isUnknown ? 1 : isolated
    return { isCross: isUnknown || cross !== null, crossLeverage: cross ?? 1, isolatedLeverage }
  }

  #sum(coin: Coin): CoinSums | null {
    const position = this.#held.positions.get(coin)
    const orders = this.#orders.coin(coin)
    if (position === undefined && orders === null) return null
    const price = this.#held.priceOf(coin)
    const side = (isBuy: boolean): readonly [Decimal, Decimal] =>
      orders === null
        ? [Decimal.zero, Decimal.zero]
        : [orders.valueAt(isBuy, price), orders.lossAt(isBuy, price)]
    const [[buys, buyLoss], [sells, sellLoss]] = [side(true), side(false)]
    const entryValue = buys.plus(sells)
    const inFlightValue = orders?.inFlightValue ?? Decimal.zero
    let [value, loss, shortLoss] = [entryValue, buyLoss.plus(sellLoss), sellLoss]
    if (position !== undefined) {
      const worth = price ?? position.entryPrice
      const own = positionLoss(position.size, worth, this.#held.cover(coin))
      value = value.plus(position.size.abs().times(worth))
      loss = loss.plus(own)
      if (position.size.isNegative()) shortLoss = shortLoss.plus(own)
    }
    return { value, entryValue, inFlightValue, loss, shortLoss }
  }
}
