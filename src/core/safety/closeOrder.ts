import type { Order } from '../protocol/action.ts'
import { priceStep, roundPrice } from '../protocol/grid.ts'
import type { CloidMint } from '../protocol/guardCloid.ts'
import type { Market } from '../protocol/market.ts'
import { Decimal } from '../values/decimal.ts'

const closeBelow = Decimal.of('0.95')
const closeAbove = Decimal.of('1.05')
const stopBelow = Decimal.of('0.9')
const stopAbove = Decimal.of('1.1')

/** Rounds away from the price that would be liked, so that an exit never rests; never to zero. */
function outward(market: Market, price: Decimal, isBuy: boolean): Decimal {
  const rounded = roundPrice(market, price, isBuy ? 'ceil' : 'floor')
  return rounded.isPositive() ? rounded : priceStep(market, price)
}

/** Closes a position of this signed size: reduce-only, at once or not at all, 5% beyond the price. */
export function closeOrder(market: Market, size: Decimal, price: Decimal, mint: CloidMint): Order {
  const isBuy = size.isNegative()
  return {
    asset: market.asset,
    isBuy,
    price: outward(market, price.times(isBuy ? closeAbove : closeBelow), isBuy),
    size: size.abs(),
    isReduceOnly: true,
    type: { kind: 'limit', tif: 'Ioc' },
    cloid: mint('close'),
  }
}

/** Guard's own stop for a position of this signed size: full size, market, 10% of room. */
export function stopOrder(market: Market, size: Decimal, trigger: Decimal, mint: CloidMint): Order {
  const isBuy = size.isNegative()
  return {
    asset: market.asset,
    isBuy,
    price: outward(market, trigger.times(isBuy ? stopAbove : stopBelow), isBuy),
    size: size.abs(),
    isReduceOnly: true,
    type: { kind: 'trigger', isMarket: true, triggerPrice: trigger, tpsl: 'sl' },
    cloid: mint('stop'),
  }
}
