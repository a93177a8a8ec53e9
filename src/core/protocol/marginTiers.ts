import type { Decimal } from '../values/decimal.ts'
import type { Market } from './market.ts'

/** The highest leverage the venue allows on a position of this value. */
export function maxLeverageAt(market: Market, notional: Decimal): number {
  let most = market.maxLeverage
  for (const tier of market.tiers) {
    if (tier.lowerBound.gt(notional)) break
    most = tier.maxLeverage
  }
  return most
}
