import { Decimal } from '../../../src/core/values/decimal.ts'
import type { Order } from '../../../src/core/protocol/action.ts'
import { reducible } from './account.ts'
import { endOrder } from './orderLife.ts'
import type { Account, MarketState, World } from './world.ts'

/** The venue's bounds on value, price and number of orders, as its reference states them. */

const minimumValue = Decimal.whole(10)
const openOrderCapMost = 5_000
const volumePerExtraOrder = Decimal.whole(5_000_000)

/** The largest market order in USD, by the market's maximum leverage: the first row that fits. */
const largestMarketOrders = [
  { fromLeverage: 25, usd: Decimal.whole(30_000_000) },
  { fromLeverage: 20, usd: Decimal.whole(5_000_000) },
  { fromLeverage: 10, usd: Decimal.whole(2_000_000) },
] as const
const largestMarketOrderElse = Decimal.whole(500_000)
/** A limit order may be this many times as large as a market order. */
const limitOrderFactor = Decimal.whole(10)

/** The most an order may be worth, in USD at its limit price. */
export function largestValue(market: MarketState, order: Order): Decimal {
  const { maxLeverage } = market.market
  const row = largestMarketOrders.find(({ fromLeverage }) => maxLeverage >= fromLeverage)
  const usual = row?.usd ?? largestMarketOrderElse
  return takesAtOnce(order) ? usual : usual.times(limitOrderFactor)
}

/** The venue has no market orders of their own: these are what its clients mean by one. */
function takesAtOnce({ type }: Order): boolean {
  if (type.kind === 'trigger') return type.isMarket
  return type.tif === 'Ioc' || type.tif === 'FrontendMarket'
}

/** Below 10 USD an order must close the whole position, or be reduce-only and larger than it. */
export function isBelowMinimum(account: Account, market: MarketState, order: Order): boolean {
  if (order.size.isZero() || order.size.times(order.price).gte(minimumValue)) return false
  const closable = reducible(account, market, order.isBuy)
  if (closable.isZero()) return true
  return !(order.size.eq(closable) || (order.isReduceOnly && order.size.gt(closable)))
}

/** Whether a price is further from the reference price than the venue takes. */
export function isOutsideBand(world: World, market: MarketState, order: Order): boolean {
  const { referenceBandPercent, referencePrice, dexBand } = world.options
  const { trigger_band_ref: triggerBand } = world.options
  const { type } = order
  const isByTrigger = type.kind === 'trigger' && triggerBand === 'trigger'
  const band = market.builder === null ? 'reference' : dexBand
  if (band === 'none') return false
  const usual = band === 'mark' || referencePrice === 'mark' ? market.mark : market.oracle
  const reference = isByTrigger ? type.triggerPrice : usual
  const distance = order.price.minus(reference).abs().times(Decimal.whole(100))
  return distance.gt(reference.times(Decimal.whole(referenceBandPercent)))
}

/**
 * Whether the account has too many open orders for this one. Reduce-only orders and triggers are
 * refused beside 1,000 others whatever the account has earned; a plain order that rests, at the
 * cap that grows with volume; one that fills at once or goes adds no open order.
 */
export function isOneTooMany(world: World, account: Account, order: Order): boolean {
  const { openOrderCap, reduceOnlyOrderLimit } = world.options
  const open = account.orders.size + account.spotOrders.size
  if (order.isReduceOnly || order.type.kind === 'trigger') return open >= reduceOnlyOrderLimit
  if (takesAtOnce(order)) return false
  const earned = Number(account.volume.over(volumePerExtraOrder, 0, 'down').units)
  return open >= Math.min(openOrderCap + earned, openOrderCapMost)
}

/** By one reading the triggers that reduce go once the account has as many orders as refuse new ones. */
export function endCrowdedTriggers(world: World, account: Account): void {
  const { crowdedTriggers, reduceOnlyOrderLimit } = world.options
  if (crowdedTriggers === 'stay' || account.orders.size < reduceOnlyOrderLimit) return
  for (const order of [...account.orders.values()]) {
    if (order.isReduceOnly && order.phase === 'waitingForTrigger') {
      endOrder(world, order, 'canceled')
    }
  }
}
