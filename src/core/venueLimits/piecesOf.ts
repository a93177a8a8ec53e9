import { lotStep } from '../protocol/grid.ts'
import type { Market } from '../protocol/market.ts'
import { Decimal } from '../values/decimal.ts'
import { largestMarketOrder } from './largestOrder.ts'
import { venueLimits } from './venueLimits.ts'

interface Pieces {
  /** Sizes on the lot, the larger ones first, as even as the lot allows. */
  readonly pieces: readonly Decimal[]
  /** What fits into none of them: to be closed in a next round, or not covered by the stops. */
  readonly left: Decimal
}

/**
 * Splits the size of a close or a stop into market orders that the venue takes: as few as it needs,
 * at most 10. `price` is the highest price the venue may value them at. Even pieces never leave a
 * last one below the venue's minimum value. `shrink` halves the largest value that often: for a
 * next try after the venue called pieces of the last one too large.
 */
export function piecesOf(
  size: Decimal,
  price: Decimal,
  market: Pick<Market, 'maxLeverage' | 'sizeDecimals'>,
  shrink = 0,
): Pieces {
  const lot = lotStep(market)
  const lots = size.over(lot, 0, 'down').units
  const worth = largestMarketOrder(market)
  const most = lotsWorth(worth, price.times(lot)) >> BigInt(shrink)
  // A single lot is the least that can be asked for, whatever it is worth.
  const largest = most < 1n ? 1n : most
  const needed = (lots + largest - 1n) / largest
  const piecesMax = BigInt(venueLimits.piecesMax)
  const count = needed > piecesMax ? piecesMax : needed
  const taken = count * largest < lots ? count * largest : lots
  const sizes: Decimal[] = []
  for (let at = 0n; at < count; at += 1n) {
    const share = taken / count + (at < taken % count ? 1n : 0n)
    sizes.push(new Decimal(share, market.sizeDecimals))
  }
  return { pieces: sizes, left: size.minus(new Decimal(taken, market.sizeDecimals)) }
}

/** How many lots of this value fit into an amount. */
function lotsWorth(amount: Decimal, lotValue: Decimal): bigint {
  return lotValue.isPositive() ? amount.over(lotValue, 0, 'down').units : amount.units
}

/** The largest size that fits into 10 market orders: no entry may lead to a larger position. */
export function closableSize(
  price: Decimal,
  market: Pick<Market, 'maxLeverage' | 'sizeDecimals'>,
): Decimal {
  const largest = lotsWorth(largestMarketOrder(market), price.times(lotStep(market)))
  return new Decimal(largest * BigInt(venueLimits.piecesMax), market.sizeDecimals)
}
