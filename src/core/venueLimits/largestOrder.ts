import type { Market } from '../protocol/market.ts'
import type { Decimal } from '../values/decimal.ts'
import { venueLimits } from './venueLimits.ts'

type Leveraged = Pick<Market, 'maxLeverage'>

/**
 * The most a market order on this coin may be worth, in USD: an order that takes at once or goes,
 * and a stop that becomes one.
 */
export function largestMarketOrder({ maxLeverage }: Leveraged): Decimal {
  const rows = venueLimits.largestMarketOrder
  return (rows.find(({ fromLeverage }) => maxLeverage >= fromLeverage) ?? rows[3]).usd
}

/** The most an order that may rest may be worth, in USD. */
export function largestLimitOrder(market: Leveraged): Decimal {
  return largestMarketOrder(market).times(venueLimits.limitOrderFactor)
}
