import { Decimal } from '../../../src/core/values/decimal.ts'
import { leverageOf, positionSize } from './account.ts'
import {
  crossMargin,
  freeMargin,
  isolatedEquity,
  maintenanceOf,
  orderMargin,
  positionValue,
} from './accountMargin.ts'
import type { CrossMargin } from './accountMargin.ts'
import { initialMargin, liquidationPrice, returnOnEquity, tierOf } from './marginMath.ts'
import { freeToWithdraw } from './money.ts'
import { sum } from './scaled.ts'
import type {
  ActiveAssetView,
  LeverageView,
  PerpStateView,
  PositionView,
  SpotStateView,
} from './views.ts'
import type { Account, MarketState, Position, World } from './world.ts'

const shownScale = 10

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
  const { value } = leverageOf(account, position.market)
  return initialMargin(positionValue(position), value)
}

export function leverageView(account: Account, market: MarketState): LeverageView {
  const { isCross, value } = leverageOf(account, market)
  const position = account.positions.get(market.coin)
  return {
    type: isCross ? 'cross' : 'isolated',
    value,
    rawUsd: position?.isIsolated === true ? position.rawUsd : null,
  }
}

function positionView(account: Account, position: Position, cross: CrossMargin): PositionView {
  const { market, size, entryNotional } = position
  const worth = positionValue(position)
  const pnl = size.isPositive() ? worth.minus(entryNotional) : entryNotional.minus(worth)
  const tier = tierOf(market.market.tiers, worth)
  const available = position.isIsolated
    ? isolatedEquity(position).minus(maintenanceOf(position))
    : cross.value.minus(cross.maintenance)
  return {
    coin: market.coin,
    size,
    leverage: leverageView(account, market),
    entryPrice: entryNotional.over(size.abs(), market.priceScale, 'down'),
    positionValue: worth,
    unrealisedPnl: pnl.rounded(shownScale, 'half-even'),
    returnOnEquity: returnOnEquity(pnl, entryNotional, leverageOf(account, market).value),
    liquidationPrice: liquidationPrice(market.mark, size, available, tier.maxLeverage),
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

export function perpState(world: World, account: Account): PerpStateView {
  const positions = ordered(account)
  const cross = crossMargin(account)
  const isolated = positions.filter(({ isIsolated }) => isIsolated)
  const isolatedValue = sum(isolated.map(isolatedEquity))
  const isolatedRaw = sum(isolated.map(({ rawUsd }) => rawUsd))
  const isolatedNotional = sum(isolated.map(positionValue))
  // The perp side of a unified account only holds what its positions use.
  const posted = isUnified(account) ? cross.initial : cross.value
  const crossRaw = account.cash.minus(cross.value).plus(posted)
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
    withdrawable: isUnified(account)
      ? Decimal.zero
      : freeToWithdraw(world, account).rounded(6, 'down'),
    positions: positions.map((position) => positionView(account, position, cross)),
    time: world.nowMs,
  }
}

export function spotState(world: World, account: Account): SpotStateView {
  if (!isUnified(account)) {
    return {
      usdcTotal: account.spotCash,
      usdcHold: Decimal.zero,
      usdcAvailableAfterMaintenance: null,
      tokens: account.tokens,
    }
  }
  const positions = ordered(account)
  const cross = crossMargin(account)
  const isolated = positions.filter(({ isIsolated }) => isIsolated)
  const value = cross.value.plus(sum(isolated.map(isolatedEquity)))
  const total =
    world.options.unifiedTotal === 'at-mark' ? value : value.minus(sum(positions.map(unrealised)))
  const hold = cross.initial
    .plus(sum(isolated.map(isolatedEquity)))
    .plus(orderMargin(world, account))
  return {
    usdcTotal: shown(total),
    usdcHold: shown(hold),
    usdcAvailableAfterMaintenance: shown(
      Decimal.max(Decimal.zero, cross.value.minus(cross.maintenance)),
    ),
    tokens: account.tokens,
  }
}

function unrealised(position: Position): Decimal {
  const worth = positionValue(position)
  const { size, entryNotional } = position
  return size.isPositive() ? worth.minus(entryNotional) : entryNotional.minus(worth)
}

export function activeAsset(world: World, account: Account, market: MarketState): ActiveAssetView {
  const { value } = leverageOf(account, market)
  const free = Decimal.max(Decimal.zero, freeMargin(world, account))
  const held = positionSize(account, market)
  const sides = [true, false].map((isBuy) => {
    const closing = held.isZero() || held.isPositive() === isBuy ? Decimal.zero : held.abs()
    const released = initialMargin(closing.times(market.mark), value)
    const available = free.plus(released).plus(released)
    const size = available
      .times(Decimal.whole(value))
      .over(market.mark, market.sizeDecimals, 'down')
    return { available: shown(available), size }
  })
  const [buy, sell] = sides as [(typeof sides)[0], (typeof sides)[0]]
  return {
    coin: market.coin,
    leverage: leverageView(account, market),
    maxTradeSizes: [buy.size, sell.size],
    availableToTrade: [buy.available, sell.available],
    markPrice: market.mark,
  }
}
