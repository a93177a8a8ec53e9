import { Decimal } from '../../../src/core/values/decimal.ts'
import { leverageOf, positionSize, reducible } from './account.ts'
import {
  crossMargin,
  crossWithin,
  initialOf,
  isolatedEquity,
  marginForSide,
  orderMargin,
  positionValue,
} from './accountMargin.ts'
import type { CrossMargin } from './accountMargin.ts'
import { dexNamed } from './dex/dexReads.ts'
import {
  initialMargin,
  maintenanceMargin,
  returnOnEquity,
  tieredLiquidationPrice,
  shownScale,
} from './marginMath.ts'
import { freeOf } from './money.ts'
import { tierBound } from './orderChecks.ts'
import { entryPrice } from './position.ts'
import { dexPool, inPool, mainPool, onDex } from './pools.ts'
import type { Pool, Within } from './pools.ts'
import { sum } from './scaled.ts'
import { spotHold, spotReserve } from './spot/spotHold.ts'
import type { SpotToken } from './spotPairs.ts'
import type { ActiveAssetView, LeverageView, PerpStateView, PositionView } from './views.ts'
import type { SpotStateView } from './spot/spotViews.ts'
import type { Account, MarketState, Position, World } from './world.ts'

const postedOrderShare = Decimal.of('1.01')

function isUnified(account: Account): boolean {
  return account.mode !== 'disabled'
}

/** Positions in the order of the universe. */
function ordered(account: Account): Position[] {
  return [...account.positions.values()].sort(
    (left, right) => left.market.asset - right.market.asset,
  )
}

function marginUsed(account: Account, position: Position): Decimal {
  if (position.isIsolated) return isolatedEquity(position)
  return initialOf(account, position)
}

export function leverageView(account: Account, market: MarketState): LeverageView {
  const { isCross, value } = leverageOf(account, market)
  const position = account.positions.get(market.coin)
  const isIsolated = position?.isIsolated ?? !isCross
  return {
    type: isIsolated ? 'isolated' : 'cross',
    value,
    rawUsd: position?.isIsolated === true ? position.rawUsd : null,
  }
}

function positionView(account: Account, position: Position, cross: CrossMargin): PositionView {
  const { market, size, entryNotional } = position
  const worth = positionValue(position)
  const pnl = size.isPositive() ? worth.minus(entryNotional) : entryNotional.minus(worth)
  const available = position.isIsolated
    ? isolatedEquity(position).minus(maintenanceMargin(market.market.tiers, worth))
    : cross.value.minus(cross.maintenance)
  return {
    coin: market.coin,
    size,
    leverage: leverageView(account, market),
    entryPrice: entryPrice(position),
    positionValue: worth,
    unrealisedPnl: shown(pnl),
    returnOnEquity: returnOnEquity(pnl, entryNotional, leverageOf(account, market).value),
    liquidationPrice: tieredLiquidationPrice(market.market.tiers, market.mark, size, available),
    marginUsed: shown(marginUsed(account, position)),
    maxLeverage: market.market.maxLeverage,
    cumFunding: {
      allTime: account.fundingAllTime.get(market.coin) ?? Decimal.zero,
      sinceOpen: position.fundingSinceOpen,
      sinceChange: position.fundingSinceChange,
    },
  }
}

function shown(value: Decimal): Decimal {
  return value.rounded(6, 'half-even')
}

/** A balance as the spot state shows it, with 8 decimals; the perp state shows 6. */
function shownOnSpot(value: Decimal): Decimal {
  return value.rounded(8, 'half-even')
}

