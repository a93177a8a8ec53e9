import type { Address } from '../../../src/core/values/address.ts'
import type { Coin } from '../../../src/core/values/coin.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'
import { err, ok } from '../../../src/core/values/result.ts'
import type { Result } from '../../../src/core/values/result.ts'
import { crossMargin } from './accountMargin.ts'
import { neededFor } from './spot/spotHold.ts'
import { spendableOf } from './spot/spotTrade.ts'
import { pairNamed } from './spotPairs.ts'
import type { SpotPair } from './spotPairs.ts'
import { texts } from './texts.ts'
import type { FillView, OrderView } from './views.ts'
import type { Account, World } from './world.ts'

/**
 * What an account does on markets that this venue shows and does not match: spot pairs (`@1`,
 * `PURR/USDC`) and markets of builder dexes (`xyz:TSLA`). Each fill and order is told as it is.
 */
export interface TradeElsewhere {
  readonly coin: Coin
  readonly isBuy: boolean
  readonly price: Decimal
  readonly size: Decimal
  /** What a trade on a builder dex realises; of no meaning for spot. */
  readonly closedPnl: Decimal
}

export type OrderElsewhere = Omit<TradeElsewhere, 'closedPnl'>

const spotFee = Decimal.of('0.0007')
const perpFee = Decimal.of('0.00045')
const cashScale = 6
const tokenScale = 8
const firstSpotAsset = 10_000
/** The first market of the first builder dex. */
const builderAsset = 110_000

/** A fill, with the money that it moves. */
export function tradeElsewhere(world: World, user: Address, trade: TradeElsewhere): Result<number> {
  const found = accountOf(world, user, trade.coin)
  if (!found.ok) return found
  const { account, pair } = found.value
  const why = numberProblem(trade) ?? moneyProblem(world, account, pair, trade)
  if (why !== null) return err(why)
  const fill = pair === null ? builderFill(world, trade) : spotFill(world, account, pair, trade)
  // A builder dex of a standard account has a balance of its own, which is not kept here.
  if (pair === null && account.isUnified) {
    addCash(world, account, fill.closedPnl.minus(fill.fee))
  }
  account.of.fills.push(fill)
  world.events.push({ kind: 'fill', user, fill }, { kind: 'account', user })
  return ok(fill.oid)
}

/** An order that rests; a spot order shows among the orders of the main dex, another one does not. */
export function orderElsewhere(world: World, user: Address, order: OrderElsewhere): Result<number> {
  const found = accountOf(world, user, order.coin)
  if (!found.ok) return found
  const { account, pair } = found.value
  const why =
    numberProblem(order) ?? (pair === null ? null : balanceProblem(world, account, pair, order))
  if (why !== null) return err(why)
  const view: OrderView = {
    asset: pair === null ? builderAsset : firstSpotAsset + pair.index,
    coin: order.coin,
    isBuy: order.isBuy,
    limitPrice: order.price,
    size: order.size,
    originalSize: order.size,
    oid: world.nextOid++,
    timestamp: world.nowMs,
    cloid: null,
    isReduceOnly: false,
    trigger: null,
    isPositionTpsl: false,
    tif: 'Gtc',
    orderType: 'Limit',
    children: [],
  }
  account.of.elsewhere.set(view.oid, view)
  tell(world, account.of, view, 'open')
  return ok(view.oid)
}

/** Ends an order that rests elsewhere; false where there is none of this number on this asset. */
export function endElsewhere(world: World, account: Account, oid: number, asset: number): boolean {
  const order = account.elsewhere.get(oid)
  if (order?.asset !== asset) return false
  account.elsewhere.delete(oid)
  tell(world, account, order, 'canceled')
  return true
}

/** Those that the main dex lists, the newest first. */
export function spotOrders(account: Account): OrderView[] {
  return [...account.elsewhere.values()].filter(({ coin }) => pairNamed(coin) !== null).reverse()
}

function numberProblem({ price, size }: OrderElsewhere): string | null {
  if (!price.isPositive()) return `px: must be above zero, got ${price.toString()}`
  return size.isPositive() ? null : `sz: must be above zero, got ${size.toString()}`
}

