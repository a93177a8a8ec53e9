import { Decimal } from '../../../../src/core/values/decimal.ts'
import type { MarketState, World } from '../world.ts'

/** What all longs of a market have together; its shorts have as much. */
export function openInterest(world: World, market: MarketState): Decimal {
  let long = Decimal.zero
  for (const account of [world.maker, world.crowd, world.liquidator, ...world.accounts.values()]) {
    const size = account.positions.get(market.coin)?.size
    if (size?.isPositive() === true) long = long.plus(size)
  }
  return long
}

/** Whether the open interest of a builder dex's market, or of all of them together, may not grow. */
export function isAtCap(world: World, market: MarketState): boolean {
  const { builder } = market
  if (builder === null) return false
  const size = openInterest(world, market)
  if (size.times(market.mark).gte(builder.cap) || size.gte(builder.dex.sizeCap)) return true
  let total = Decimal.zero
  for (const each of builder.dex.markets) {
    total = total.plus(openInterest(world, each).times(each.mark))
  }
  return total.gte(builder.dex.totalCap)
}
