import { Decimal } from '../../../src/core/values/decimal.ts'
import { reducible } from './account.ts'
import { checkMargin } from './orderChecks.ts'
import { match } from './matching.ts'
import { detach, endOrder, firesAbove, rest, tellOrder } from './orderLife.ts'
import type { LiveOrder, MarketState, World } from './world.ts'

/** Whether the mark is where this trigger fires. */
export function wouldFire(world: World, order: LiveOrder): boolean {
  if (order.trigger === null) return false
  const side = order.market.mark.cmp(order.trigger.price)
  if (side === 0) return world.options.triggerComparison === 'inclusive'
  return firesAbove(order) ? side > 0 : side < 0
}

/** Fires what the mark has reached, oldest first, until nothing more fires. */
export function runTriggers(world: World): void {
  for (let again = true; again;) {
    again = false
    for (const market of world.markets) {
      if (!market.needsTriggers) continue
      market.needsTriggers = false
      again = runMarket(world, market) || again
    }
  }
}

function runMarket(world: World, market: MarketState): boolean {
  const due = [...market.watching].filter((order) => wouldFire(world, order))
  for (const order of due) if (order.phase === 'waitingForTrigger') fire(world, order)
  return due.length > 0
}

function fire(world: World, order: LiveOrder): void {
  const { account, market } = order
  detach(order)
  order.phase = 'incoming'
  tellOrder(world, order, 'triggered')
  world.events.push({ kind: 'openOrders', user: account.address })
  if (order.isReduceOnly) {
    const left = reducible(account, market, order.isBuy)
    order.size = order.originalSize.isZero() ? left : Decimal.min(order.size, left)
    if (left.isZero()) {
      endOrder(world, order, 'reduceOnlyCanceled')
      return
    }
  } else if (checkMargin(world, account, market, asRequest(order)) !== null) {
    endOrder(world, order, 'perpMarginRejected')
    return
  }
  const wasEmpty = market.book.best(!order.isBuy) === null
  const result = match(world, order)
  finish(world, order, result.filled, result.isShortOfMargin, wasEmpty)
}

function finish(
  world: World,
  order: LiveOrder,
  filled: Decimal,
  isShortOfMargin: boolean,
  wasEmpty: boolean,
): void {
  const isMarket = order.trigger?.isMarket === true
  if (order.size.isZero()) endOrder(world, order, 'filled')
  else if (isShortOfMargin) {
    endOrder(world, order, filled.isZero() ? 'perpMarginRejected' : 'marginCanceled')
  } else if (order.isReduceOnly && reducible(order.account, order.market, order.isBuy).isZero()) {
    endOrder(world, order, 'reduceOnlyCanceled')
  } else if (!isMarket || world.options.triggeredMarketWithoutMatch === 'rest') {
    rest(order)
    tellOrder(world, order, 'open')
  } else if (filled.isPositive()) endOrder(world, order, 'canceled')
  else endOrder(world, order, wasEmpty ? 'marketOrderNoLiquidityRejected' : 'iocCancelRejected')
}

function asRequest(order: LiveOrder): Parameters<typeof checkMargin>[3] {
  const { isBuy, price, size, isReduceOnly, cloid, market } = order
  return {
    asset: market.asset,
    isBuy,
    price,
    size,
    isReduceOnly,
    type: { kind: 'limit', tif: 'Ioc' },
    cloid,
  }
}
