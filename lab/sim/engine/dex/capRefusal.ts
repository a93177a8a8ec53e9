import type { Decimal } from '../../../../src/core/values/decimal.ts'
import { positionSize } from '../account.ts'
import { cancelByVenue } from '../matching.ts'
import { capTexts } from '../texts.ts'
import type { LiveOrder, World } from '../world.ts'
import { isAtCap } from './openInterest.ts'

type Asked = Pick<LiveOrder, 'account' | 'market' | 'isBuy' | 'size' | 'price' | 'isReduceOnly'>

/** Why the cap of open interest refuses an order; null where it does not. */
export function capRefusal(
  world: World,
  order: Asked,
): { readonly text: string; readonly status: string } | null {
  const { market, isReduceOnly } = order
  if (market.builder === null || isReduceOnly || !isAtCap(world, market)) return null
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
    for (const market of dex?.markets ?? []) {
      if (!isAtCap(world, market)) continue
      for (const account of world.accounts.values()) {
        for (const order of [...account.orders.values()]) {
          const isHere = order.market === market && order.phase === 'resting'
          if (!isHere || order.isReduceOnly || changeBy(order) === 'close') continue
          if (isAggressive(order, market.oracle)) {
            cancelByVenue(world, order, 'openInterestCapCanceled')
          }
        }
      }
    }
  }
}
