import type { Order } from '../../../src/core/protocol/action.ts'
import { arriving } from './arriving.ts'
import { bestPrice, take, wouldTake } from './book.ts'
import type { Taken } from './book.ts'
import { Exact } from './exact.ts'
import { isOnGrid } from './grid.ts'
import { dropExcess, end, tell, toBook, toWatch } from './life.ts'
import { closable, heldSize, isCovered, leverageOf } from './margin.ts'
import { marketOf } from './pools.ts'
import { aloText, faultText } from './texts.ts'
import type { OrderFault } from './texts.ts'
import type { ModelAccount, ModelMarket, ModelOrder, ModelState } from './state.ts'

/** A request with the model's numbers. */
export interface Wish {
  readonly asset: number
  readonly isBuy: boolean
  readonly price: Exact
  readonly size: Exact
  readonly isReduceOnly: boolean
  readonly tif: string | null
  readonly trigger: ModelOrder['trigger']
  readonly cloid: string | null
}

export function wishOf(order: Order): Wish {
  const { type } = order
  return {
    asset: order.asset,
    isBuy: order.isBuy,
    price: Exact.of(order.price.toString()),
    size: Exact.of(order.size.toString()),
    isReduceOnly: order.isReduceOnly,
    tif: type.kind === 'limit' ? type.tif : null,
    trigger:
      type.kind === 'trigger'
        ? {
            price: Exact.of(type.triggerPrice.toString()),
            isMarket: type.isMarket,
            tpsl: type.tpsl,
          }
        : null,
    cloid: order.cloid,
  }
}

/** What the answer says of an order, and the order where it lives or has lived. */
export interface Answer {
  readonly status: unknown
  readonly order: ModelOrder | null
  /** The text without the asset, for the orders that depend on this one. */
  readonly fault: { readonly text: string } | null
}

export function refused(text: string): Answer {
  return { status: { error: text }, order: null, fault: { text } }
}

/** What is wrong with the numbers alone; such an order never gets an id. */
export function numberFault(
  state: ModelState,
  market: ModelMarket,
  wish: Wish,
  mayBeZero: boolean,
): OrderFault | null {
  const { longIntegers, triggerLimitBeyond } = state.rules
  const { size, price, trigger } = wish
  if (!size.fits(market.sizeDecimals) || size.sign() < 0) return 'size'
  if (size.sign() === 0 && !mayBeZero) return 'zero'
  if (price.sign() <= 0) return 'price'
  if (!isOnGrid(price, market.sizeDecimals, longIntegers)) return 'offGrid'
  if (trigger === null) return null
  if (!isOnGrid(trigger.price, market.sizeDecimals, longIntegers)) return 'trigger'
  const isBeyond = wish.isBuy ? !price.isBelow(trigger.price) : !price.isAbove(trigger.price)
  return triggerLimitBeyond && trigger.isMarket && !isBeyond ? 'trigger' : null
}

const takesNow = ({ tif, trigger }: Wish): boolean =>
  trigger === null ? tif === 'Ioc' || tif === 'FrontendMarket' : trigger.isMarket

function largest(market: ModelMarket, wish: Wish): Exact {
  const { maxLeverage } = market
  const millions =
    maxLeverage >= 25 ? '30' : maxLeverage >= 20 ? '5' : maxLeverage >= 10 ? '2' : '0.5'
  return Exact.of(millions).times(Exact.of(takesNow(wish) ? '1000000' : '10000000'))
}

function isTooSmall(account: ModelAccount, market: ModelMarket, wish: Wish): boolean {
  const { size, price } = wish
  if (size.sign() === 0 || !size.times(price).isBelow(Exact.of(10))) return false
  const whole = closable(account, market, wish.isBuy)
  if (whole.sign() === 0) return true
  const closesAll = size.is(whole) || (wish.isReduceOnly && size.isAbove(whole))
  return !closesAll
}

function isCrowded(state: ModelState, account: ModelAccount, wish: Wish): boolean {
  const open = state.open.filter(({ owner }) => owner === account).length
  const { openOrderCap, reduceOnlyOrderLimit } = state.rules
  if (wish.isReduceOnly || wish.trigger !== null) return open >= reduceOnlyOrderLimit
  if (takesNow(wish)) return false
  const earned = Number(account.volume.over(Exact.of(5_000_000)).cut(0).toString())
  return open >= Math.min(openOrderCap + earned, 5000)
}