/** What an account has on one dex; the main one has no name. */
export function perpState(world: World, account: Account, dex: string): PerpStateView {
  const within = onDex(dex)
  const positions = ordered(account).filter(({ market }) => within(market))
  const pool = poolOn(world, account, dex)
  const pooled = crossMargin(account, pool)
  const cross = crossWithin(account, within, Decimal.zero)
  const isolated = positions.filter(({ isIsolated }) => isIsolated)
  const isolatedValue = sum(isolated.map(isolatedEquity))
  const isolatedRaw = sum(isolated.map(({ rawUsd }) => rawUsd))
  const isolatedNotional = sum(isolated.map(positionValue))
  const posted = account.sharesPools ? partOn(world, account, dex) : pooled.value
  const crossRaw = posted.minus(cross.value)
  const reserved = dex === '' ? spotReserve(world, account, pool) : Decimal.zero
  return {
    margin: {
      accountValue: shown(posted.plus(isolatedValue)),
      totalNotional: cross.notional.plus(isolatedNotional),
      totalRawUsd: shown(crossRaw.plus(isolatedRaw)),
      totalMarginUsed: shown(cross.initial.plus(isolatedValue)),
    },
    cross: {
      accountValue: shown(posted),
      totalNotional: cross.notional,
      totalRawUsd: shown(crossRaw),
      totalMarginUsed: shown(cross.initial),
    },
    crossMaintenance: shown(cross.maintenance),
    withdrawable: freeOf(world, account, posted, within, reserved).rounded(6, 'down'),
    positions: positions.map((position) => positionView(account, position, pooled)),
    time: world.nowMs,
  }
}

/** A dex that there is not has a pool in which nobody has anything. */
function poolOn(world: World, account: Account, name: string): Pool {
  if (name === '') return mainPool
  const dex = dexNamed(world, name)
  return dex === null ? `-${name}` : dexPool(account, dex)
}

/**
 * What a dex shows of a pool that it shares: the margin it needs. Only where the account is not
 * unified, what no other dex needs lies on the main dex, and not in spot.
 */
function partOn(world: World, account: Account, name: string): Decimal {
  if (name === '' && !isUnified(account)) {
    const others = world.dexes.filter((dex) => dex?.collateral === 'USDC')
    const elsewhere = others.map((dex) => partOn(world, account, dex?.name ?? ''))
    return crossMargin(account, mainPool).value.minus(sum(elsewhere))
  }
  const within = onDex(name)
  return postedMargin(world, account, crossWithin(account, within, Decimal.zero), within)
}

/**
 * What the perp side of a unified account holds: the margin of its cross positions, and a hundredth
 * more than its resting orders reserve.
 */
function postedMargin(world: World, account: Account, cross: CrossMargin, within: Within): Decimal {
  return cross.initial.plus(orderMargin(world, account, within).times(postedOrderShare))
}

export function spotState(world: World, account: Account): SpotStateView {
  const { lent, borrowed, tokenCosts: costs } = account
  const tokens = new Map(account.tokens)
  const holds = new Map([...tokens.keys()].map((token) => [token, spotHold(world, account, token)]))
  const usdcInOrders = spotHold(world, account, 'USDC')
  const available = new Map<SpotToken, Decimal>()
  for (const token of account.sharesPools ? collaterals(world) : []) {
    const pooled = pooledBalance(world, account, token)
    if (pooled.total.isZero() && pooled.hold.isZero()) continue
    tokens.set(token, pooled.total)
    holds.set(token, pooled.hold.plus(spotHold(world, account, token)))
    available.set(token, pooled.available)
  }
  if (!isUnified(account)) {
    return {
      usdcTotal: account.spotCash,
      usdcHold: shownOnSpot(usdcInOrders),
      usdcAvailableAfterMaintenance: null,
      portfolioRatio: null,
      ...{ tokens, holds, costs, lent, borrowed, available },
    }
  }
  const usdc = pooledBalance(world, account, mainPool)
  return {
    usdcTotal: world.options.pmTotalGross ? usdc.total : usdc.total.minus(borrowed),
    usdcHold: shownOnSpot(usdc.hold.plus(usdcInOrders)),
    usdcAvailableAfterMaintenance: usdc.available,
    portfolioRatio:
      account.mode === 'portfolioMargin'
        ? (world.options.portfolioMarginRatio ?? portfolioRatio(usdc.cross))
        : null,
    ...{ tokens, holds, costs, lent, borrowed, available },
  }
}

