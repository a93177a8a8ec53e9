import { Decimal } from '../../../../src/core/values/decimal.ts'
import type { Builder, Json, Order } from '../../../../src/core/protocol/action.ts'
import { gridUnitsAt } from '../grid.ts'
import type { Refusal } from '../orderChecks.ts'
import { isOneTooMany } from '../orderLimits.ts'
import { atScale, unitsAt } from '../scaled.ts'
import {
  bandText,
  filledStatus,
  postOnlyText,
  restingStatus,
  spotMinimumText,
  texts,
  withAsset,
} from '../texts.ts'
import type { Account, SpotMarket, SpotOrder, World } from '../world.ts'
import { neededFor } from './spotHold.ts'
import { endSpot, openSpotOrder, restSpot, watchSpot } from './spotLife.ts'
import { spotMarketOf } from './spotMarket.ts'
import { matchSpot, spendable, spotCrosses } from './spotTrade.ts'

/** What became of an order: its status in the reply, and the error where it was refused. */
interface PlacedSpot {
  readonly status: Json
  readonly error: string | null
}

const minimumValue = Decimal.whole(10)
const averageScale = 10

const refusal = (text: string, status: string): Refusal => ({ text, status })

function refusedSpot(asset: number, text: string): PlacedSpot {
  return { status: { error: withAsset(text, asset) }, error: text }
}

/** Checks one order on a spot pair as the venue does, and fills it, lets it rest or refuses it. */
export function placeSpot(
  world: World,
  account: Account,
  order: Order,
  builder: Builder | null,
): PlacedSpot {
  const market = spotMarketOf(world, order.asset)
  if (market === undefined) return refusedSpot(order.asset, texts.badAsset)
  const bad = checkNumbers(world, market, order)
  if (bad !== null) return refusedSpot(order.asset, bad)
  const live = makeSpot(world, account, market, order, builder)
  const why = checkStanding(world, live, order)
  if (why !== null) return reject(world, live, why)
  if (live.trigger !== null) {
    watchSpot(world, live)
    return { status: restingStatus(live.oid, live.cloid), error: null }
  }
  return executeSpot(world, live)
}

function reject(world: World, live: SpotOrder, why: Refusal): PlacedSpot {
  endSpot(world, live, why.status)
  return refusedSpot(live.market.asset, why.text)
}

function checkNumbers(world: World, market: SpotMarket, order: Order): string | null {
  const size = unitsAt(order.size, market.sizeDecimals)
  if (size === null || size < 0n) return texts.badSize
  if (size === 0n) return texts.zeroSize
  if (!order.price.isPositive()) return texts.badPrice
  const isOnGrid = (price: Decimal): boolean =>
    gridUnitsAt(price, market.priceScale, world.options.longIntegerPrices) !== null
  if (!isOnGrid(order.price)) return texts.tick
  const { type } = order
  return type.kind === 'trigger' && !isOnGrid(type.triggerPrice) ? texts.badTrigger : null
}

function makeSpot(
  world: World,
  account: Account,
  market: SpotMarket,
  order: Order,
  builder: Builder | null,
): SpotOrder {
  const size = atScale(order.size, market.sizeDecimals)
  const price = atScale(order.price, market.priceScale)
  const { type } = order
  return {
    ...{ oid: world.nextOid++, account, market, isBuy: order.isBuy, price },
    ...{ units: unitsAt(price, market.priceScale) ?? 0n, size, originalSize: size },
    ...{ filled: Decimal.zero, isReduceOnly: order.isReduceOnly, cloid: order.cloid, builder },
    tif: type.kind === 'limit' ? type.tif : null,
    trigger:
      type.kind === 'trigger'
        ? { price: type.triggerPrice, isMarket: type.isMarket, tpsl: type.tpsl }
        : null,
    ...{ timestamp: world.nowMs, phase: 'incoming' },
  }
}

function checkStanding(world: World, live: SpotOrder, order: Order): Refusal | null {
  const { account, market, cloid } = live
  const { options } = world
  if (options.postOnlyPeriod && live.trigger === null && live.tif !== 'Alo') {
    return refusal(texts.postOnlyPeriod, 'rejected')
  }
  if (live.isReduceOnly && options.spot_reduce_only === 'refuse') {
    return refusal(texts.reduceOnly, 'reduceOnlyRejected')
  }
  if (live.trigger !== null && options.spot_triggers === 'refuse') {
    return refusal(texts.badTrigger, 'badTriggerPxRejected')
  }
  const isDuplicate =
    cloid !== null &&
    (account.byCloid.has(cloid) || openSpotOrder(account, { cloid }) !== undefined)
  if (isDuplicate && options.duplicateCloid === 'refuse') {
    return refusal(texts.duplicateCloid, 'rejected')
  }
  if (order.size.times(order.price).lt(minimumValue)) {
    return refusal(spotMinimumText(market.pair.quote), 'minTradeNtlRejected')
  }
  if (isOneTooMany(world, account, order)) {
    return refusal(texts.tooManyOrders, 'tooManyOpenOrdersRejected')
  }
  return live.trigger === null ? checkBalance(world, live) : null
}

/** What an order gives must be there and free, at its limit. */
export function checkBalance(world: World, live: SpotOrder): Refusal | null {
  if (spendable(world, live).gte(neededFor(world, live, live.size))) return null
  const { spotBalance, spotBalanceLong } = texts
  const text = world.options.spot_balance_text === 'short' ? spotBalance : spotBalanceLong
  return refusal(text, 'insufficientSpotBalanceRejected')
}

/** The whole action is refused for a price that is too far from the pair's. */
export function spotBandError(world: World, order: Order): string | null {
  const market = spotMarketOf(world, order.asset)
  if (market === undefined) return withAsset(texts.badAsset, order.asset)
  const { referenceBandPercent: percent } = world.options
  const distance = order.price.minus(market.price).abs().times(Decimal.whole(100))
  return distance.gt(market.price.times(Decimal.whole(percent))) ? bandText(percent) : null
}

/** Matches an order that has passed the checks; what is left rests, ends, or is refused by its tif. */
function executeSpot(world: World, live: SpotOrder): PlacedSpot {
  const { book } = live.market
  if (live.tif === 'Alo' && spotCrosses(live)) {
    const text = postOnlyText(book.best(true)?.price ?? null, book.best(false)?.price ?? null)
    return reject(world, live, refusal(text, 'badAloPxRejected'))
  }
  const result = matchSpot(world, live)
  const takes = live.tif === 'Ioc' || live.tif === 'FrontendMarket'
  if (takes && result.filled.isZero()) {
    return reject(world, live, refusal(texts.noMatch, 'iocCancelRejected'))
  }
  if (live.size.isZero()) endSpot(world, live, 'filled')
  else if (takes) endSpot(world, live, 'canceled')
  else {
    restSpot(world, live)
    const isTold = result.filled.isPositive() && world.options.partialGtcReply === 'filled'
    if (!isTold) return { status: restingStatus(live.oid, live.cloid), error: null }
  }
  const average = result.value.over(result.filled, averageScale, 'half-even')
  return { status: filledStatus(result.filled, average, live.oid, live.cloid), error: null }
}
