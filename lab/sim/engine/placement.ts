import { Decimal } from '../../../src/core/values/decimal.ts'
import type { Builder, Json, Order } from '../../../src/core/protocol/action.ts'
import { reducible } from './account.ts'
import { capRefusal } from './dex/capRefusal.ts'
import { marketOf } from './marketOf.ts'
import { crosses, match } from './matching.ts'
import type { MatchResult } from './matching.ts'
import { checkMargin, checkNumbers, checkStanding } from './orderChecks.ts'
import type { Refusal } from './orderChecks.ts'
import { endOrder, rest, tellOrder, watch } from './orderLife.ts'
import { cancelExcess } from './reduceOnly.ts'
import { atScale, unitsAt } from './scaled.ts'
import { filledStatus, postOnlyText, restingStatus, texts, withAsset } from './texts.ts'
import { isFiredTooSoon } from './triggers.ts'
import type { Account, LiveOrder, MarketState, World } from './world.ts'

/** What became of an order: its status in the reply, and itself if it came to life. */
export interface Placed {
  readonly status: Json
  readonly order: LiveOrder | null
  /** The error without the asset, when it was refused. */
  readonly error: string | null
}

const averageScale = 10

export function makeOrder(
  world: World,
  account: Account,
  market: MarketState,
  order: Order,
  builder: Builder | null,
  isPositionTpsl: boolean,
): LiveOrder {
  const size = atScale(order.size, market.sizeDecimals)
  const price = atScale(order.price, market.priceScale)
  const { type } = order
  return {
    oid: world.nextOid++,
    account,
    market,
    isBuy: order.isBuy,
    price,
    units: unitsAt(price, market.priceScale) ?? 0n,
    size,
    originalSize: size,
    filled: Decimal.zero,
    isReduceOnly: order.isReduceOnly,
    tif: type.kind === 'limit' ? type.tif : null,
    trigger:
      type.kind === 'trigger'
        ? { price: type.triggerPrice, isMarket: type.isMarket, tpsl: type.tpsl }
        : null,
    isPositionTpsl,
    cloid: order.cloid,
    builder,
    timestamp: world.nowMs,
    phase: 'incoming',
    parent: null,
    children: [],
    siblings: [],
  }
}

export function refused(asset: number, text: string): Placed {
  return { status: { error: withAsset(text, asset) }, order: null, error: text }
}

/** Refuses an order that got an id; the history remembers it. */
function reject(world: World, live: LiveOrder, why: Refusal): Placed {
  endOrder(world, live, why.status)
  return refused(live.market.asset, why.text)
}

/** Places one order that stands for itself: a limit order or a trigger. */
export function placeOrder(
  world: World,
  account: Account,
  order: Order,
  builder: Builder | null,
  isPositionTpsl = false,
): Placed {
  const market = marketOf(world, order.asset)
  if (market === undefined) return refused(order.asset, texts.badAsset)
  const bad = checkNumbers(world, market, order, isPositionTpsl)
  if (bad !== null) return refused(order.asset, bad.text)
  const live = makeOrder(world, account, market, order, builder, isPositionTpsl)
  const why = checkStanding(world, account, market, order, false, isPositionTpsl)
  if (why !== null) return reject(world, live, why)
  if (live.trigger !== null) return placeTrigger(world, live)
  const short = capRefusal(world, live) ?? checkMargin(world, live)
  if (short !== null) return reject(world, live, short)
  return execute(world, live)
}

/** By one reading a trigger that may open reserves what a limit order at its price would. */
function checkReserve(world: World, live: LiveOrder): Refusal | null {
  return world.options.trigger_reserve === 'none' ? null : checkMargin(world, live, live.price)
}

function placeTrigger(world: World, live: LiveOrder): Placed {
  if (isFiredTooSoon(world, live)) {
    return reject(world, live, { text: texts.badTrigger, status: 'badTriggerPxRejected' })
  }
  const short = checkReserve(world, live)
  if (short !== null) return reject(world, live, short)
  watch(live)
  tellOrder(world, live, 'open')
  world.events.push({ kind: 'openOrders', user: live.account.address })
  if (live.isReduceOnly && world.options.reduceOnlyExcess === 'cancel-oldest-and-triggers') {
    cancelExcess(world, live)
  }
  const status: Json = live.isPositionTpsl
    ? 'waitingForTrigger'
    : restingStatus(live.oid, live.cloid)
  return { status, order: live, error: null }
}

/** Sends a limit order to the book. */
function execute(world: World, live: LiveOrder): Placed {
  const { market, account } = live
  if (live.isReduceOnly) {
    live.size = Decimal.min(live.size, reducible(account, market, live.isBuy))
  }
  if (live.tif === 'Alo' && crosses(live)) {
    const text = postOnlyText(
      market.book.best(true)?.price ?? null,
      market.book.best(false)?.price ?? null,
    )
    return reject(world, live, { text, status: 'badAloPxRejected' })
  }
  const result = match(world, live)
  const isTaker = live.tif === 'Ioc' || live.tif === 'FrontendMarket'
  if (result.filled.isZero() && (isTaker || result.isShortOfMargin)) {
    return reject(world, live, whyUnfilled(live, result))
  }
  if (live.size.isZero()) endOrder(world, live, 'filled')
  else if (result.isShortOfMargin) endOrder(world, live, 'marginCanceled')
  else if (isTaker) endOrder(world, live, 'canceled')
  else return comeToRest(world, live, result)
  return filled(live, result)
}

function whyUnfilled(live: LiveOrder, result: MatchResult): Refusal {
  if (result.isShortOfMargin) return { text: texts.margin, status: 'perpMarginRejected' }
  const isEmpty = live.market.book.best(!live.isBuy) === null
  if (live.tif === 'FrontendMarket' && isEmpty) {
    return { text: texts.noLiquidity, status: 'marketOrderNoLiquidityRejected' }
  }
  return { text: texts.noMatch, status: 'iocCancelRejected' }
}

function comeToRest(world: World, live: LiveOrder, result: MatchResult): Placed {
  // Its own fills may have used up what a reduce-only order had to reduce.
  if (live.isReduceOnly && reducible(live.account, live.market, live.isBuy).isZero()) {
    endOrder(world, live, 'reduceOnlyCanceled')
    return filled(live, result)
  }
  rest(live)
  tellOrder(world, live, 'open')
  world.events.push({ kind: 'openOrders', user: live.account.address })
  if (live.isReduceOnly) cancelExcess(world, live)
  if (result.filled.isPositive() && world.options.partialGtcReply === 'filled') {
    return filled(live, result)
  }
  return { status: restingStatus(live.oid, live.cloid), order: live, error: null }
}

function filled(live: LiveOrder, result: MatchResult): Placed {
  const average = result.value.over(result.filled, averageScale, 'half-even')
  const status = filledStatus(result.filled, average, live.oid, live.cloid)
  return { status, order: live, error: null }
}
