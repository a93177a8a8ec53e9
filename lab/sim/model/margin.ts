import { Exact } from './exact.ts'
import { balanceIn, inPool, poolOf } from './pools.ts'
import type { ModelPool, Within } from './pools.ts'
import type { ModelAccount, ModelMarket, ModelOrder, ModelPosition, ModelState } from './state.ts'

/** Margin as the reference's section on cross margin states it, sum by sum. */

export function leverageOf(
  account: ModelAccount,
  market: ModelMarket,
): { readonly isCross: boolean; readonly value: number } {
  const usual = { isCross: !market.onlyIsolated, value: market.usualLeverage }
  return account.leverage.get(market.coin) ?? usual
}

export function positionIn(account: ModelAccount, market: ModelMarket): ModelPosition | null {
  return account.positions.find((position) => position.market === market) ?? null
}

/** Signed; zero without a position. */
export function heldSize(account: ModelAccount, market: ModelMarket): Exact {
  return positionIn(account, market)?.size ?? Exact.zero
}

/** How much an order of this side can close. */
export function closable(account: ModelAccount, market: ModelMarket, isBuy: boolean): Exact {
  const held = heldSize(account, market)
  return held.sign() === (isBuy ? -1 : 1) ? held.abs() : Exact.zero
}

export function worth(position: ModelPosition): Exact {
  return position.size.abs().times(position.market.mark)
}

export function openProfit(position: ModelPosition, mark = position.market.mark): Exact {
  return position.size.times(mark.minus(position.entry))
}

export function isolatedEquity(position: ModelPosition): Exact {
  return position.put.plus(openProfit(position))
}

const anywhere: Within = () => true

export function crossOf(account: ModelAccount, within = anywhere): ModelPosition[] {
  return account.positions.filter(({ isIsolated, market }) => !isIsolated && within(market))
}

export function isolatedOf(account: ModelAccount, within = anywhere): ModelPosition[] {
  return account.positions.filter(({ isIsolated, market }) => isIsolated && within(market))
}

export function crossProfit(account: ModelAccount, within: Within): Exact {
  return Exact.sum(crossOf(account, within).map((each) => openProfit(each)))
}

export function crossValue(account: ModelAccount, pool: ModelPool): Exact {
  return balanceIn(account, pool).plus(crossProfit(account, inPool(account, pool)))
}

export function crossNotional(account: ModelAccount, within: Within): Exact {
  return Exact.sum(crossOf(account, within).map(worth))
}

export function crossInitial(account: ModelAccount, within: Within): Exact {
  return Exact.sum(crossOf(account, within).map(usedByCross))
}

export function isolatedValue(account: ModelAccount, within: Within): Exact {
  return Exact.sum(isolatedOf(account, within).map(isolatedEquity))
}

export function isolatedNotional(account: ModelAccount, within: Within): Exact {
  return Exact.sum(isolatedOf(account, within).map(worth))
}

export function usedByCross({ opened, market }: ModelPosition): Exact {
  return opened.times(market.mark)
}

/** Rate of the tier times the value, less the deduction that makes the tiers meet. */
function maintenanceAt(market: ModelMarket, value: Exact, tier: number): Exact {
  const rate = (index: number): Exact =>
    Exact.one.over(Exact.of(2 * (market.tiers[index]?.leverage ?? 1)))
  let deduction = Exact.zero
  for (let index = 1; index <= tier; index++) {
    const from = market.tiers[index]?.from ?? Exact.zero
    deduction = deduction.plus(from.times(rate(index).minus(rate(index - 1))))
  }
  return value.times(rate(tier)).minus(deduction)
}

export function tierIndex(market: ModelMarket, value: Exact): number {
  let found = 0
  market.tiers.forEach(({ from }, index) => {
    if (!from.isAbove(value)) found = index
  })
  return found
}

/** Exact, before the venue cuts it. */
function wholeMaintenance(position: ModelPosition): Exact {
  const value = worth(position)
  return maintenanceAt(position.market, value, tierIndex(position.market, value))
}

/** Each position's share is cut to millionths before they are added up. */
export function maintenance(position: ModelPosition): Exact {
  return wholeMaintenance(position).cut(6)
}

export function crossMaintenance(account: ModelAccount, within: Within): Exact {
  return Exact.sum(crossOf(account, within).map(maintenance))
}

/** The mark at which what is above the maintenance margin is gone; null when not above zero. */
export function liquidationPrice(account: ModelAccount, position: ModelPosition): Exact | null {
  const { market, size } = position
  const pool = poolOf(account, market)
  const available = position.isIsolated
    ? isolatedEquity(position).minus(wholeMaintenance(position))
    : crossValue(account, pool).minus(crossMaintenance(account, inPool(account, pool)))
  const side = Exact.of(size.sign())
  const roots = market.tiers.map((tier, index) => {
    const rate = Exact.one.over(Exact.of(2 * tier.leverage))
    const here = maintenanceAt(market, worth(position), index)
    const left = available.plus(wholeMaintenance(position)).minus(here)
    const distance = left.over(size.abs()).over(Exact.one.minus(rate.times(side)))
    return market.mark.minus(side.times(distance))
  })
  const own = roots.find(
    (root, index) => root.sign() > 0 && tierIndex(market, root.times(size.abs())) === index,
  )
  return own ?? null
}