/** The balance of a token on which positions of every dex that takes it lean together. */
function pooledBalance(
  world: World,
  account: Account,
  pool: Pool,
): {
  readonly total: Decimal
  readonly hold: Decimal
  readonly available: Decimal
  readonly cross: CrossMargin
} {
  const within = inPool(account, pool)
  const positions = ordered(account).filter(({ market }) => within(market))
  const cross = crossMargin(account, pool)
  const isolated = sum(positions.filter(({ isIsolated }) => isIsolated).map(isolatedEquity))
  const value = cross.value.plus(isolated)
  const isEquity = world.options.unified_total === 'equity'
  const total = isEquity ? value : value.minus(sum(positions.map(unrealised)))
  return {
    total: shownOnSpot(total),
    hold: postedMargin(world, account, cross, within).plus(isolated),
    available: shownOnSpot(Decimal.max(Decimal.zero, cross.value.minus(cross.maintenance))),
    cross,
  }
}

/** The tokens that any dex takes as collateral, without USDC. */
function collaterals(world: World): Set<SpotToken> {
  const taken = world.dexes.flatMap((dex) => dex?.collateral ?? [])
  return new Set(taken.filter((token) => token !== 'USDC'))
}

/** As recorded of an account that has borrowed nothing (without the docs' 20 USDC); 1 where nothing is left. */
function portfolioRatio({ value, maintenance }: CrossMargin): Decimal {
  if (!value.isPositive()) return Decimal.one
  return maintenance.over(value, 10, 'half-even')
}

function unrealised(position: Position): Decimal {
  const worth = positionValue(position)
  const { size, entryNotional } = position
  return size.isPositive() ? worth.minus(entryNotional) : entryNotional.minus(worth)
}

export function activeAsset(world: World, account: Account, market: MarketState): ActiveAssetView {
  const buy = tradable(world, account, market, true)
  const sell = tradable(world, account, market, false)
  return {
    coin: market.coin,
    leverage: activeLeverage(world, account, market),
    maxTradeSizes: [buy.size, sell.size],
    availableToTrade: [buy.available, sell.available],
    markPrice: market.mark,
  }
}

/** The cash of an isolated position is told with it by one reading, and then of none too. */
function activeLeverage(world: World, account: Account, market: MarketState): LeverageView {
  const view = leverageView(account, market)
  const isTold = world.options.activeAssetRawUsd === 'told' && view.type === 'isolated'
  return { ...view, rawUsd: isTold ? (view.rawUsd ?? Decimal.zero) : null }
}

/** The largest order of a side, and its margin at the mark; where a tier bounds it, what is free. */
function tradable(
  world: World,
  account: Account,
  market: MarketState,
  isBuy: boolean,
): { readonly size: Decimal; readonly available: Decimal } {
  const { value } = leverageOf(account, market)
  const { mark, sizeDecimals } = market
  const free = Decimal.max(Decimal.zero, marginForSide(world, account, market, isBuy))
  const closing = reducible(account, market, isBuy)
  // What is free has thirds and sevenths in it, cut at some place: what is short of a lot by that alone is the lot.
  const size = free
    .times(Decimal.whole(value))
    .plus(closing.times(mark))
    .over(mark, shownScale, 'half-even')
    .rounded(sizeDecimals, 'down')
  const bound = tierBound(market, value)
  const held = positionSize(account, market)
  const most = bound
    ?.minus((isBuy ? held : held.negated()).times(mark))
    .over(mark, sizeDecimals, 'down')
  if (most === undefined || size.lte(most)) {
    return { size, available: shown(initialMargin(size.times(mark), value)) }
  }
  const closed = initialMargin(closing.times(mark), value)
  return { size: Decimal.max(Decimal.zero, most), available: shown(free.plus(closed)) }
}
