import { Decimal } from '../../../src/core/values/decimal.ts'
import type { Coin } from '../../../src/core/values/coin.ts'
import { addInterest, leverageOf, reducible } from './account.ts'
import { initialMargin, maintenanceMargin, quotientScale } from './marginMath.ts'
import { cashIn, inPool, mainPool, poolOf } from './pools.ts'
import type { Pool, Within } from './pools.ts'
import { unitsAt } from './scaled.ts'
import { spotReserve } from './spot/spotHold.ts'
import type {
  Account,
  LeverageSetting,
  LiveOrder,
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

/** What a cross position must have as margin: at its leverage now, or at those it was opened with. */
export function initialOf(account: Account, position: Position): Decimal {
  const { market, opened } = position
  if (!market.options.crossRelever) return opened.times(market.mark)
  return initialMargin(positionValue(position), leverageOf(account, market).value)
}

/** Value and margin of all cross positions that share one pool of collateral. */
export function crossMargin(account: Account, pool: Pool = mainPool): CrossMargin {
  return crossWithin(account, inPool(account, pool), cashIn(account, pool))
}

/** Of the positions in some markets, with this much cash. */
export function crossWithin(account: Account, within: Within, cash: Decimal): CrossMargin {
  let value = cash
  let notional = Decimal.zero
  let initial = Decimal.zero
  let maintenance = Decimal.zero
  for (const position of account.positions.values()) {
    if (position.isIsolated || !within(position.market)) continue
    const worth = positionValue(position)
    value = value.plus(position.size.times(position.market.mark))
    notional = notional.plus(worth)
    initial = initial.plus(initialOf(account, position))
    maintenance = maintenance.plus(maintenanceOf(position))
  }
  return { value, notional, initial, maintenance }
}

/** What resting orders reserve: their value over the leverage, as far as they would not close. */
export function orderMargin(world: World, account: Account, within: Within): Decimal {
  let reserved = Decimal.zero
  for (const coin of reserving(world, account).keys()) {
    const market = world.byCoin.get(coin)
    if (market === undefined || !within(market)) continue
    reserved = reserved.plus(marketMargin(world, account, market))
  }
  return reserved
}

/** What rests, and by one reading the triggers that may open a position too. */
function reserving(world: World, account: Account): ReadonlyMap<Coin, OpenInterest> {
  if (world.options.trigger_reserve === 'none') return account.interest
  const counted = new Map([...account.interest].map(([coin, each]) => [coin, { ...each }]))
  for (const order of account.orders.values()) {
    if (order.phase === 'waitingForTrigger' && !order.isReduceOnly) {
      addInterest(counted, order, order.size)
    }
  }
  return counted
}

/** What the resting orders of one market reserve, by the reading of how its two sides add up. */
function marketMargin(
  world: World,
  account: Account,
  market: MarketState,
  orders = reserving(world, account),
): Decimal {
  const buys = sideMargin(world, account, market, true, orders)
  const sells = sideMargin(world, account, market, false, orders)
  return world.options.bothSides === 'sum' ? buys.plus(sells) : Decimal.max(buys, sells)
}

/** What one order adds to what the orders of its market reserve. */
export function marginUsedBy(world: World, account: Account, order: LiveOrder): Decimal {
  const { phase, isReduceOnly, market } = order
  const isTrigger = phase === 'waitingForTrigger' && world.options.trigger_reserve === 'limit'
  if (isReduceOnly || !(isTrigger || phase === 'resting')) return Decimal.zero
  const orders = reserving(world, account)
  const others = new Map([...orders].map(([coin, each]) => [coin, { ...each }]))
  addInterest(others, order, order.size.negated())
  const reserved = marketMargin(world, account, market, orders)
  return reserved.minus(marketMargin(world, account, market, others))
}

/** What the resting orders of one side reserve; the part that closes a position reserves nothing. */
function sideMargin(
  world: World,
  account: Account,
  market: MarketState,
  isBuy: boolean,
  orders = reserving(world, account),
): Decimal {
  const interest = orders.get(market.coin)
  if (interest === undefined) return Decimal.zero
  const closing = reducible(account, market, isBuy)
  const isIgnored = world.options.oppositeExcess === 'ignore'
  const opening = isBuy
    ? beyond(interest.buySize, interest.buyValue, closing, isIgnored)
    : beyond(interest.sellSize, interest.sellValue, closing, isIgnored)
  return initialMargin(opening, leverageOf(account, market).value)
}

function beyond(size: Decimal, value: Decimal, closing: Decimal, isIgnored: boolean): Decimal {
  if (closing.isZero()) return value
  if (isIgnored || size.lte(closing)) return Decimal.zero
  return value.times(size.minus(closing)).over(size, quotientScale, 'half-even')
}

/** What a pool has free to become margin of a position. */
export function freeMargin(world: World, account: Account, pool: Pool): Decimal {
  const cross = crossMargin(account, pool)
  const orders = orderMargin(world, account, inPool(account, pool))
  const reserved = orders.plus(spotReserve(world, account, pool))
  return cross.value.minus(cross.initial).minus(reserved)
}

/**
 * Margin for the opening part of a new order of this side. The orders of the other side in the same
 * market do not count against it, and closing an opposite position first gives its margin back:
 * `activeAssetData` counts like this.
 */
export function marginForSide(
  world: World,
  account: Account,
  market: MarketState,
  isBuy: boolean,
): Decimal {
  const pool = poolOf(account, market)
  const cross = crossMargin(account, pool)
  const here = marketMargin(world, account, market)
  const elsewhere = orderMargin(world, account, inPool(account, pool)).minus(here)
  return cross.value
    .minus(cross.initial)
    .minus(elsewhere)
    .minus(spotReserve(world, account, pool))
    .minus(sideMargin(world, account, market, isBuy))
    .plus(givenBack(account, market, isBuy))
}

/** What closing the position that an order of this side would close first gives back. */
function givenBack(account: Account, market: MarketState, isBuy: boolean): Decimal {
  const position = account.positions.get(market.coin)
  if (position === undefined || reducible(account, market, isBuy).isZero()) return Decimal.zero
  if (position.isIsolated) return isolatedEquity(position)
  return initialOf(account, position)
}

/**
 * Margin that an order of this size takes at this price: only what opens counts. What waits finds
 * the orders before it: a position that they would close already is not there for it.
 */
export function marginToPlace(
  world: World,
  account: Account,
  market: MarketState,
  isBuy: boolean,
  size: Decimal,
  price: Decimal,
  waits: boolean,
): Decimal {
  const opposite = reducible(account, market, isBuy)
  if (world.options.oppositeExcess === 'ignore' && opposite.isPositive()) return Decimal.zero
  const taken = waits ? restingSize(world, account, market, isBuy) : Decimal.zero
  const closing = Decimal.max(Decimal.zero, Decimal.min(size, opposite.minus(taken)))
  const opening = size.minus(closing)
  if (opening.isZero()) return Decimal.zero
  const { value: leverage } = leverageOf(account, market)
  return initialMargin(opening.times(price), leverage)
}

/** What rests on one side of a market and may open a position. */
function restingSize(world: World, account: Account, market: MarketState, isBuy: boolean): Decimal {
  const interest = reserving(world, account).get(market.coin)
  return (isBuy ? interest?.buySize : interest?.sellSize) ?? Decimal.zero
}

/**
 * Whether the account could hold the position this trade would leave, at the mark. The fee does not
 * count: an order of the largest size that the venue names fits.
 */
export function canHold(
  account: Account,
  market: MarketState,
  isBuy: boolean,
  size: Decimal,
  price: Decimal,
): boolean {
  if (account.isHouse) return true
  const closing = Decimal.min(size, reducible(account, market, isBuy))
  const opening = size.minus(closing)
  if (opening.isZero()) return true
  const setting = leverageOf(account, market)
  const cross = crossMargin(account, poolOf(account, market))
  if (isHeldIsolated(account, market, setting)) {
    const margin = initialMargin(opening.times(price), setting.value)
    const freed = closedIsolatedEquity(account, market, closing, price)
    return cross.value.plus(freed).minus(cross.initial).gte(margin)
  }
  const edge = isBuy ? market.mark.minus(price) : price.minus(market.mark)
  const after = cross.value.plus(size.times(edge))
  // Where anything opens beyond an opposite position, all of that is closed before.
  const kept = cross.initial.minus(givenBack(account, market, isBuy))
  return after.gte(kept.plus(initialMargin(opening.times(market.mark), setting.value)))
}

/** The largest part of a size that the account could hold, found by halving. */
export function holdable(
  account: Account,
  market: MarketState,
  isBuy: boolean,
  size: Decimal,
  price: Decimal,
): Decimal {
  const fits = (lots: bigint): boolean =>
    canHold(account, market, isBuy, new Decimal(lots, market.sizeDecimals), price)
  let held = 0n
  let most = unitsAt(size, market.sizeDecimals) ?? 0n
  while (held < most) {
    const middle = (held + most + 1n) / 2n
    if (fits(middle)) held = middle
    else most = middle - 1n
  }
  return new Decimal(held, market.sizeDecimals)
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
