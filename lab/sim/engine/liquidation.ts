import { Decimal } from '../../../src/core/values/decimal.ts'
import { crossMargin, isolatedEquity, maintenanceOf, positionValue } from './accountMargin.ts'
import { cancelAll } from './cancelAction.ts'
import { houseOrder } from './makers.ts'
import { isBackstop } from './marginMath.ts'
import { match } from './matching.ts'
import type { LiquidationMark } from './matching.ts'
import { addLedger } from './money.ts'
import { addCash, cashIn, collateralOf, poolOf } from './pools.ts'
import type { Pool } from './pools.ts'
import { bookTrade } from './position.ts'
import { atScale, sum } from './scaled.ts'
import { endTwapsAfter } from './twaps.ts'
import type { Account, MarketState, Position, World } from './world.ts'

const cooldownMs = 30_000
const recheckMs = 3000
const highestUnits = 10n ** 18n
const fifth = Decimal.of('0.2')

/** Liquidates every account that is below its maintenance margin at the current marks. */
export function checkLiquidations(world: World): void {
  world.nextLiquidationMs = null
  for (const account of world.accounts.values()) {
    if (account.positions.size === 0) continue
    for (const position of [...account.positions.values()]) {
      if (position.isIsolated && isIsolatedBelow(position)) {
        liquidateIsolated(world, account, position)
      }
    }
    for (const pool of crossPools(account)) {
      if (isCrossBelow(account, pool)) liquidateCross(world, account, pool)
    }
    if (account.positions.size > 0 && isAnyBelow(account)) {
      world.nextLiquidationMs = world.nowMs + recheckMs
    }
  }
}

function isIsolatedBelow(position: Position): boolean {
  return isShort(position.market, isolatedEquity(position), maintenanceOf(position))
}

/** Where the account has cross positions: each pool is judged by itself. */
function crossPools(account: Account): Set<Pool> {
  const held = [...account.positions.values()].filter(({ isIsolated }) => !isIsolated)
  return new Set(held.map(({ market }) => poolOf(account, market)))
}

function crossPositions(account: Account, pool: Pool): Position[] {
  return [...account.positions.values()].filter(
    ({ isIsolated, market }) => !isIsolated && poolOf(account, market) === pool,
  )
}

function isCrossBelow(account: Account, pool: Pool): boolean {
  const cross = crossMargin(account, pool)
  const [held] = crossPositions(account, pool)
  return held !== undefined && isShort(held.market, cross.value, cross.maintenance)
}

/** Whether that much equity is too little, by the reading that this venue has. */
function isShort({ options }: MarketState, equity: Decimal, maintenance: Decimal): boolean {
  return options.liquidationTest === 'at' ? equity.lte(maintenance) : equity.lt(maintenance)
}

function isAnyBelow(account: Account): boolean {
  const isolated = [...account.positions.values()].filter(({ isIsolated }) => isIsolated)
  const isBelow = [...crossPools(account)].some((pool) => isCrossBelow(account, pool))
  return isBelow || isolated.some(isIsolatedBelow)
}

function liquidateCross(world: World, account: Account, pool: Pool): void {
  const cross = crossMargin(account, pool)
  const positions = crossPositions(account, pool).sort(liquidationOrder(world))
  tellLiquidation(world, account, positions, cross.value)
  const isAll = world.options.liqCancels === 'all'
  const markets = new Set(positions.map(({ market }) => market))
  const isMeant = (market: MarketState): boolean =>
    isAll ? poolOf(account, market) === pool : markets.has(market)
  cancelAll(world, account, 'liquidatedCanceled', ({ market }) => isMeant(market))
  endTwapsAfter(world, account, 'liquidation', isMeant)
  if (isBackstop(cross.value, cross.maintenance)) {
    noteTakeOver(world, account, positions, cross.value, 'Cross')
    for (const position of positions)
      takeOver(world, account, position, cross.value, cross.notional)
    // What is left of the margin goes with the positions.
    handOver(world, account, pool, cashIn(account, pool))
    return
  }
  for (const position of positions) {
    sell(world, account, position)
    if (!isCrossBelow(account, pool)) break
  }
  absorbDebt(world, account, pool)
}

function liquidationOrder(world: World): (left: Position, right: Position) => number {
  return world.options.liqOrder === 'risk'
    ? (left, right) => positionValue(right).cmp(positionValue(left))
    : (left, right) => left.market.asset - right.market.asset
}

/** A loss beyond the pool is the liquidator's. */
export function absorbDebt(world: World, account: Account, pool: Pool): void {
  const isFlat = crossPositions(account, pool).length === 0
  const left = cashIn(account, pool)
  if (isFlat && left.isNegative()) handOver(world, account, pool, left)
}

/** Money of a pool, or a debt of it, becomes the liquidator's. */
export function handOver(world: World, account: Account, pool: Pool, amount: Decimal): void {
  addCash(world.liquidator, pool, amount)
  addCash(account, pool, amount.negated())
}

