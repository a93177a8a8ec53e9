import { Exact } from './exact.ts'

/** Prices a perpetual market takes, judged by the digits one would write down. */

/** At most five significant figures and `6 - sizeDecimals` decimals; whole numbers may be longer. */
export function isOnGrid(price: Exact, sizeDecimals: number, longIntegers: boolean): boolean {
  if (price.sign() <= 0) return false
  const decimals = 6 - sizeDecimals
  if (!price.fits(decimals)) return false
  if (longIntegers && price.fits(0)) return true
  const digits = price.toString().replace('.', '').replace(/^0+/, '')
  const significant = price.fits(0) ? digits.replace(/0+$/, '') : digits
  return significant.length <= 5
}

/** The next price of the grid above or below; null when there is none above zero. */
export function nextPrice(price: Exact, sizeDecimals: number, way: 1 | -1): Exact | null {
  for (let decimals = 6 - sizeDecimals; decimals >= 0; decimals--) {
    const step = Exact.one.over(Exact.of(`1${'0'.repeat(decimals)}`))
    const units = price.over(step)
    const floor = units.cut(0)
    const target =
      way === 1 ? floor.plus(Exact.one) : floor.is(units) ? floor.minus(Exact.one) : floor
    const found = target.times(step)
    if (found.sign() > 0 && isOnGrid(found, sizeDecimals, true)) return found
  }
  return null
}

/** The best prices around a mid: its neighbours, or the two it lies in the middle of. */
export function touchOf(mid: Exact, sizeDecimals: number): { bid: Exact; ask: Exact } | null {
  const bid = nextPrice(mid, sizeDecimals, -1)
  const ask = nextPrice(mid, sizeDecimals, 1)
  if (bid === null || ask === null) return null
  if (isOnGrid(mid, sizeDecimals, true)) return { bid, ask }
  return bid.plus(ask).is(mid.times(Exact.of(2))) ? { bid, ask } : null
}
