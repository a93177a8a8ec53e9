import { Decimal } from '../../../src/core/values/decimal.ts'
import { leverageOf, positionSize, reducible } from './account.ts'
import { initialMargin, maintenanceMargin, quotientScale } from './marginMath.ts'
import type {
  Account,
  LeverageSetting,
  MarketState,
  OpenInterest,
  Position,
  World,
} from './world.ts'

/** The sums an account's margin is judged by. */
export interface CrossMargin {
  readonly value: Decimal
  readonly notional: Decimal
  readonly initial: Decimal
  readonly maintenance: Decimal
}

export function positionValue(position: Position): Decimal {
  return position.size.abs().times(position.market.mark)
}

export function isolatedEquity(position: Position): Decimal {
  return position.rawUsd.plus(position.size.times(position.market.mark))
}

/** The venue cuts each position's share to six decimals before it adds them up. */
export function maintenanceOf(position: Position): Decimal {
  const exact = maintenanceMargin(position.market.market.tiers, positionValue(position))
  return exact.rounded(6, 'down')
}

export function crossMargin(account: Account): CrossMargin {
  let value = account.cash
  let notional = Decimal.zero
  let initial = Decimal.zero
  let maintenance = Decimal.zero
  for (const position of account.positions.values()) {
    if (position.isIsolated) continue
    const worth = positionValue(position)
    value = value.plus(position.size.times(position.market.mark))
    notional = notional.plus(worth)
    initial = initial.plus(initialMargin(worth, leverageOf(account, position.market).value))
    maintenance = maintenance.plus(maintenanceOf(position))
  }
  return { value, notional, initial, maintenance }
}

/** What resting orders reserve: their value over the leverage, as far as they would not close. */
export function orderMargin(world: World, account: Account): Decimal {
  let reserved = Decimal.zero
  for (const [coin, interest] of account.interest) {
    const market = world.byCoin.get(coin)
    if (market === undefined) continue
    const value = openingValue(world, account, market, interest)
    reserved = reserved.plus(initialMargin(value, leverageOf(account, market).value))
  }
  return reserved
}

function openingValue(
  world: World,
  account: Account,
  market: MarketState,
  interest: OpenInterest,
): Decimal {
  const position = positionSize(account, market)
  const short = position.isNegative() ? position.abs() : Decimal.zero
  const long = position.isPositive() ? position : Decimal.zero
  const buys = beyond(interest.buySize, interest.buyValue, short)
  const sells = beyond(interest.sellSize, interest.sellValue, long)
  return world.options.orderMargin === 'sum-of-sides' ? buys.plus(sells) : Decimal.max(buys, sells)
}

function beyond(size: Decimal, value: Decimal, closing: Decimal): Decimal {
  if (size.lte(closing)) return Decimal.zero
  if (closing.isZero()) return value
  return value.times(size.minus(closing)).over(size, quotientScale, 'half-even')
}

/** What is free for new orders. */
export function freeMargin(world: World, account: Account): Decimal {
  const cross = crossMargin(account)
  return cross.value.minus(cross.initial).minus(orderMargin(world, account))
}

/** Margin the account must have free to place an order of this size at this price. */
export function marginToPlace(
  account: Account,
  market: MarketState,
  isBuy: boolean,
  size: Decimal,
  price: Decimal,
): Decimal {
  const opening = size.minus(Decimal.min(size, reducible(account, market, isBuy)))
  if (opening.isZero()) return Decimal.zero
  const { value: leverage } = leverageOf(account, market)
  return initialMargin(opening.times(price), leverage)
}

/** Whether the account could hold the position this trade would leave, at the mark. */
export function canHold(
  account: Account,
  market: MarketState,
  isBuy: boolean,
  size: Decimal,
  price: Decimal,
  feeRate: Decimal,
): boolean {
  if (account.isHouse) return true
  const closing = Decimal.min(size, reducible(account, market, isBuy))
  const opening = size.minus(closing)
  if (opening.isZero()) return true
  const setting = leverageOf(account, market)
  const cross = crossMargin(account)
  const fee = size.times(price).times(feeRate)
  if (isHeldIsolated(account, market, setting)) {
    const margin = initialMargin(opening.times(price), setting.value)
    const freed = closedIsolatedEquity(account, market, closing, price)
    return cross.value.plus(freed).minus(fee).minus(cross.initial).gte(margin)
  }
  const held = positionSize(account, market)
  const edge = isBuy ? market.mark.minus(price) : price.minus(market.mark)
  const after = cross.value.plus(size.times(edge)).minus(fee)
  const left = isBuy ? held.plus(size) : held.minus(size)
  const grown = left.abs().minus(held.abs()).times(market.mark)
  return after.gte(cross.initial.plus(initialMargin(grown, setting.value)))
}

function isHeldIsolated(account: Account, market: MarketState, setting: LeverageSetting): boolean {
  return account.positions.get(market.coin)?.isIsolated ?? !setting.isCross
}

function closedIsolatedEquity(
  account: Account,
  market: MarketState,
  closing: Decimal,
  price: Decimal,
): Decimal {
  const position = account.positions.get(market.coin)
  if (position === undefined || closing.isZero()) return Decimal.zero
  return position.rawUsd.plus(position.size.times(price))
}
