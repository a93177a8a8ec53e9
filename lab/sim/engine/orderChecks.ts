import { Decimal } from '../../../src/core/values/decimal.ts'
import type { Order } from '../../../src/core/protocol/action.ts'
import { leverageOf, positionSize, reducible } from './account.ts'
import { freeMargin, marginToPlace } from './accountMargin.ts'
import { gridUnits } from './grid.ts'
import { tierOf } from './marginMath.ts'
import { isBelowMinimum, isOneTooMany, isOutsideBand, largestValue } from './orderLimits.ts'
import { unitsAt } from './scaled.ts'
import { bandText, texts } from './texts.ts'
import type { Account, MarketState, World } from './world.ts'

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
  const market = world.markets[order.asset]
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
    const isVoid = world.options.triggerLimitRule === 'strict' && isMarket && isShort
    if (isOffGrid || isVoid) return refusal(texts.badTrigger, 'badTriggerPxRejected')
  }
  return null
}

/** What depends on the account but not on margin; `isChild` orders have no position yet. */
export function checkStanding(
  world: World,
  account: Account,
  market: MarketState,
  order: Order,
  isChild: boolean,
): Refusal | null {
  if (market.market.isDelisted) return refusal(texts.halted, 'rejected')
  const isDuplicate = order.cloid !== null && account.byCloid.has(order.cloid)
  if (isDuplicate && world.options.duplicateCloid === 'refuse-open') {
    return refusal(texts.duplicateCloid, 'rejected')
  }
  if (!isChild && order.isReduceOnly && reducible(account, market, order.isBuy).isZero()) {
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

/** Margin and the tier's limit at the current leverage. */
export function checkMargin(
  world: World,
  account: Account,
  market: MarketState,
  order: Order,
): Refusal | null {
  if (order.isReduceOnly) return null
  const held = positionSize(account, market)
  const after = (order.isBuy ? held.plus(order.size) : held.minus(order.size)).abs()
  if (after.gt(held.abs())) {
    const tier = tierOf(market.market.tiers, after.times(market.mark))
    if (tier.maxLeverage < leverageOf(account, market).value) {
      return refusal(texts.tierLimit, 'perpMaxPositionRejected')
    }
  }
  // Taking is judged at the mark; what would rest away from it, at its own price.
  const price = order.isBuy
    ? Decimal.min(order.price, market.mark)
    : Decimal.max(order.price, market.mark)
  const needed = marginToPlace(account, market, order.isBuy, order.size, price)
  if (needed.isZero() || freeMargin(world, account).gte(needed)) return null
  return refusal(texts.margin, 'perpMarginRejected')
}
