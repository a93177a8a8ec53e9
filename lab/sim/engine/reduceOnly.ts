import { Decimal } from '../../../src/core/values/decimal.ts'
import { reducible } from './account.ts'
import { endOrder, resize, tellOrder } from './orderLife.ts'
import type { Account, LiveOrder, MarketState, World } from './world.ts'

/**
 * Keeps reduce-only orders inside the position after it changed: without anything to reduce they
 * end, and those in the book shrink to what is left.
 */
export function syncReduceOnly(world: World, account: Account, market: MarketState): void {
  if (account.isHouse || account.orders.size === 0) return
  for (const order of account.orders.values()) {
    if (!order.isReduceOnly || order.market !== market) continue
    if (order.phase !== 'resting' && order.phase !== 'waitingForTrigger') continue
    const left = reducible(account, market, order.isBuy)
    if (left.isZero()) endOrder(world, order, 'reduceOnlyCanceled')
    else if (order.phase === 'resting' && order.size.gt(left)) {
      resize(order, left)
      tellOrder(world, order, 'open')
    }
  }
}

/** When reduce-only orders of one side together exceed the position, the oldest go first. */
export function cancelExcess(world: World, newest: LiveOrder): void {
  const { reduceOnlyExcess } = world.options
  if (reduceOnlyExcess === 'independent') return
  const { account, market, isBuy } = newest
  const countsTriggers = reduceOnlyExcess === 'cancel-oldest-and-triggers'
  const counted = [...account.orders.values()].filter(
    (order) =>
      order.isReduceOnly &&
      (order.phase === 'resting' || (countsTriggers && order.phase === 'waitingForTrigger')) &&
      order.market === market &&
      order.isBuy === isBuy,
  )
  let total = counted.reduce((size, order) => size.plus(order.size), Decimal.zero)
  const left = reducible(account, market, isBuy)
  for (const order of counted) {
    if (total.lte(left) || order === newest) return
    total = total.minus(order.size)
    endOrder(world, order, 'reduceOnlyCanceled')
  }
}
