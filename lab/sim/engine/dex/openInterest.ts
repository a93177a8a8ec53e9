import { Decimal } from '../../../../src/core/values/decimal.ts'
import type { Dex, MarketState, World } from '../world.ts'

/** What all longs of a market have together; its shorts have as much. */
export function openInterest(world: World, market: MarketState): Decimal {
  let long = Decimal.zero
  for (const account of [world.maker, world.crowd, world.liquidator, ...world.accounts.values()]) {
    const size = account.positions.get(market.coin)?.size
    if (size?.isPositive() === true) long = long.plus(size)
  }
  return long
}

/** The markets of a builder dex whose open interest, or that of all together, may not grow. */
export function cappedMarkets(world: World, dex: Dex): ReadonlySet<MarketState> {
  const capped = new Set<MarketState>()
  let total = Decimal.zero
  for (const market of dex.markets) {
    const size = openInterest(world, market)
    const value = size.times(market.mark)
    total = total.plus(value)
    const cap = market.builder?.cap
    if (size.gte(dex.sizeCap) || (cap !== undefined && value.gte(cap))) capped.add(market)
  }
  return total.gte(dex.totalCap) ? new Set(dex.markets) : capped
}