/** What speaks against an order of this account, and the last status the order then has. */
export function accountFault(
  state: ModelState,
  account: ModelAccount,
  market: ModelMarket,
  wish: Wish,
  isChild: boolean,
  isOfPosition = false,
): readonly [OrderFault, string] | null {
  if (market.isDelisted) return ['halted', 'rejected']
  const isPostOnly = wish.trigger !== null || wish.tif === 'Alo'
  if (state.isPostOnly && !isPostOnly) return ['postOnly', 'rejected']
  const isTwice = state.open.some(
    ({ owner, cloid }) => owner === account && cloid !== null && cloid === wish.cloid,
  )
  if (isTwice && state.rules.openCloidTwice === 'refuse') return ['cloid', 'rejected']
  if (!isChild) {
    const closes = closable(account, market, wish.isBuy).sign() > 0
    const isEarly = isOfPosition && state.rules.positionMayCome
    if (wish.isReduceOnly && !closes && !isEarly) return ['increases', 'reduceOnlyRejected']
    if (isTooSmall(account, market, wish)) return ['tooSmall', 'minTradeNtlRejected']
  }
  if (wish.size.times(wish.price).isAbove(largest(market, wish))) return ['tooLarge', 'rejected']
  return isCrowded(state, account, wish) ? ['crowded', 'tooManyOpenOrdersRejected'] : null
}

/** Whether the open interest of a builder's market may grow no more: what all longs hold is worth its cap. */
function isAtCap(state: ModelState, market: ModelMarket): boolean {
  if (market.dex === '') return false
  const sizes = state.accounts.map((account) => heldSize(account, market))
  const others = [...sizes, market.takenOver]
  const makers = Exact.sum(others).negated()
  const longs = [...others, makers].filter((size) => size.sign() > 0)
  return !Exact.sum(longs).times(market.mark).isBelow(market.cap)
}

/** At the cap nothing may increase or flip, nor be priced beyond the oracle. */
export function capFault(
  state: ModelState,
  order: ModelOrder,
): readonly [OrderFault, string] | null {
  const { market, owner, isBuy, left, isReduceOnly } = order
  if (isReduceOnly || !isAtCap(state, market)) return null
  const isByDocs = state.rules.capWords === 'documents'
  const closes = closable(owner, market, isBuy)
  const status = (what: string): string => `${what}AtOpenInterestCapRejected`
  if (closes.sign() === 0) {
    return [isByDocs ? 'capGrows' : 'capIncrease', status('positionIncrease')]
  }
  if (left.isAbove(closes)) return [isByDocs ? 'capGrows' : 'capFlip', status('positionFlip')]
  if (!isBeyondOracle(order)) return null
  return [isByDocs ? 'capPrice' : 'capReached', status('tooAggressive')]
}

const isBeyondOracle = ({ isBuy, price, market }: ModelOrder): boolean =>
  isBuy ? price.isAbove(market.oracle) : price.isBelow(market.oracle)

/** Ends what rests beyond the oracle and would add to open interest at its cap. */
export function endBeyondCap(state: ModelState): void {
  for (const order of state.open) {
    const { market, owner, isBuy, left } = order
    if (order.where !== 'book' || order.isReduceOnly || !isAtCap(state, market)) continue
    const isClose = !left.isAbove(closable(owner, market, isBuy))
    if (!isClose && isBeyondOracle(order)) end(state, order, 'openInterestCapCanceled')
  }
}

/** Tier limit and margin of an order that meets the book, or of a trigger that reserves its own price. */
export function marginFault(
  state: ModelState,
  order: ModelOrder,
  reservesNow = false,
): readonly [OrderFault, string] | null {
  if (order.isReduceOnly) return null
  const { owner, market, isBuy, left } = order
  const held = heldSize(owner, market)
  const after = (isBuy ? held.plus(left) : held.minus(left)).abs()
  const { value: leverage } = leverageOf(owner, market)
  const bound = market.tiers.find((tier) => tier.leverage < leverage)
  if (bound !== undefined && after.isAbove(held.abs())) {
    if (after.times(market.mark).isAbove(bound.from)) return ['tier', 'perpMaxPositionRejected']
  }
  const willRest = reservesNow || !(mustTake(order) || wouldTake(state, order))
  const price = reservesNow ? order.price : checkedPrice(state, order)
  const isEnough = isCovered(state, owner, market, isBuy, left, price, willRest)
  return isEnough ? null : ['noMargin', 'perpMarginRejected']
}

function mustTake({ tif, trigger }: ModelOrder): boolean {
  return trigger === null ? tif === 'Ioc' || tif === 'FrontendMarket' : trigger.isMarket
}

/** What takes is judged at the mark, or at its limit; what will rest at its own price. */
function checkedPrice(state: ModelState, order: ModelOrder): Exact {
  if (mustTake(order) && state.rules.takerMarginAt === 'limit') return order.price
  return wouldTake(state, order) ? order.market.mark : order.price
}

export function makeOrder(
  state: ModelState,
  owner: ModelAccount,
  market: ModelMarket,
  wish: Wish,
  builderFee: number | null,
  isPositionTpsl: boolean,
): ModelOrder {
  const id = state.orders.length + 1
  const order = { ...arriving(state, owner, market, wish), id, isPositionTpsl, builderFee }
  state.orders.push(order)
  return order
}

