import type { Address } from '../../../src/core/values/address.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'
import { Ring } from './ring.ts'
import type { Account, LeverageSetting, LiveOrder, MarketState, OpenInterest } from './world.ts'

/** How much of the past the venue can be asked for. */
const keptOrders = 2000
const keptFills = 2000
const keptFundings = 500
const keptLedger = 500

const standardLeverage = 20

export function newAccount(address: Address, isHouse: boolean): Account {
  return {
    address,
    isHouse,
    mode: 'disabled',
    cash: Decimal.zero,
    spotCash: Decimal.zero,
    tokens: new Map(),
    elsewhere: new Map(),
    positions: new Map(),
    leverage: new Map(),
    orders: new Map(),
    byCloid: new Map(),
    interest: new Map(),
    fundingAllTime: new Map(),
    history: new Ring(keptOrders),
    rows: new Map(),
    rowsByCloid: new Map(),
    fills: new Ring(keptFills),
    twaps: new Map(),
    twapHistory: new Ring(keptOrders),
    sliceFills: new Ring(keptFills),
    fundings: new Ring(keptFundings),
    ledger: new Ring(keptLedger),
    agents: [],
    agentRemovalUntil: 0,
    builders: new Map(),
    referrer: null,
    volume: Decimal.zero,
    scheduledCancel: null,
    scheduleFired: { day: 0, count: 0 },
    liquidationCooldownUntil: 0,
  }
}

/** What the account chose for this market, or the venue's default. */
export function leverageOf(account: Account, market: MarketState): LeverageSetting {
  const chosen = account.leverage.get(market.coin)
  if (chosen !== undefined) return chosen
  return {
    isCross: !market.market.onlyIsolated,
    value: Math.min(standardLeverage, market.market.maxLeverage),
  }
}

/** Signed; zero without a position. */
export function positionSize(account: Account, market: MarketState): Decimal {
  return account.positions.get(market.coin)?.size ?? Decimal.zero
}

/** How much an order of this side could close. */
export function reducible(account: Account, market: MarketState, isBuy: boolean): Decimal {
  const size = positionSize(account, market)
  if (size.isZero() || size.isNegative() !== isBuy) return Decimal.zero
  return size.abs()
}

/** Adds a resting order to (or, negative, takes it from) what reserves margin. */
export function countInterest(order: LiveOrder, size: Decimal): void {
  const { account, market } = order
  if (account.isHouse || order.isReduceOnly) return
  const value = size.times(order.price)
  const known = account.interest.get(market.coin) ?? noInterest()
  if (order.isBuy) {
    known.buySize = known.buySize.plus(size)
    known.buyValue = known.buyValue.plus(value)
  } else {
    known.sellSize = known.sellSize.plus(size)
    known.sellValue = known.sellValue.plus(value)
  }
  if (known.buySize.isZero() && known.sellSize.isZero()) account.interest.delete(market.coin)
  else account.interest.set(market.coin, known)
}

function noInterest(): OpenInterest {
  const zero = Decimal.zero
  return { buySize: zero, buyValue: zero, sellSize: zero, sellValue: zero }
}
