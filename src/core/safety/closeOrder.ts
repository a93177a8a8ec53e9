import type { Order } from '../protocol/action.ts'
import type { CloidMint } from '../protocol/guardCloid.ts'
import { marketStop, roundOutward, stopLimit } from '../protocol/marketStop.ts'
import type { Market } from '../protocol/market.ts'
import { Decimal } from '../values/decimal.ts'

const closeBelow = Decimal.of('0.95')
const closeAbove = Decimal.of('1.05')

/** Closes a position of this signed size: reduce-only, at once or not at all, 5% beyond the price. */
export function closeOrder(market: Market, size: Decimal, price: Decimal, mint: CloidMint): Order {
  const isBuy = size.isNegative()
  return {
    asset: market.asset,
    isBuy,
    price: roundOutward(market, price.times(isBuy ? closeAbove : closeBelow), isBuy),
    size: size.abs(),
    isReduceOnly: true,
    type: { kind: 'limit', tif: 'Ioc' },
    cloid: mint('close'),
  }
}

/** Guard's own stop for a position of this signed size: full size, market, 10% of room. */
export function stopOrder(market: Market, size: Decimal, trigger: Decimal, mint: CloidMint): Order {
  const isLong = size.isPositive()
  const limit = stopLimit(market, trigger, isLong)
  return marketStop(market, { isLong, size: size.abs(), trigger, limit, cloid: mint('stop') })
}
