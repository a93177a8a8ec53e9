import type { Decimal } from '../../../src/core/values/decimal.ts'
import type { Order } from '../../../src/core/protocol/action.ts'
import { leverageOf, positionSize, reducible } from './account.ts'
import { marginForSide, marginToPlace } from './accountMargin.ts'
import { gridUnits } from './grid.ts'
import { marketOf } from './marketOf.ts'
import { crosses } from './matching.ts'
import { isBelowMinimum, isOneTooMany, isOutsideBand, largestValue } from './orderLimits.ts'
import { unitsAt } from './scaled.ts'
import { bandText, texts } from './texts.ts'
import type { Account, LiveOrder, MarketState, World } from './world.ts'

/** Why an order is refused: the text, and the status its history row gets. */
export interface Refusal {
  readonly text: string
  readonly status: string
}

const refusal = (text: string, status: string): Refusal => ({ text, status })

/** Checks of the payload alone that are answered once for a whole batch. */
export function preValidation(
  world: World,
  order: Order,
  isChild: boolean,
): { text: string; hasSuffix: boolean } | null {
  const market = marketOf(world, order.asset)
  if (market === undefined) return { text: texts.badAsset, hasSuffix: true }
  if (isChild && !order.isReduceOnly) return { text: texts.childNotReduceOnly, hasSuffix: true }
  if (isOutsideBand(world, market, order)) {
    return { text: bandText(world.options.referenceBandPercent), hasSuffix: false }
  }
  if (world.options.tickCarrier === 'batch') {
    const bad = checkNumbers(world, market, order, isChild)
    if (bad !== null) return { text: bad.text, hasSuffix: true }
  }
  return null
}

/** Size, price and grid. */
export function checkNumbers(
  world: World,
  market: MarketState,
  order: Order,
  mayBeWholePosition: boolean,
): Refusal | null {
  const size = unitsAt(order.size, market.sizeDecimals)
  if (size === null || size < 0n) return refusal(texts.badSize, 'rejected')
  if (size === 0n && !mayBeWholePosition) return refusal(texts.zeroSize, 'rejected')
  if (!order.price.isPositive()) return refusal(texts.badPrice, 'rejected')
  const { longIntegerPrices } = world.options
  if (gridUnits(order.price, market.sizeDecimals, longIntegerPrices) === null) {
    return refusal(texts.tick, 'tickRejected')
  }
  if (order.type.kind === 'trigger') {
    const { triggerPrice, isMarket } = order.type
    const isOffGrid = gridUnits(triggerPrice, market.sizeDecimals, longIntegerPrices) === null
    const isShort = order.isBuy ? order.price.lt(triggerPrice) : order.price.gt(triggerPrice)
    const isVoid = world.options.trigger_p_rule === 'strict' && isMarket && isShort
    if (isOffGrid || isVoid) return refusal(texts.badTrigger, 'badTriggerPxRejected')
  }
  return null
}

/**
 * What depends on the account but not on margin; `isChild` orders have no position yet, and by one
 * reading those of a position may come before it too.
 */
export function checkStanding(
  world: World,
  account: Account,
  market: MarketState,
  order: Order,
  isChild: boolean,
  isPositionTpsl = false,
): Refusal | null {
  if (market.market.isDelisted) return refusal(texts.halted, 'rejected')
  if (world.options.postOnlyPeriod && order.type.kind === 'limit' && order.type.tif !== 'Alo') {
    return refusal(texts.postOnlyPeriod, 'rejected')
  }
  if (!order.isReduceOnly && isLeftCross(account, market)) {
    return refusal(texts.crossReduceOnly, 'hip3CrossMarginReduceOnly')
  }
  const isDuplicate = order.cloid !== null && account.byCloid.has(order.cloid)
  if (isDuplicate && world.options.duplicateCloid === 'refuse') {
    return refusal(texts.duplicateCloid, 'rejected')
  }
  const mayWait = isChild || (isPositionTpsl && world.options.positionTriggers === 'accept')
  if (!mayWait && order.isReduceOnly && reducible(account, market, order.isBuy).isZero()) {
    return refusal(texts.reduceOnly, 'reduceOnlyRejected')
  }
  if (!isChild && isBelowMinimum(account, market, order)) {
    return refusal(texts.minimum, 'minTradeNtlRejected')
  }
  if (order.size.times(order.price).gt(largestValue(market, order))) {
    return refusal(texts.tooLarge, 'rejected')
  }
  if (isOneTooMany(world, account, order)) {
    return refusal(texts.tooManyOrders, 'tooManyOpenOrdersRejected')
  }
  return null
}

/** Whether a cross position is left in a market that allows none any more. */
function isLeftCross(account: Account, { coin, market }: MarketState): boolean {
  return market.onlyIsolated && account.positions.get(coin)?.isIsolated === false
}

/** The most a position may be worth at this leverage; null when no tier bounds it. */
export function tierBound(market: MarketState, leverage: number): Decimal | null {
  return market.market.tiers.find((tier) => tier.maxLeverage < leverage)?.lowerBound ?? null
}

/**
 * Margin and the tier's limit at the current leverage, for an order that is about to be matched or,
 * by one reading, for a trigger that begins to wait and reserves what an order at `reservedAt` would.
 */
export function checkMargin(
  world: World,
  order: LiveOrder,
  reservedAt: Decimal | null = null,
): Refusal | null {
  if (order.isReduceOnly) return null
  const { account, market, isBuy, size } = order
  const held = positionSize(account, market)
  const after = (isBuy ? held.plus(size) : held.minus(size)).abs()
  const bound = tierBound(market, leverageOf(account, market).value)
  if (bound !== null && after.gt(held.abs()) && after.times(market.mark).gt(bound)) {
    return refusal(texts.tierLimit, 'perpMaxPositionRejected')
  }
  const waits = reservedAt !== null || !(takes(order) || crosses(order))
  const price = reservedAt ?? checkedPrice(world, order)
  const needed = marginToPlace(world, account, market, isBuy, size, price, waits)
  if (needed.isZero() || marginForSide(world, account, market, isBuy).gte(needed)) return null
  return refusal(texts.margin, 'perpMarginRejected')
}

/** Whether it never rests. */
function takes({ tif, trigger }: LiveOrder): boolean {
  return tif === 'Ioc' || tif === 'FrontendMarket' || trigger?.isMarket === true
}

/** Taking is judged at the mark or, by one reading, at the limit; what will rest, at its own price. */
function checkedPrice(world: World, order: LiveOrder): Decimal {
  const isAtLimit = takes(order) && world.options.ioc_margin_px === 'limit'
  return isAtLimit || !crosses(order) ? order.price : order.market.mark
}
