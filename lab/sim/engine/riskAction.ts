import { Decimal } from '../../../src/core/values/decimal.ts'
import type {
  Json,
  ScheduleCancelAction,
  UpdateIsolatedMarginAction,
  UpdateLeverageAction,
} from '../../../src/core/protocol/action.ts'
import {
  crossMargin,
  freeMargin,
  initialOf,
  isolatedEquity,
  positionValue,
} from './accountMargin.ts'
import { leverageOf } from './account.ts'
import { initialMargin, tierOf } from './marginMath.ts'
import { marketOf } from './marketOf.ts'
import { addCash, poolOf } from './pools.ts'
import { replyDefault, replyError, texts, volumeGateText } from './texts.ts'
import type { Account, LeverageSetting, MarketState, Position, World } from './world.ts'

const dayMs = 86_400_000
const scheduleAheadMs = 5000
const schedulesPerDay = 10
const millionth = Decimal.of('0.000001')
const cashScale = 6

export function applyLeverage(world: World, account: Account, action: UpdateLeverageAction): Json {
  const market = marketOf(world, action.asset)
  if (market === undefined) return replyError(texts.badAsset)
  const { leverage: value, isCross } = action
  const { maxLeverage, onlyIsolated } = market.market
  if (!Number.isSafeInteger(value) || value < 1 || value > maxLeverage) {
    return replyError(texts.badLeverage)
  }
  if (isCross && onlyIsolated) return replyError(texts.onlyIsolated)
  const position = account.positions.get(market.coin)
  const why = whyNotLeverage(world, account, market, isCross, value)
  if (why !== null) return replyError(why)
  const before = leverageOf(account, market)
  account.leverage.set(market.coin, { isCross, value })
  const opened = position?.opened ?? Decimal.zero
  // What is open already keeps its leverage only where that means less margin.
  if (position !== undefined && value < before.value) {
    position.opened = initialMargin(position.size.abs(), value)
  }
  if (isOverspent(world, account, market, before)) {
    account.leverage.set(market.coin, before)
    if (position !== undefined) position.opened = opened
    return replyError(isCross ? texts.crossTooLow : texts.isolatedTooLow)
  }
  world.events.push({ kind: 'leverage', user: account.address, coin: market.coin })
  if (position !== undefined) world.events.push({ kind: 'account', user: account.address })
  return replyDefault
}

/** Why the account may not have this leverage now; null when it may. */
function whyNotLeverage(
  world: World,
  account: Account,
  market: MarketState,
  isCross: boolean,
  value: number,
): string | null {
  const position = account.positions.get(market.coin)
  if (position === undefined) {
    const isSwitch = leverageOf(account, market).isCross !== isCross
    const isRefused = isSwitch && world.options.modeSwitchWithOrders === 'refuse'
    return isRefused && hasOrders(account, market) ? texts.switchLeverage : null
  }
  if (position.isIsolated === isCross) return texts.switchLeverage
  const worth = positionValue(position)
  if (tierOf(market.market.tiers, worth).maxLeverage < value) return texts.badLeverage
  const before = leverageOf(account, market).value
  if (value >= before) return null
  const needed = initialMargin(worth, value)
  if (position.isIsolated) return isolatedEquity(position).lt(needed) ? texts.isolatedTooLow : null
  const cross = crossMargin(account, poolOf(account, market))
  const after = cross.initial.minus(initialOf(account, position)).plus(needed)
  return cross.value.lt(after) ? texts.crossTooLow : null
}

function hasOrders(account: Account, market: MarketState): boolean {
  return [...account.orders.values()].some((order) => order.market === market)
}

/** Whether a lower leverage leaves too little for the orders that rest, and that is refused. */
function isOverspent(
  world: World,
  account: Account,
  market: MarketState,
  before: LeverageSetting,
): boolean {
  if (world.options.leverageWithOrders === 'accept' || !account.interest.has(market.coin)) {
    return false
  }
  const isLower = leverageOf(account, market).value < before.value
  return isLower && freeMargin(world, account, poolOf(account, market)).isNegative()
}

export function applyIsolatedMargin(
  world: World,
  account: Account,
  action: UpdateIsolatedMarginAction,
): Json {
  const market = marketOf(world, action.asset)
  if (market === undefined) return replyError(texts.notIsolated)
  const position = account.positions.get(market.coin)
  if (position === undefined && !leverageOf(account, market).isCross) {
    return replyError(texts.marginEmpty)
  }
  if (position?.isIsolated !== true) return replyError(texts.notIsolated)
  if (action.ntli === 0) return replyError(texts.marginZero)
  const amount = Decimal.whole(action.ntli).times(millionth)
  const why = moveMargin(world, account, market, position, amount)
  return why === null ? replyDefault : replyError(why)
}

/** Brings an isolated position to a leverage by adding or removing margin. */
export function applyTopUp(world: World, account: Account, asset: number, leverage: Decimal): Json {
  const market = marketOf(world, asset)
  const position = market === undefined ? undefined : account.positions.get(market.coin)
  if (market === undefined) return replyError(texts.notIsolated)
  if (!isStrictIsolated(market)) return replyError(texts.notStrictIsolated)
  if (position === undefined) return replyError(texts.marginEmpty)
  if (!leverage.isPositive()) return replyError(texts.badLeverage)
  const target = positionValue(position).over(leverage, cashScale, 'up')
  const amount = target.minus(isolatedEquity(position)).rounded(cashScale, 'up')
  const why = moveMargin(world, account, market, position, amount)
  return why === null ? replyDefault : replyError(why)
}

/** Margin comes back only by closing; a market of the main dex that is isolated only is such a one. */
function isStrictIsolated({ builder, market }: MarketState): boolean {
  return builder === null ? market.onlyIsolated : builder.marginMode === 'strictIsolated'
}

function moveMargin(
  world: World,
  account: Account,
  market: MarketState,
  position: Position,
  amount: Decimal,
): string | null {
  const pool = poolOf(account, market)
  if (amount.isPositive() && freeMargin(world, account, pool).lt(amount)) {
    return texts.marginIncrease
  }
  if (amount.isNegative()) {
    if (isStrictIsolated(market)) return texts.strictIsolated
    const worth = positionValue(position)
    const initial = initialMargin(worth, leverageOf(account, market).value)
    const kept = Decimal.max(initial, worth.times(Decimal.of('0.1')))
    if (isolatedEquity(position).plus(amount).lt(kept)) return texts.marginReduction
  }
  addCash(account, pool, amount.negated())
  position.rawUsd = position.rawUsd.plus(amount)
  world.events.push({ kind: 'account', user: account.address })
  return null
}

export function applySchedule(world: World, account: Account, action: ScheduleCancelAction): Json {
  const { scheduleCancelVolume: required } = world.options
  if (account.volume.lt(required)) {
    return replyError(volumeGateText('set scheduled cancel time', required, account.volume))
  }
  if (action.time === null) {
    account.scheduledCancel = null
    return replyDefault
  }
  if (action.time < world.nowMs + scheduleAheadMs) return replyError(texts.badSchedule)
  const today = Math.floor(world.nowMs / dayMs)
  const { day, count } = account.scheduleFired
  if (day === today && count >= schedulesPerDay) return replyError(texts.scheduleDayLimit)
  account.scheduledCancel = action.time
  return replyDefault
}