function liquidateIsolated(world: World, account: Account, position: Position): void {
  const equity = isolatedEquity(position)
  const { market } = position
  tellLiquidation(world, account, [position], equity)
  cancelAll(world, account, 'liquidatedCanceled', (order) => order.market === market)
  endTwapsAfter(world, account, 'liquidation', (each) => each === market)
  const pool = poolOf(account, market)
  const before = cashIn(account, pool)
  if (isBackstop(equity, maintenanceOf(position))) {
    noteTakeOver(world, account, [position], equity, 'Isolated')
    takeOver(world, account, position, equity, positionValue(position))
    handOver(world, account, pool, cashIn(account, pool).minus(before))
    return
  }
  sell(world, account, position)
  const change = cashIn(account, pool).minus(before)
  if (!account.positions.has(market.coin) && change.isNegative()) {
    handOver(world, account, pool, change)
  }
}

function tellLiquidation(
  world: World,
  account: Account,
  positions: readonly Position[],
  accountValue: Decimal,
): void {
  world.events.push({
    kind: 'liquidation',
    user: account.address,
    lid: world.random.tradeId(),
    liquidator: world.liquidator.address,
    liquidatedNotional: sum(positions.map(positionValue)),
    accountValue,
  })
}

/** The ledger has a row of what the liquidator takes over; what the book takes is fills alone. */
function noteTakeOver(
  world: World,
  account: Account,
  positions: readonly Position[],
  accountValue: Decimal,
  leverageType: 'Cross' | 'Isolated',
): void {
  addLedger(world, account, {
    type: 'liquidation',
    liquidatedNotional: sum(positions.map(positionValue)),
    accountValue,
    leverageType,
    positions: positions.map(({ market, size }) => ({ coin: market.coin, size })),
  })
}

/** Closing by selling: it was a long. */
function takenOverText(isIsolated: boolean, isBuy: boolean): string {
  return `Liquidated ${isIsolated ? 'Isolated' : 'Cross'} ${isBuy ? 'Short' : 'Long'}`
}

/** Sends a market order for the position, or for a fifth of a large one. */
function sell(world: World, account: Account, position: Position): void {
  const { market } = position
  const isLarge = positionValue(position).gt(world.options.partialLiquidationAbove)
  const isPartial = isLarge && world.nowMs >= account.liquidationCooldownUntil
  const whole = position.size.abs()
  const size = isPartial ? whole.times(fifth).rounded(market.sizeDecimals, 'up') : whole
  if (isPartial) account.liquidationCooldownUntil = world.nowMs + cooldownMs
  const isBuy = position.size.isNegative()
  const units = isBuy ? highestUnits : 1n
  const order = houseOrder(world, account, market, isBuy, units, atScale(size, market.sizeDecimals))
  match(world, order, markOf(account, market, 'market'))
}

function markOf(
  account: Account,
  market: MarketState,
  method: 'market' | 'backstop',
): NonNullable<LiquidationMark> {
  return { liquidatedUser: account.address, markPrice: market.mark, method }
}

/** The liquidator takes a position over, without the book. */
function takeOver(
  world: World,
  account: Account,
  position: Position,
  equity: Decimal,
  notional: Decimal,
): void {
  const { market } = position
  const size = position.size.abs()
  const isBuy = position.size.isNegative()
  const price = takeOverPrice(world, position, equity, notional)
  const wasIsolated = position.isIsolated
  const effect = bookTrade(account, market, isBuy, size, price, Decimal.zero)
  bookTrade(world.liquidator, market, !isBuy, size, price, Decimal.zero)
  const fill = {
    coin: market.coin,
    price,
    size,
    isBuy,
    time: world.nowMs,
    ...effect,
    dir: takenOverText(wasIsolated, isBuy),
    hash: `0x${'0'.repeat(64)}`,
    oid: world.nextOid++,
    crossed: true,
    fee: Decimal.zero,
    tid: world.random.tradeId(),
    cloid: null,
    feeToken: collateralOf(market),
    builderFee: null,
    liquidation: markOf(account, market, 'backstop'),
  }
  account.fills.push(fill)
  world.events.push({ kind: 'fill', user: account.address, fill })
  world.events.push({ kind: 'account', user: account.address })
}

/** The mark, or the price at which the account's equity is gone, shared by value. */
function takeOverPrice(
  world: World,
  position: Position,
  equity: Decimal,
  notional: Decimal,
): Decimal {
  const { market, size } = position
  if (world.options.backstopPrice === 'mark') return market.mark
  const share = equity.over(notional, 16, 'half-even').times(market.mark)
  const price = size.isPositive() ? market.mark.minus(share) : market.mark.plus(share)
  return price.rounded(market.priceScale, 'half-even')
}
