import { Decimal } from '../../../src/core/values/decimal.ts'
import { reducible } from './account.ts'
import { holdable } from './accountMargin.ts'
import { capRefusal } from './dex/capRefusal.ts'
import { checkMargin } from './orderChecks.ts'
import { match } from './matching.ts'
import { detach, endOrder, firesAbove, register, rest, tellOrder, unregister } from './orderLife.ts'
import type { LiveOrder, MarketState, World } from './world.ts'

/** Whether the mark is where this trigger fires. */
function wouldFire(world: World, order: LiveOrder): boolean {
  if (order.trigger === null) return false
  const side = order.market.mark.cmp(order.trigger.price)
  if (side === 0) return world.options.trigger_cmp === 'ge'
  return firesAbove(order) ? side > 0 : side < 0
}

/** Whether a trigger is refused because the mark is there already. */
export function isFiredTooSoon(world: World, order: LiveOrder): boolean {
  return world.options.instantTriggers === 'refuse' && wouldFire(world, order)
}

/** When triggers next look at the mark: only where they do not look at every change. */
export function nextTriggersMs(world: World): number | null {
  const step = world.options.mark_step_ms
  if (step === 0 || !world.everyMarket.some(({ needsTriggers }) => needsTriggers)) return null
  return Math.ceil(world.nowMs / step) * step
}

/** Fires what the mark has reached, oldest first, until nothing more fires. */
export function runTriggers(world: World): void {
  const step = world.options.mark_step_ms
  if (step > 0 && world.nowMs % step !== 0) return
  for (let again = true; again;) {
    again = false
    for (const market of world.everyMarket) {
      if (!market.needsTriggers) continue
      market.needsTriggers = false
      again = runMarket(world, market) || again
    }
  }
}

function runMarket(world: World, market: MarketState): boolean {
  const due = [...market.watching].filter(
    (order) => wouldFire(world, order) && !isHeldBack(world, order),
  )
  for (const order of due) if (order.phase === 'waitingForTrigger') fire(world, order)
  return due.length > 0
}

/** By one reading market triggers wait while only post-only orders are taken. */
function isHeldBack({ options }: World, { trigger }: LiveOrder): boolean {
  const waits = options.postOnlyPeriod && options.postOnlyTriggers === 'wait'
  return waits && trigger?.isMarket === true
}

function fire(world: World, fired: LiveOrder): void {
  const { account, market } = fired
  detach(fired)
  fired.phase = 'incoming'
  tellOrder(world, fired, 'triggered')
  world.events.push({ kind: 'openOrders', user: account.address })
  const order = world.options.trigger_new_oid ? renumbered(world, fired) : fired
  if (order.isReduceOnly) {
    const left = reducible(account, market, order.isBuy)
    order.size = order.originalSize.isZero() ? left : Decimal.min(order.size, left)
    if (left.isZero()) {
      endOrder(world, order, 'reduceOnlyCanceled')
      return
    }
  }
  if (world.options.postOnlyPeriod && order.trigger?.isMarket === true) {
    endOrder(world, order, 'iocCancelRejected')
    return
  }
  const fit = order.isReduceOnly ? { most: order.size, isShort: false } : margined(world, order)
  if (typeof fit === 'string') {
    endOrder(world, order, fit)
    return
  }
  const wasEmpty = market.book.best(!order.isBuy) === null
  const beyond = order.size.minus(fit.most)
  order.size = fit.most
  const result = match(world, order)
  order.size = order.size.plus(beyond)
  finish(world, order, result.filled, result.isShortOfMargin || fit.isShort, wasEmpty)
}

/**
 * How much of an order that fires the account has margin for: all of it or, by one reading, a part.
 * What is short of margin may fill at once and never rests, also where all of it could be held. Where
 * nothing may fill, the status it ends with; beyond the limit of a margin tier nothing may.
 */
function margined(
  world: World,
  order: LiveOrder,
): { readonly most: Decimal; readonly isShort: boolean } | string {
  const why = capRefusal(world, order) ?? checkMargin(world, order)
  if (why === null) return { most: order.size, isShort: false }
  const isShortOfMargin = why.status === 'perpMarginRejected'
  if (!isShortOfMargin || world.options.trigger_no_margin === 'reject') return why.status
  const { account, market, isBuy, size } = order
  const price = market.book.best(!isBuy)?.price ?? market.mark
  const part = holdable(account, market, isBuy, size, price)
  return part.isZero() ? why.status : { most: part, isShort: true }
}

/** The same order under a new number: what went before stays in the history under the old one. */
function renumbered(world: World, fired: LiveOrder): LiveOrder {
  unregister(fired)
  const order = { ...fired, oid: world.nextOid++ }
  fired.phase = 'done'
  const family = fired.siblings.map((each) => (each === fired ? order : each))
  for (const each of family) each.siblings = family
  register(order)
  return order
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
