import { arriving } from './arriving.ts'
import { take } from './book.ts'
import { Exact } from './exact.ts'
import { endAll } from './life.ts'
import {
  crossMaintenance,
  crossNotional,
  crossOf,
  crossValue,
  isolatedEquity,
  isolatedOf,
  maintenance,
  positionIn,
  worth,
} from './margin.ts'
import { balanceIn, inPool, poolOf } from './pools.ts'
import type { ModelPool } from './pools.ts'
import type {
  ModelAccount,
  ModelLiquidation,
  ModelMarket,
  ModelOrder,
  ModelPosition,
  ModelState,
} from './state.ts'
import { bookTrade } from './trade.ts'
import { endTwaps } from './twaps.ts'

/** What the reference's sequence of a liquidation does to positions and orders. */

const wholeForMs = 30_000
const againMs = 3000

/** Looks at everybody, isolated positions first; who is short after that is looked at again soon. */
export function liquidate(state: ModelState): void {
  state.nextLiquidation = null
  for (const account of state.accounts) {
    for (const position of isolatedOf(account)) {
      if (isPositionShort(state, position)) liquidateIsolated(state, account, position)
    }
    const pools = new Set(crossOf(account).map(({ market }) => poolOf(account, market)))
    for (const pool of pools) {
      if (isCrossShort(state, account, pool)) liquidateCross(state, account, pool)
    }
    const isStillShort =
      [...pools].some((pool) => isCrossShort(state, account, pool)) ||
      isolatedOf(account).some((position) => isPositionShort(state, position))
    if (isStillShort) state.nextLiquidation = state.now + againMs
  }
}

function isShort(state: ModelState, equity: Exact, needed: Exact): boolean {
  return equity.isBelow(needed) || (state.rules.liquidatedAtMaintenance && equity.is(needed))
}

const isPositionShort = (state: ModelState, position: ModelPosition): boolean =>
  isShort(state, isolatedEquity(position), maintenance(position))

function isCrossShort(state: ModelState, account: ModelAccount, pool: ModelPool): boolean {
  const within = inPool(account, pool)
  const needed = crossMaintenance(account, within)
  return crossOf(account, within).length > 0 && isShort(state, crossValue(account, pool), needed)
}

/** Below two thirds of the maintenance margin the book is not asked. */
function isBeyondTheBook(equity: Exact, needed: Exact): boolean {
  return equity.times(Exact.of(3)).isBelow(needed.times(Exact.of(2)))
}

function endOrders(
  state: ModelState,
  account: ModelAccount,
  isMeant: (market: ModelMarket) => boolean,
): void {
  const own = state.open.filter(({ owner, market }) => owner === account && isMeant(market))
  endAll(state, own, 'liquidatedCanceled')
  endTwaps(state, account, 'liquidation', isMeant)
}

function liquidateCross(state: ModelState, account: ModelAccount, pool: ModelPool): void {
  const within = inPool(account, pool)
  const positions = crossOf(account, within).sort((one, two) =>
    state.rules.liquidatedFirst === 'largest'
      ? worth(two).compare(worth(one))
      : one.market.asset - two.market.asset,
  )
  const markets = positions.map(({ market }) => market)
  const isAll = state.rules.liquidationEnds === 'all orders'
  endOrders(state, account, (market) => (isAll ? within(market) : markets.includes(market)))
  const [value, notional] = [crossValue(account, pool), crossNotional(account, within)]
  if (isBeyondTheBook(value, crossMaintenance(account, within))) {
    for (const position of positions) takeOver(state, account, position, value, notional)
    account.balances.set(pool, Exact.zero)
    return
  }
  for (const position of positions) {
    if (isCrossShort(state, account, pool)) sell(state, account, position)
  }
  forgiveDebt(account, pool)
}

/** A debt without a position is not the account's. */
export function forgiveDebt(account: ModelAccount, pool: ModelPool): void {
  if (crossOf(account, inPool(account, pool)).length > 0) return
  account.balances.set(pool, Exact.most(balanceIn(account, pool), Exact.zero))
}

function liquidateIsolated(
  state: ModelState,
  account: ModelAccount,
  position: ModelPosition,
): void {
  const { market } = position
  const equity = isolatedEquity(position)
  endOrders(state, account, (each) => each === market)
  const pool = poolOf(account, market)
  const balance = balanceIn(account, pool)
  if (isBeyondTheBook(equity, maintenance(position))) {
    takeOver(state, account, position, equity, worth(position))
    account.balances.set(pool, balance)
    return
  }
  sell(state, account, position)
  if (positionIn(account, market) !== null) return
  account.balances.set(pool, Exact.most(balanceIn(account, pool), balance))
}

/** A market order for the position, or for a fifth of a large one. */
function sell(state: ModelState, account: ModelAccount, position: ModelPosition): void {
  const { market, size } = position
  const isPart =
    worth(position).isAbove(state.rules.partialAbove) && state.now >= account.wholeUntil
  if (isPart) account.wholeUntil = state.now + wholeForMs
  const lots = Exact.of(10 ** market.sizeDecimals)
  const fifth = size.abs().times(lots).over(Exact.of(5))
  const up = fifth.is(fifth.cut(0)) ? fifth : fifth.cut(0).plus(Exact.one)
  const liquidation = { user: account.address, mark: market.mark, method: 'market' } as const
  const order = closing(state, position, account, isPart ? up.over(lots) : size.abs(), liquidation)
  take(state, order)
}

/** An order of the venue's own that nobody is told of, at any price. */
function closing(
  state: ModelState,
  { market, size: held }: ModelPosition,
  owner: ModelAccount,
  size: Exact,
  liquidation: ModelLiquidation,
): ModelOrder {
  const isBuy = held.sign() < 0
  const price = isBuy ? Exact.of(10 ** 12) : Exact.one.over(Exact.of(10 ** 6))
  const none = { isReduceOnly: false, tif: null, trigger: null, cloid: null }
  return {
    ...arriving(state, owner, market, { isBuy, price, size, ...none }),
    liquidation,
  }
}

/** The liquidator has the position from now on, at the mark or where the equity is gone. */
function takeOver(
  state: ModelState,
  account: ModelAccount,
  position: ModelPosition,
  equity: Exact,
  notional: Exact,
): void {
  const { market, size: start, isIsolated } = position
  const isBuy = start.sign() < 0
  const lost = equity.over(notional).times(market.mark).times(Exact.of(start.sign()))
  const price =
    state.rules.takenOverAt === 'mark'
      ? market.mark
      : market.mark.minus(lost).nearest(6 - market.sizeDecimals)
  const size = start.abs()
  market.takenOver = market.takenOver.plus(start)
  const closedPnl = bookTrade(account, market, isBuy, size, price, Exact.zero)
  account.fills.push({
    ...{ coin: market.coin, price, size, isBuy, time: state.now, start, closedPnl },
    dir: `Liquidated ${isIsolated ? 'Isolated' : 'Cross'} ${isBuy ? 'Short' : 'Long'}`,
    ...{ id: -1, crossed: true, fee: Exact.zero, cloid: null, builderFee: null },
    liquidation: { user: account.address, mark: market.mark, method: 'backstop' },
  })
}
