import { Decimal } from '../../../../src/core/values/decimal.ts'
import { touchAround } from '../grid.ts'
import { absorbDebt, handOver } from '../liquidation.ts'
import { requote, withdrawQuotes } from '../makers.ts'
import { cancelByVenue } from '../matching.ts'
import { cashIn, collateralOf, poolOf } from '../pools.ts'
import { bookTrade } from '../position.ts'
import { endTwaps } from '../twaps.ts'
import type { FillView } from '../views.ts'
import type { Account, MarketState, Position, World } from '../world.ts'

/** Ends trading for now or, delisted, for good: no order stays, and positions end at the mark. */
export function stopTrading(world: World, market: MarketState, isForGood: boolean): void {
  const { builder } = market
  if (builder === null) return
  if (market.market.isDelisted) {
    // Nothing is open there; what is gone for good does not become a halt.
    if (isForGood) builder.isHalted = false
    return
  }
  builder.isHalted = !isForGood
  endTwaps(world, market)
  for (const account of world.accounts.values()) {
    for (const order of [...account.orders.values()].reverse()) {
      if (order.market === market) cancelByVenue(world, order, world.options.haltStatus)
    }
  }
  withdrawQuotes(market)
  market.market = { ...market.market, isDelisted: true }
  for (const account of [world.maker, world.crowd, world.liquidator, ...world.accounts.values()]) {
    const position = account.positions.get(market.coin)
    if (position !== undefined) settle(world, account, position)
  }
  market.premiumSum = Decimal.zero
  market.premiumSamples = 0
  world.events.push({ kind: 'price', coin: market.coin })
}

/** The market is traded again, around the price it had. */
export function resumeTrading(world: World, market: MarketState): void {
  const { builder } = market
  if (builder?.isHalted !== true) return
  builder.isHalted = false
  builder.feed.updatedMs = world.nowMs
  market.market = { ...market.market, isDelisted: false }
  market.premiumUntil = world.nowMs
  market.touch = null
  const touch = touchAround(market.mid, market.sizeDecimals)
  if (touch !== null) requote(world, market, touch)
}

/** A position ends at the mark, for nothing. A loss beyond its margin is the liquidator's. */
function settle(world: World, account: Account, position: Position): void {
  const { market, isIsolated } = position
  const pool = poolOf(account, market)
  const before = cashIn(account, pool)
  const size = position.size.abs()
  const isBuy = position.size.isNegative()
  const effect = bookTrade(account, market, isBuy, size, market.mark, Decimal.zero)
  if (account.isHouse) return
  const change = cashIn(account, pool).minus(before)
  if (isIsolated && change.isNegative()) handOver(world, account, pool, change)
  else absorbDebt(world, account, pool)
  const user = account.address
  if (world.options.haltStatus === 'delistedCanceled') {
    const fill: FillView = {
      ...{ coin: market.coin, price: market.mark, size, isBuy, time: world.nowMs, ...effect },
      ...{ dir: 'Settlement', hash: `0x${'0'.repeat(64)}`, oid: world.nextOid++, crossed: true },
      ...{ fee: Decimal.zero, tid: world.random.tradeId(), cloid: null },
      ...{ feeToken: collateralOf(market), builderFee: null, liquidation: null },
    }
    account.fills.push(fill)
    world.events.push({ kind: 'fill', user, fill })
  }
  world.events.push({ kind: 'account', user })
}
