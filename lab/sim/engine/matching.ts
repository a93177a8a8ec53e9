import { Decimal } from '../../../src/core/values/decimal.ts'
import { reducible } from './account.ts'
import { canHold } from './accountMargin.ts'
import { countedVolume, rateOn } from './dex/builderFees.ts'
import { feeOf, makerRate, referredFactor, takerRate } from './fees.ts'
import { endOrder, endSiblings, takeFill, tellOrder } from './orderLife.ts'
import { collateralOf, collect } from './pools.ts'
import { bookTrade } from './position.ts'
import { syncReduceOnly } from './reduceOnly.ts'
import type { FillView } from './views.ts'
import type { LiveOrder, MarketState, World } from './world.ts'

export interface MatchResult {
  readonly filled: Decimal
  /** The sum of size times price over its fills, in what is paid with. */
  readonly value: Decimal
  /** It stopped because the account could not hold more. */
  readonly isShortOfMargin: boolean
}

const zeroHash = `0x${'0'.repeat(64)}`

export type LiquidationMark = FillView['liquidation']

/** Whether an incoming order would trade with what rests. */
export function crosses(order: LiveOrder): boolean {
  const best = order.market.book.bestUnits(!order.isBuy)
  if (best === null) return false
  return order.isBuy ? best <= order.units : best >= order.units
}

/** Trades an incoming order against the book, best price and oldest order first. */
export function match(
  world: World,
  taker: LiveOrder,
  liquidation: LiquidationMark = null,
): MatchResult {
  const { market, account } = taker
  let hash: string | null = null
  let filled = Decimal.zero
  let value = Decimal.zero
  while (taker.size.isPositive() && crosses(taker)) {
    const maker = market.book.firstAgainst(taker.isBuy)
    if (maker === undefined) break
    const size = Decimal.min(taker.size, fillable(maker), cap(taker, liquidation))
    if (size.isZero()) {
      if (cap(taker, liquidation).isZero()) break
      endOrder(world, maker, 'reduceOnlyCanceled')
      continue
    }
    if (maker.account === account) {
      cancelByVenue(world, maker, 'selfTradeCanceled')
      continue
    }
    if (!canHold(maker.account, market, maker.isBuy, size, maker.price)) {
      cancelByVenue(world, maker, 'marginCanceled')
      continue
    }
    const isForced = liquidation !== null || taker.isReduceOnly
    if (!isForced && !canHold(account, market, taker.isBuy, size, maker.price)) {
      return { filled, value, isShortOfMargin: true }
    }
    hash ??= world.random.hash()
    trade(world, maker, taker, size, hash, liquidation)
    filled = filled.plus(size)
    value = value.plus(size.times(maker.price))
  }
  return { filled, value, isShortOfMargin: false }
}

/** A reduce-only order never trades more than the position has. */
function fillable(order: LiveOrder): Decimal {
  if (!order.isReduceOnly) return order.size
  return Decimal.min(order.size, reducible(order.account, order.market, order.isBuy))
}

function cap(taker: LiveOrder, liquidation: LiquidationMark): Decimal {
  return liquidation === null ? fillable(taker) : taker.size
}

/** Ends a resting order for a reason its owner did not ask for. */
export function cancelByVenue(world: World, order: LiveOrder, status: string): void {
  endOrder(world, order, status)
  if (order.account.isHouse) return
  world.events.push({
    kind: 'nonUserCancel',
    user: order.account.address,
    coin: order.market.coin,
    oid: order.oid,
  })
}

function trade(
  world: World,
  maker: LiveOrder,
  taker: LiveOrder,
  size: Decimal,
  hash: string,
  liquidation: LiquidationMark,
): void {
  const { market } = taker
  const { price } = maker
  const tid = world.random.tradeId()
  const [buyer, seller] = taker.isBuy ? [taker, maker] : [maker, taker]
  takeFill(maker, size)
  takeFill(taker, size)
  market.isTouched = true
  bookFill(world, taker, size, price, true, tid, hash, liquidation)
  bookFill(world, maker, size, price, false, tid, hash, liquidation)
  const view = {
    coin: market.coin,
    isBuy: taker.isBuy,
    price,
    size,
    time: world.nowMs,
    hash,
    tid,
    buyer: buyer.account.address,
    seller: seller.account.address,
  }
  recordTrade(world, market, view)
  if (maker.size.isZero()) {
    endOrder(world, maker, 'filled')
    notifyFilled(world, maker)
  } else {
    tellOrder(world, maker, 'open')
  }
  // Before the position that is gone ends what would reduce it, for another reason.
  if (taker.size.isZero()) endSiblings(world, taker)
  syncReduceOnly(world, taker.account, market)
  syncReduceOnly(world, maker.account, market)
}

function recordTrade(
  world: World,
  market: MarketState,
  view: Parameters<MarketState['trades']['push']>[0],
): void {
  market.trades.push(view)
  market.candles.add(world.nowMs, view.price, view.size)
  market.day.add(world.nowMs, view.price, view.size)
  world.events.push({ kind: 'trade', trade: view })
}

function notifyFilled(world: World, maker: LiveOrder): void {
  if (maker.account.isHouse) return
  const side = maker.isBuy ? 'Bought' : 'Sold'
  const size = maker.filled.toString()
  const text = `Resting order filled: ${side} ${size} ${maker.market.coin} at $${maker.price.toString()}`
  world.events.push({ kind: 'notification', user: maker.account.address, text })
}

/** Books one side of a trade and tells its owner. */
function bookFill(
  world: World,
  order: LiveOrder,
  size: Decimal,
  price: Decimal,
  crossed: boolean,
  tid: number,
  hash: string,
  liquidation: LiquidationMark,
): void {
  const { account, market } = order
  if (account.isHouse) {
    bookTrade(account, market, order.isBuy, size, price, Decimal.zero)
    return
  }
  const notional = size.times(price)
  const isLiquidated = liquidation?.liquidatedUser === account.address
  const isFree = isLiquidated && world.options.liquidationFee === 'none'
  const usual = isFree ? Decimal.zero : crossed ? takerRate : makerRate
  const rate = rateOn(market, usual)
  const discount = account.referrer === null ? Decimal.one : referredFactor
  const fee = feeOf(notional, rate, discount, order.builder?.fee ?? null)
  const effect = bookTrade(account, market, order.isBuy, size, price, fee.total)
  collect(world, collateralOf(market), fee.total)
  account.volume = account.volume.plus(countedVolume(market, notional))
  const fill: FillView = {
    coin: market.coin,
    price,
    size,
    isBuy: order.isBuy,
    time: world.nowMs,
    ...effect,
    hash,
    oid: order.oid,
    crossed,
    fee: fee.total,
    tid,
    cloid: order.cloid,
    feeToken: collateralOf(market),
    builderFee: fee.builder,
    liquidation,
  }
  if (order.twapId === undefined) {
    account.fills.push(fill)
    world.events.push({ kind: 'fill', user: account.address, fill })
  } else {
    const slice = { fill: { ...fill, hash: zeroHash }, twapId: order.twapId }
    account.sliceFills.push(slice)
    world.events.push({ kind: 'sliceFill', user: account.address, slice })
  }
  world.events.push({ kind: 'account', user: account.address })
}
