import { worstFill } from '../../protocol/marketStop.ts'
import { Decimal } from '../../values/decimal.ts'
import { percent } from '../text.ts'

/** A price something is entered at, and the stop that ends it. */
interface Stretch {
  readonly isLong: boolean
  readonly price: Decimal
  readonly stop: Decimal
}

/** An entry by its price and its stop alone: what leverage it bears depends on nothing else. */
export interface StoppedPrice {
  readonly isBuy: boolean
  readonly price: Decimal
  readonly stop: Decimal
}

const margin = Decimal.of('1.1')
const gap = Decimal.of('0.05')

/**
 * Whether isolated leverage keeps the liquidation far enough beyond the stop's worst fill. With
 * m = 1/(2 x the coin's maximum) the distance is (1/L - m)/(1 - m) for a long and
 * (1/L - m)/(1 + m) for a short; it must reach 1.1 d + 5% and the least distance of the rules.
 * Multiplied out by 2 x maximum x L x price, so that nothing is divided.
 */
export function isLiquidationFar(
  stretch: Stretch,
  leverage: number,
  coinMax: number,
  minDistance: Decimal,
): boolean {
  const { have, scale, needed } = distancesOf(stretch, leverage, coinMax, minDistance)
  return have.gte(needed.times(scale))
}

/** How far the liquidation is, and how far it would have to be, for people. */
export function liquidationText(
  stretch: Stretch,
  leverage: number,
  coinMax: number,
  minDistance: Decimal,
): string {
  const { price, stop } = stretch
  const { have, scale, needed } = distancesOf(stretch, leverage, coinMax, minDistance)
  const has = percent(have.over(scale.times(price), 4, 'floor'))
  const needs = percent(needed.over(price, 4, 'ceil'))
  return `at leverage ${leverage} it is ${has} from ${price.toString()}, and the stop at ${stop.toString()} needs ${needs} (1.1 times the way to its fill with 10% slippage, and 5%; at least ${percent(minDistance)}, min_liquidation_distance)`
}

/** What there is, multiplied by `scale`, and what is needed, in USD of the price. */
function distancesOf(
  { isLong, price, stop }: Stretch,
  leverage: number,
  coinMax: number,
  minDistance: Decimal,
): { readonly have: Decimal; readonly scale: Decimal; readonly needed: Decimal } {
  const have = Decimal.whole(2 * coinMax - leverage).times(price)
  const scale = Decimal.whole((2 * coinMax + (isLong ? -1 : 1)) * leverage)
  const fall = price.minus(worstFill(stop, isLong)).abs()
  const byStop = fall.times(margin).plus(price.times(gap))
  const byRule = price.times(minDistance)
  return { have, scale, needed: Decimal.max(byStop, byRule) }
}

interface Bearable {
  readonly coinMax: number
  readonly cap: number
  readonly minDistance: Decimal
  readonly leverage: number
}

/** Answers are kept for as long as the entry itself, so that many resting entries cost little. */
const kept = new WeakMap<StoppedPrice, Bearable>()

/** The highest leverage up to `cap` that an entry bears; 0 for none. */
export function bearableLeverage(
  entry: StoppedPrice,
  cap: number,
  coinMax: number,
  minDistance: Decimal,
): number {
  const { isBuy, price, stop } = entry
  const known = kept.get(entry)
  const isSame = known?.coinMax === coinMax && known.cap === cap
  if (isSame && known.minDistance === minDistance) return known.leverage
  const stretch = { isLong: isBuy, price, stop }
  let leverage = cap
  while (leverage > 0 && !isLiquidationFar(stretch, leverage, coinMax, minDistance)) leverage--
  kept.set(entry, { coinMax, cap, minDistance, leverage })
  return leverage
}
