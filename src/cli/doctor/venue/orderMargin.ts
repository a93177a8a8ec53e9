import type { OpenOrder } from '../../../core/protocol/venueState.ts'
import type { Coin } from '../../../core/values/coin.ts'
import { Decimal } from '../../../core/values/decimal.ts'
import type { Told } from './told.ts'

const scale = 12

/** How the margin of open orders may be counted: each is a point that nobody could verify. */
export interface OrderReading {
  /** Buys and sells of one market count together, and not the larger side alone. */
  readonly bothSides: boolean
  /** The part of an order that goes beyond the position it closes reserves margin. */
  readonly excess: boolean
  /** An entry that waits for its trigger reserves nothing. */
  readonly triggersFree: boolean
}

const either = [true, false]

export const orderReadings: readonly OrderReading[] = either.flatMap((bothSides) =>
  either.flatMap((excess) => either.map((triggersFree) => ({ bothSides, excess, triggersFree }))),
)

/** What one market's open orders reserve by a reading, on each side. */
interface Sides {
  readonly buys: Decimal
  readonly sells: Decimal
}

/** By market; null where the leverage of one of them was not told. */
export function orderMargins(told: Told, reading: OrderReading): ReadonlyMap<Coin, Sides> | null {
  const entries = (told.orders ?? []).filter(
    (each) => !each.isReduceOnly && (each.trigger === null || !reading.triggersFree),
  )
  const margins = new Map<Coin, Sides>()
  for (const coin of new Set(entries.map((each) => each.coin))) {
    const leverage = leverageOf(told, coin)
    if (leverage === null) return null
    const own = entries.filter((each) => each.coin === coin)
    const side = (isBuy: boolean): Decimal =>
      opening(told, coin, own, isBuy, reading).over(Decimal.whole(leverage), scale, 'half-even')
    margins.set(coin, { buys: side(true), sells: side(false) })
  }
  return margins
}

/** What all of them reserve together. */
export function reserved(margins: ReadonlyMap<Coin, Sides>, { bothSides }: OrderReading): Decimal {
  return [...margins.values()].reduce(
    (sum, { buys, sells }) => sum.plus(bothSides ? buys.plus(sells) : Decimal.max(buys, sells)),
    Decimal.zero,
  )
}

function leverageOf({ states, assets }: Told, coin: Coin): number | null {
  const held = states?.[1].positions.find((each) => each.coin === coin)
  return held?.leverage.value ?? assets.get(coin)?.leverage.value ?? null
}

/** The value of one side's orders, at their limits, as far as they open. */
function opening(
  { states }: Told,
  coin: Coin,
  orders: readonly OpenOrder[],
  isBuy: boolean,
  { excess }: OrderReading,
): Decimal {
  const side = orders.filter((each) => each.isBuy === isBuy)
  const size = side.reduce((sum, each) => sum.plus(each.size), Decimal.zero)
  const value = side.reduce((sum, each) => sum.plus(each.size.times(each.price)), Decimal.zero)
  const held = states?.[1].positions.find((each) => each.coin === coin)?.size ?? Decimal.zero
  const closes = isBuy ? held.isNegative() : held.isPositive()
  if (!closes) return value
  const beyond = size.minus(held.abs())
  if (!excess || !beyond.isPositive()) return Decimal.zero
  return value.times(beyond).over(size, scale, 'half-even')
}