/** Refuses an order that already has an id. */
export function reject(
  state: ModelState,
  order: ModelOrder,
  [fault, status]: readonly [OrderFault, string],
): Answer {
  end(state, order, status)
  return refused(faultText(fault, order.market.asset))
}

export function place(
  state: ModelState,
  account: ModelAccount,
  wish: Wish,
  builderFee: number | null,
  isPositionTpsl: boolean,
): Answer {
  const market = marketOf(state, wish.asset)
  if (market === undefined) return refused(faultText('asset', wish.asset))
  const bad = numberFault(state, market, wish, isPositionTpsl)
  if (bad !== null) return refused(faultText(bad, wish.asset))
  const order = makeOrder(state, account, market, wish, builderFee, isPositionTpsl)
  const fault = accountFault(state, account, market, wish, false, isPositionTpsl)
  if (fault !== null) return reject(state, order, fault)
  if (order.trigger !== null) return placeTrigger(state, order)
  const short = capFault(state, order) ?? marginFault(state, order)
  return short === null ? meetBook(state, order) : reject(state, order, short)
}

const rested = ({ id, cloid }: ModelOrder): unknown => ({
  resting: cloid === null ? { oid: id } : { oid: id, cloid },
})

function placeTrigger(state: ModelState, order: ModelOrder): Answer {
  if (isRefusedReached(state, order)) {
    return reject(state, order, ['trigger', 'badTriggerPxRejected'])
  }
  const short = state.rules.triggerReserves ? marginFault(state, order, true) : null
  if (short !== null) return reject(state, order, short)
  state.open.push(order)
  toWatch(state, order)
  tell(order, 'open')
  if (order.isReduceOnly && state.rules.reduceOnlyExcess === 'oldest and triggers') {
    dropExcess(state, order)
  }
  const status = order.isPositionTpsl ? 'waitingForTrigger' : rested(order)
  return { status, order, fault: null }
}

/** Stops sell below and buy above, profits are taken the other way round. */
export function firesAbove({ isBuy, trigger }: ModelOrder): boolean {
  return trigger?.tpsl === 'sl' ? isBuy : !isBuy
}

/** By one reading a trigger that the mark has reached is not taken. */
export function isRefusedReached(state: ModelState, order: ModelOrder): boolean {
  return state.rules.reachedTrigger === 'refuse' && isReached(state, order)
}

export function isReached(state: ModelState, order: ModelOrder): boolean {
  if (order.trigger === null) return false
  const side = order.market.mark.compare(order.trigger.price)
  return side === 0 ? state.rules.triggerAtTouch : side > 0 === firesAbove(order)
}

/** A limit order arrives: it takes, rests, or goes. */
function meetBook(state: ModelState, order: ModelOrder): Answer {
  const { market, owner, isBuy, tif } = order
  if (order.isReduceOnly) order.left = Exact.least(order.left, closable(owner, market, isBuy))
  if (tif === 'Alo' && wouldTake(state, order)) {
    const shown = (price: Exact | null): string => price?.toString() ?? '0.0'
    const [bid, ask] = [bestPrice(state, market, true), bestPrice(state, market, false)]
    end(state, order, 'badAloPxRejected')
    return refused(aloText(shown(bid), shown(ask), market.asset))
  }
  state.open.push(order)
  const taken = take(state, order)
  const mustTake = tif === 'Ioc' || tif === 'FrontendMarket'
  if (taken.size.sign() === 0) {
    if (taken.isShort) return reject(state, order, ['noMargin', 'perpMarginRejected'])
    if (mustTake) return reject(state, order, unmatched(state, order))
  }
  if (order.left.sign() === 0) end(state, order, 'filled')
  else if (taken.isShort) end(state, order, 'marginCanceled')
  else if (mustTake) end(state, order, 'canceled')
  else return comeToRest(state, order, taken)
  return filledAnswer(order, taken)
}

function unmatched(state: ModelState, order: ModelOrder): readonly [OrderFault, string] {
  const isEmpty = bestPrice(state, order.market, !order.isBuy) === null
  return order.tif === 'FrontendMarket' && isEmpty
    ? ['nothingThere', 'marketOrderNoLiquidityRejected']
    : ['unmatched', 'iocCancelRejected']
}

function comeToRest(state: ModelState, order: ModelOrder, taken: Taken): Answer {
  toBook(state, order)
  if (order.isReduceOnly) dropExcess(state, order)
  const isFilled = taken.size.sign() > 0 && state.rules.partlyFilledGtc === 'filled'
  return isFilled ? filledAnswer(order, taken) : { status: rested(order), order, fault: null }
}

function filledAnswer(order: ModelOrder, taken: Taken): Answer {
  const { id, cloid } = order
  const filled = {
    totalSz: taken.size.wire(),
    avgPx: taken.value.over(taken.size).wire(),
    oid: id,
  }
  const status = { filled: cloid === null ? filled : { ...filled, cloid } }
  return { status, order, fault: null }
}
