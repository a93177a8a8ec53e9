import { Decimal } from '../../../src/core/values/decimal.ts'
import { powerOfTen, unitsAt } from './scaled.ts'

/**
 * Prices a market accepts: at most five significant figures and at most `6 - sizeDecimals`
 * decimals; whole prices may be longer. A price is held in units of the finest decimal.
 */

const figures = 5
const perpDecimals = 6

/** How many decimals a price of this market may have. */
export function priceScale(sizeDecimals: number): number {
  return perpDecimals - sizeDecimals
}

/** The distance to the next grid price above, in units of the price scale. */
export function stepAbove(units: bigint, scale: number): bigint {
  const digits = units.toString().length
  const bySignificance = digits > figures ? powerOfTen(digits - figures) : 1n
  const whole = powerOfTen(scale)
  return bySignificance < whole ? bySignificance : whole
}

/** The distance to the next grid price below, in units of the price scale. */
function stepBelow(units: bigint, scale: number): bigint {
  return units > 1n ? stepAbove(units - 1n, scale) : 1n
}

/** The price in units of the scale when it is on the grid, else null. */
export function gridUnits(
  price: Decimal,
  sizeDecimals: number,
  longIntegers: 'allow' | 'refuse',
): bigint | null {
  return gridUnitsAt(price, priceScale(sizeDecimals), longIntegers)
}

/** The same for a market whose prices have at most `scale` decimals. */
export function gridUnitsAt(
  price: Decimal,
  scale: number,
  longIntegers: 'allow' | 'refuse',
): bigint | null {
  const units = unitsAt(price, scale)
  if (units === null || units <= 0n) return null
  const step = longIntegers === 'allow' ? stepAbove(units, scale) : significantStep(units)
  return units % step === 0n ? units : null
}

function significantStep(units: bigint): bigint {
  const digits = units.toString().length
  return digits > figures ? powerOfTen(digits - figures) : 1n
}

/** The best prices a maker can quote around a mid. */
export interface Touch {
  readonly bid: bigint
  readonly ask: bigint
}

/**
 * Best bid and ask as close around the mid as the grid allows. Null when the mid is neither a grid
 * price nor the middle of two neighbouring ones.
 */
export function touchAround(mid: Decimal, sizeDecimals: number): Touch | null {
  return touchAt(mid, priceScale(sizeDecimals))
}

/** The same for a market whose prices have at most `scale` decimals. */
export function touchAt(mid: Decimal, scale: number): Touch | null {
  const twice = unitsAt(mid.times(Decimal.whole(2)), scale)
  if (twice === null || twice <= 2n) return null
  if (twice % 2n === 0n) {
    const units = twice / 2n
    if (units % stepAbove(units, scale) === 0n) {
      return { bid: units - stepBelow(units, scale), ask: units + stepAbove(units, scale) }
    }
  }
  return betweenNeighbours(twice, scale)
}

function betweenNeighbours(twice: bigint, scale: number): Touch | null {
  const half = twice / 2n
  const step = stepAbove(half, scale)
  const bid = (half / step) * step
  const ask = bid + step
  return bid > 0n && bid + ask === twice ? { bid, ask } : null
}

/** The nearest grid price at or below. */
export function floorToGrid(units: bigint, scale: number): bigint {
  const step = stepAbove(units, scale)
  return (units / step) * step
}

/** `count` consecutive grid prices, from `first` away from the mid. */
export function ladder(
  first: bigint,
  scale: number,
  direction: 'up' | 'down',
  count: number,
): bigint[] {
  const prices: bigint[] = []
  for (let units = first; prices.length < count && units > 0n;) {
    prices.push(units)
    units = direction === 'up' ? units + stepAbove(units, scale) : units - stepBelow(units, scale)
  }
  return prices
}

/** The grid price at or below a price: candles have no others, and the middle of two is none. */
export function gridPrice(price: Decimal, priceScale: number): Decimal {
  const units = price.rounded(priceScale, 'down').over(new Decimal(1n, priceScale), 0, 'down').units
  return units < 1n ? price : new Decimal(floorToGrid(units, priceScale), priceScale)
}
