import { Decimal } from '../../../../src/core/values/decimal.ts'
import { freeMargin } from '../accountMargin.ts'
import { mainPool } from '../pools.ts'
import { referredFactor } from '../fees.ts'
import type { SpotToken } from '../spotPairs.ts'
import { addSpot, freeSpot } from '../tokens.ts'
import type { FillView } from '../views.ts'
import type { Account, SpotOrder, World } from '../world.ts'
import { givenToken, neededFor, spotMakerRate, spotTakerRate } from './spotHold.ts'
import { endSpot, takeSpotFill, tellSpot } from './spotLife.ts'

interface SpotMatch {
  readonly filled: Decimal
  /** The sum of size times price over its fills, in what is paid with. */
  readonly value: Decimal
}

const tokenScale = 8
const cashScale = 6
const costScale = 16
/** Builder fees count in tenths of a basis point. */
const builderUnit = Decimal.of('0.00001')

export function spotCrosses(order: SpotOrder): boolean {
  const best = order.market.book.bestUnits(!order.isBuy)
  if (best === null) return false
  return order.isBuy ? best <= order.units : best >= order.units
}

/** Trades an incoming order against the book, best price and oldest order first. */
export function matchSpot(world: World, taker: SpotOrder): SpotMatch {
  let hash: string | null = null
  let filled = Decimal.zero
  let value = Decimal.zero
  while (taker.size.isPositive() && spotCrosses(taker)) {
    const maker = taker.market.book.firstAgainst(taker.isBuy)
    if (maker === undefined) break
    if (maker.account === taker.account) {
      endByVenue(world, maker, 'selfTradeCanceled')
      continue
    }
    const size = Decimal.min(taker.size, maker.size)
    if (!canPay(world, maker, size)) {
      endByVenue(world, maker, 'insufficientSpotBalanceRejected')
      continue
    }
    hash ??= world.random.hash()
    trade(world, maker, taker, size, hash)
    filled = filled.plus(size)
    value = value.plus(size.times(maker.price))
  }
  return { filled, value }
}

/** What a resting order holds is its own; of a unified account, losses may have taken it since. */
function canPay(world: World, order: SpotOrder, size: Decimal): boolean {
  if (order.account.isHouse) return true
  const held = neededFor(world, order, order.size)
  return spendable(world, order)
    .plus(held)
    .gte(neededFor(world, order, size))
}

/** How much is free of what an order gives; the USDC of a unified account is margin too. */
export function spendable(world: World, order: SpotOrder): Decimal {
  return spendableOf(world, order.account, givenToken(order))
}

export function spendableOf(world: World, account: Account, token: SpotToken): Decimal {
  const isMargin = token === 'USDC' && account.mode !== 'disabled'
  return isMargin ? freeMargin(world, account, mainPool) : freeSpot(world, account, token)
}

function endByVenue(world: World, order: SpotOrder, status: string): void {
  endSpot(world, order, status)
  const { account, market, oid } = order
  if (account.isHouse) return
  world.events.push({ kind: 'nonUserCancel', user: account.address, coin: market.coin, oid })
}

function trade(
  world: World,
  maker: SpotOrder,
  taker: SpotOrder,
  size: Decimal,
  hash: string,
): void {
  const { market } = taker
  const { price } = maker
  const tid = world.random.tradeId()
  const [buyer, seller] = taker.isBuy ? [taker, maker] : [maker, taker]
  takeSpotFill(maker, size)
  takeSpotFill(taker, size)
  book(world, taker, { size, price, tid, hash, crossed: true })
  book(world, maker, { size, price, tid, hash, crossed: false })
  const told = {
    ...{ coin: market.coin, isBuy: taker.isBuy, price, size, time: world.nowMs, hash, tid },
    ...{ buyer: buyer.account.address, seller: seller.account.address },
  }
  market.trades.push(told)
  market.day.add(world.nowMs, price, size)
  world.events.push({ kind: 'trade', trade: told })
  if (maker.size.isZero()) endSpot(world, maker, 'filled')
  else tellSpot(world, maker, 'open')
}

type Part = Pick<FillView, 'size' | 'price' | 'tid' | 'hash' | 'crossed'>

/** Books one side: it gives one token, gets the other, and pays its fee out of what it gets. */
function book(world: World, order: SpotOrder, part: Part): void {
  const { account, market, isBuy } = order
  const { base, quote } = market.pair
  const value = part.size.times(part.price)
  const before = account.tokens.get(base) ?? Decimal.zero
  if (account.isHouse) {
    addSpot(account, base, isBuy ? part.size : part.size.negated())
    addSpot(account, quote, isBuy ? value.negated() : value)
    return
  }
  const [got, amount] = isBuy ? [base, part.size] : [quote, value]
  const builder = builderPart(order, value)
  const fee = exchangeFee(account, got, amount, part.crossed).plus(builder ?? Decimal.zero)
  addSpot(account, givenToken(order), (isBuy ? value : part.size).negated())
  addSpot(account, got, amount.minus(fee))
  collect(world, got, fee)
  account.volume = account.volume.plus(value)
  const closedPnl = bookCost(account, base, isBuy, before, part.size, value)
  const fill: FillView = {
    ...{ coin: market.coin, price: part.price, size: part.size, isBuy, time: world.nowMs },
    ...{ startPosition: before, dir: isBuy ? 'Buy' : 'Sell', closedPnl, hash: part.hash },
    ...{ oid: order.oid, crossed: part.crossed, fee, tid: part.tid, cloid: order.cloid },
    ...{ feeToken: got, builderFee: builder, liquidation: null },
  }
  account.fills.push(fill)
  const user = account.address
  world.events.push({ kind: 'fill', user, fill }, { kind: 'account', user })
}

/** Cut off after the decimals of what it is paid in. */
function exchangeFee(
  account: Account,
  paidIn: SpotToken,
  amount: Decimal,
  crossed: boolean,
): Decimal {
  const rate = crossed ? spotTakerRate : spotMakerRate
  const share = account.referrer === null ? rate : rate.times(referredFactor)
  return amount.times(share).rounded(paidIn === 'USDC' ? cashScale : tokenScale, 'down')
}

/** A builder is paid by those who sell, in what they are paid with. */
function builderPart({ builder, isBuy }: SpotOrder, value: Decimal): Decimal | null {
  if (builder === null || isBuy) return null
  return value.times(builderUnit).times(Decimal.whole(builder.fee)).rounded(cashScale, 'down')
}

function collect(world: World, token: SpotToken, fee: Decimal): void {
  if (token === 'USDC') world.feesCollected = world.feesCollected.plus(fee)
  else world.tokenFees.set(token, (world.tokenFees.get(token) ?? Decimal.zero).plus(fee))
}

/** What is held was bought for something; a sale realises its share of that. */
function bookCost(
  account: Account,
  base: SpotToken,
  isBuy: boolean,
  before: Decimal,
  size: Decimal,
  value: Decimal,
): Decimal {
  const cost = account.tokenCosts.get(base) ?? Decimal.zero
  if (isBuy) {
    account.tokenCosts.set(base, cost.plus(value))
    return Decimal.zero
  }
  const share = size.gte(before) ? cost : cost.times(size).over(before, costScale, 'half-even')
  account.tokenCosts.set(base, cost.minus(share))
  return value.minus(share).rounded(tokenScale, 'half-even')
}
