import { Decimal } from '../../values/decimal.ts'
import { worstFill } from './entryStop.ts'

/** A price something is entered at, and the stop that ends it. */
export interface Stretch {
  readonly isLong: boolean
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
  const { isLong, price, stop } = stretch
  const have = Decimal.whole(2 * coinMax - leverage).times(price)
  const scale = Decimal.whole((2 * coinMax + (isLong ? -1 : 1)) * leverage)
  const fall = price.minus(worstFill(stop, isLong)).abs()
  const byStop = fall.times(margin).plus(price.times(gap))
  const byRule = price.times(minDistance)
  return have.gte(Decimal.max(byStop, byRule).times(scale))
}
