import type { Address } from '../../../src/core/values/address.ts'
import type { Coin } from '../../../src/core/values/coin.ts'
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
    owner: null,
    isHouse,
    mode: 'disabled',
    isModeSet: false,
    sharesPools: false,
    cash: Decimal.zero,
    dexCash: new Map(),
    spotCash: Decimal.zero,
    tokens: new Map(),
    tokenCosts: new Map(),
    spotOrders: new Map(),
    elsewhere: new Map(),
    positions: new Map(),
    leverage: new Map(),
    orders: new Map(),
    byCloid: new Map(),
    twins: new Map(),
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
    referralCode: null,
    multiSig: null,
    staking: {
      free: Decimal.zero,
      delegated: new Map(),
      leaving: [],
      history: new Ring(keptLedger),
    },
    lent: new Map(),
    borrowed: Decimal.zero,
    keepsDust: false,
    volume: Decimal.zero,
    scheduledCancel: null,
    scheduleFired: { day: 0, count: 0 },
    liquidationCooldownUntil: 0,
  }
}

/** What the account chose for this market, or the venue's default. */
export function leverageOf(account: Account, market: MarketState): LeverageSetting {
  const chosen = account.leverage.get(market.coin)
  const { maxLeverage, onlyIsolated } = market.market
  // A market may have stopped to allow cross margin since.
  if (chosen !== undefined) return onlyIsolated ? { ...chosen, isCross: false } : chosen
  const values = { min20: Math.min(standardLeverage, maxLeverage), max: maxLeverage, '1': 1 }
  return { isCross: !onlyIsolated, value: values[market.options.defaultLeverage] }
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
  const { account } = order
  if (account.isHouse || order.isReduceOnly) return
  addInterest(account.interest, order, size)
}

/** Adds so much of an order to the sums of its market. */
export function addInterest(
  interest: Map<Coin, OpenInterest>,
  order: LiveOrder,
  size: Decimal,
): void {
  const { coin } = order.market
  const value = size.times(order.price)
  const known = interest.get(coin) ?? noInterest()
  if (order.isBuy) {
    known.buySize = known.buySize.plus(size)
    known.buyValue = known.buyValue.plus(value)
  } else {
    known.sellSize = known.sellSize.plus(size)
    known.sellValue = known.sellValue.plus(value)
  }
  if (known.buySize.isZero() && known.sellSize.isZero()) interest.delete(coin)
  else interest.set(coin, known)
}

function noInterest(): OpenInterest {
  const zero = Decimal.zero
  return { buySize: zero, buyValue: zero, sellSize: zero, sellValue: zero }
}