/** Nobody pays with what it has not, or with what an order of it holds. */
function balanceProblem(
  world: World,
  { of }: Trader,
  pair: SpotPair,
  order: OrderElsewhere,
): string | null {
  const token = order.isBuy ? pair.quote : pair.base
  const free = spendableOf(world, of, token)
  const needed = neededFor(world, order, order.size)
  if (free.gte(needed)) return null
  return `sz: ${texts.spotBalance}: ${needed.toString()} ${token} are needed and ${free.toString()} are free`
}

function moneyProblem(
  world: World,
  trader: Trader,
  pair: SpotPair | null,
  trade: TradeElsewhere,
): string | null {
  if (pair !== null) return balanceProblem(world, trader, pair, trade)
  if (!trader.isUnified) return null
  const { value } = crossMargin(trader.of)
  const change = trade.closedPnl.minus(builderFee(trade))
  return value.plus(change).isNegative()
    ? `closedPnl: an account that is worth ${value.toString()} cannot lose ${change.negated().toString()}`
    : null
}

interface Trader {
  readonly of: Account
  readonly isUnified: boolean
}

function accountOf(
  world: World,
  user: Address,
  coin: Coin,
): Result<{ readonly account: Trader; readonly pair: SpotPair | null }> {
  const of = world.accounts.get(user)
  if (of === undefined) return err(`user: there is no account ${user}`)
  const pair = pairNamed(coin)
  if (pair === null && !coin.includes(':')) {
    return err(`coin: must be a listed spot pair or a builder dex's market, got ${coin}`)
  }
  if (world.byCoin.has(coin)) return err(`coin: ${coin} is matched here, send an order to it`)
  return ok({ account: { of, isUnified: of.mode !== 'disabled' }, pair })
}

/** A buy pays its fee in the token, a sell in the money it is paid with. */
function spotFill(world: World, account: Trader, pair: SpotPair, trade: TradeElsewhere): FillView {
  const { isBuy, price, size } = trade
  const value = price.times(size)
  const fee = (isBuy ? size : value).times(spotFee).rounded(tokenScale, 'half-even')
  const held = account.of.tokens.get(pair.base) ?? Decimal.zero
  account.of.tokens.set(pair.base, isBuy ? held.plus(size).minus(fee) : held.minus(size))
  const paid = isBuy ? value.negated() : value.minus(fee)
  if (pair.quote === 'USDC') addCash(world, account, paid)
  else {
    const before = account.of.tokens.get(pair.quote) ?? Decimal.zero
    account.of.tokens.set(pair.quote, before.plus(paid))
  }
  const feeToken = isBuy ? pair.base : pair.quote
  return {
    ...common(world, trade),
    startPosition: held,
    dir: isBuy ? 'Buy' : 'Sell',
    fee,
    feeToken,
  }
}

function builderFee({ price, size }: TradeElsewhere): Decimal {
  return price.times(size).times(perpFee).rounded(cashScale, 'half-even')
}

function builderFill(world: World, trade: TradeElsewhere): FillView {
  const fee = builderFee(trade)
  const closes = !trade.closedPnl.isZero()
  const side = trade.isBuy === closes ? 'Short' : 'Long'
  return {
    ...common(world, trade),
    startPosition: closes ? (trade.isBuy ? trade.size.negated() : trade.size) : Decimal.zero,
    dir: `${closes ? 'Close' : 'Open'} ${side}`,
    closedPnl: trade.closedPnl,
    fee,
    feeToken: 'USDC',
  }
}

function common(world: World, { coin, isBuy, price, size }: TradeElsewhere) {
  return {
    ...{ coin, isBuy, price, size, time: world.nowMs, closedPnl: Decimal.zero },
    ...{ hash: world.random.hash(), oid: world.nextOid++, crossed: true },
    ...{ tid: world.random.tradeId(), cloid: null, builderFee: null, liquidation: null },
  }
}

/** USDC that comes from, or goes to, somebody whom this venue does not know. */
function addCash(world: World, { of, isUnified }: Trader, usdc: Decimal): void {
  if (isUnified) of.cash = of.cash.plus(usdc)
  else of.spotCash = of.spotCash.plus(usdc)
  world.deposited = world.deposited.plus(usdc)
}

function tell(world: World, account: Account, order: OrderView, status: string): void {
  const user = account.address
  world.events.push(
    { kind: 'order', user, order, status, at: world.nowMs },
    { kind: 'openOrders', user },
  )
}