/** The orders of one side of a market that reserve margin. */
function reservingOrders(
  state: ModelState,
  account: ModelAccount,
  market: ModelMarket,
  isBuy: boolean,
): ModelOrder[] {
  return state.open.filter(
    (order) =>
      order.owner === account &&
      order.market === market &&
      order.isBuy === isBuy &&
      (order.where === 'book' || (order.where === 'watching' && state.rules.triggerReserves)) &&
      !order.isReduceOnly,
  )
}

/** Margin that the resting orders of one side of a market reserve. */
function sideMargin(
  state: ModelState,
  account: ModelAccount,
  market: ModelMarket,
  isBuy: boolean,
): Exact {
  const orders = reservingOrders(state, account, market, isBuy)
  const size = Exact.sum(orders.map(({ left }) => left))
  const value = Exact.sum(orders.map(({ left, price }) => left.times(price)))
  const closes = closable(account, market, isBuy)
  if (!size.isAbove(closes)) return Exact.zero
  if (closes.sign() > 0 && !state.rules.excessReserves) return Exact.zero
  const opening = value.times(size.minus(closes)).over(size)
  return opening.over(Exact.of(leverageOf(account, market).value))
}

function marketMargin(state: ModelState, account: ModelAccount, market: ModelMarket): Exact {
  const buys = sideMargin(state, account, market, true)
  const sells = sideMargin(state, account, market, false)
  return state.rules.restingMargin === 'both sides' ? buys.plus(sells) : Exact.most(buys, sells)
}

export function orderMargin(state: ModelState, account: ModelAccount, within: Within): Exact {
  const markets = state.markets.filter(within)
  return Exact.sum(markets.map((market) => marketMargin(state, account, market)))
}

/** Collateral that an order of this side in this market may still use. */
function freeFor(
  state: ModelState,
  account: ModelAccount,
  market: ModelMarket,
  isBuy: boolean,
): Exact {
  const pool = poolOf(account, market)
  const within = inPool(account, pool)
  const reserved = orderMargin(state, account, (each) => within(each) && each !== market)
  return crossValue(account, pool)
    .minus(crossInitial(account, within))
    .minus(reserved)
    .minus(sideMargin(state, account, market, isBuy))
}

/** What closing the opposite position first gives back to an order that goes beyond it. */
function givenBack(account: ModelAccount, market: ModelMarket, isBuy: boolean): Exact {
  const position = positionIn(account, market)
  if (position === null || closable(account, market, isBuy).sign() === 0) return Exact.zero
  return position.isIsolated ? isolatedEquity(position) : usedByCross(position)
}

/**
 * Whether the part of an order that opens is covered, at this price. One that will rest comes after
 * those that rest already: they have the first claim to what there is to close.
 */
export function isCovered(
  state: ModelState,
  account: ModelAccount,
  market: ModelMarket,
  isBuy: boolean,
  size: Exact,
  price: Exact,
  willRest: boolean,
): boolean {
  const closes = closable(account, market, isBuy)
  if (closes.sign() > 0 && !state.rules.excessReserves) return true
  const before = willRest ? reservingOrders(state, account, market, isBuy) : []
  const unclaimed = closes.minus(Exact.sum(before.map(({ left }) => left)))
  const opening = size.minus(Exact.most(unclaimed, Exact.zero))
  if (opening.sign() <= 0) return true
  const needed = opening.times(price).over(Exact.of(leverageOf(account, market).value))
  const free = freeFor(state, account, market, isBuy)
  return !needed.isAbove(free.plus(givenBack(account, market, isBuy)))
}

/** What `activeAssetData` says may be bought or sold: the size, and its margin at the mark. */
export function mostTradable(
  state: ModelState,
  account: ModelAccount,
  market: ModelMarket,
  isBuy: boolean,
): { size: Exact; available: Exact } {
  const leverage = Exact.of(leverageOf(account, market).value)
  const free = freeFor(state, account, market, isBuy).plus(givenBack(account, market, isBuy))
  const toClose = closable(account, market, isBuy)
  const byMargin = Exact.most(free, Exact.zero).times(leverage).over(market.mark).plus(toClose)
  const size = byMargin.cut(market.sizeDecimals)
  const available = size.times(market.mark).over(leverage)
  const bound = market.tiers.find((tier) => Exact.of(tier.leverage).isBelow(leverage))
  if (bound === undefined) return { size, available }
  const held = heldSize(account, market)
  const towards = isBuy ? held : held.negated()
  const most = bound.from.over(market.mark).minus(towards).cut(market.sizeDecimals)
  if (!size.isAbove(most)) return { size, available }
  return {
    size: Exact.most(most, Exact.zero),
    available: byMargin.times(market.mark).over(leverage),
  }
}

/** What may leave a standard account. */
export function withdrawable(
  state: ModelState,
  account: ModelAccount,
  value: Exact,
  within: Within,
): Exact {
  const kept = Exact.most(
    crossInitial(account, within).plus(orderMargin(state, account, within)),
    crossNotional(account, within).over(Exact.of(10)),
  )
  const free = Exact.most(Exact.zero, value.minus(kept))
  const { withdrawableExtra } = state.rules
  if (withdrawableExtra === 'none' || crossOf(account, within).length < 2) return free
  if (withdrawableExtra === 'zero') return Exact.zero
  return Exact.most(Exact.zero, free.minus(crossNotional(account, within).over(Exact.of(200))))
}
