import type { Decimal } from '../../../../src/core/values/decimal.ts'
import { positionSize } from '../account.ts'
import { cancelByVenue } from '../matching.ts'
import { capTexts } from '../texts.ts'
import type { LiveOrder, MarketState, World } from '../world.ts'
import { cappedMarkets } from './openInterest.ts'

type Asked = Pick<LiveOrder, 'account' | 'market' | 'isBuy' | 'size' | 'price' | 'isReduceOnly'>

/** Why the cap of open interest refuses an order; null where it does not. */
export function capRefusal(
  world: World,
  order: Asked,
): { readonly text: string; readonly status: string } | null {
  const { market, isReduceOnly } = order
  if (market.builder === null || isReduceOnly) return null
  if (!cappedMarkets(world, market.builder.dex).has(market)) return null
  const words = capTexts[world.options.capText]
  const change = changeBy(order)
  if (change === 'increase') {
    return { text: words.increase, status: 'positionIncreaseAtOpenInterestCapRejected' }
  }
  if (change === 'flip') {
    return { text: words.flip, status: 'positionFlipAtOpenInterestCapRejected' }
  }
  if (!isAggressive(order, market.oracle)) return null
  return { text: words.aggressive, status: 'tooAggressiveAtOpenInterestCapRejected' }
}

function changeBy({ account, market, isBuy, size }: Asked): 'increase' | 'flip' | 'close' {
  const held = positionSize(account, market)
  if (held.isZero() || held.isPositive() === isBuy) return 'increase'
  return size.gt(held.abs()) ? 'flip' : 'close'
}

function isAggressive({ isBuy, price }: Asked, oracle: Decimal): boolean {
  return isBuy ? price.gt(oracle) : price.lt(oracle)
}

/** Ends resting orders that would add to open interest at its cap, at a price beyond the oracle. */
export function endAggressive(world: World): void {
  for (const dex of world.dexes) {
    const capped = dex === null ? new Set<MarketState>() : cappedMarkets(world, dex)
    if (capped.size === 0) continue
    for (const account of world.accounts.values()) {
      for (const order of [...account.orders.values()]) {
        if (!capped.has(order.market) || order.phase !== 'resting' || order.isReduceOnly) continue
        if (changeBy(order) === 'close' || !isAggressive(order, order.market.oracle)) continue
        cancelByVenue(world, order, 'openInterestCapCanceled')
      }
    }
  }
}
