import type { Decimal } from '../../../src/core/values/decimal.ts'
import { take } from './book.ts'
import { arriving } from './arriving.ts'
import { Exact } from './exact.ts'
import { closable } from './margin.ts'
import { capFault, marginFault } from './place.ts'
import { marketOf } from './pools.ts'
import type { Within } from './pools.ts'
import type {
  ModelAccount,
  ModelMarket,
  ModelOrder,
  ModelState,
  ModelTwap,
  ModelTwapEnd,
} from './state.ts'

/** The life of a TWAP as the reference's section on it tells it: slice by slice, to its end. */

const shortestMinutes = 5
const longestMinutes = 7 * 24 * 60
const leastValue = Exact.of(100)
const catchUp = Exact.of(3)

interface TwapWish {
  readonly asset: number
  readonly isBuy: boolean
  readonly size: Exact
  readonly isReduceOnly: boolean
  readonly minutes: number
  readonly isRandom: boolean
  readonly trigger: { readonly price: Exact; readonly isAbove: boolean } | null
  readonly stopPrice: Exact | null
}

export function twapWish(order: {
  readonly asset: number
  readonly isBuy: boolean
  readonly size: Decimal
  readonly isReduceOnly: boolean
  readonly minutes: number
  readonly randomize: boolean
  readonly trigger: { readonly price: Decimal; readonly isAbove: boolean } | null
  readonly stopPrice: Decimal | null
}): TwapWish {
  const { asset, isBuy, isReduceOnly, minutes, randomize, trigger, stopPrice } = order
  const exact = (value: Decimal): Exact => Exact.of(value.toString())
  return {
    ...{ asset, isBuy, isReduceOnly, minutes, isRandom: randomize, size: exact(order.size) },
    trigger: trigger === null ? null : { ...trigger, price: exact(trigger.price) },
    stopPrice: stopPrice === null ? null : exact(stopPrice),
  }
}

const answer = (type: string, status: unknown): unknown => ({
  status: 'ok',
  response: { type, data: { status } },
})

export function placeTwap(state: ModelState, account: ModelAccount, wish: TwapWish): unknown {
  const fault = faultOf(state, account, wish)
  if (fault !== null) return answer('twapOrder', { error: fault })
  const market = marketOf(state, wish.asset)
  if (market === undefined) throw new RangeError(`no market ${wish.asset}`)
  const { asset: _, ...rest } = wish
  const twap: ModelTwap = {
    ...rest,
    id: state.nextTwap++,
    owner: account,
    market,
    time: state.now,
    executed: Exact.zero,
    value: Exact.zero,
    slices: sliceCount(state, wish.minutes, wish.size.times(market.mark)),
    plan: null,
  }
  account.twaps.push(twap)
  if (twap.trigger !== null) note(state, twap, 'waitingForTrigger')
  if (!isWaiting(twap)) start(state, twap)
  return answer('twapOrder', { running: { twapId: twap.id } })
}

function faultOf(state: ModelState, account: ModelAccount, wish: TwapWish): string | null {
  const market = marketOf(state, wish.asset)
  if (market === undefined) return 'Invalid asset.'
  if (market.isDelisted) return 'Trading is halted'
  if (wish.minutes < shortestMinutes || wish.minutes > longestMinutes) {
    return `Invalid TWAP duration: ${wish.minutes} min(s)`
  }
  if (!wish.size.fits(market.sizeDecimals)) return 'Order has invalid size.'
  if (wish.size.sign() === 0) return 'Order has zero size.'
  if (wish.size.times(market.mark).isBelow(leastValue)) {
    return 'TWAP order value too small. Min is $100.'
  }
  if (wish.isReduceOnly && closable(account, market, wish.isBuy).sign() === 0) {
    return 'Reduce-only TWAP order would increase position.'
  }
  return null
}

export function cancelTwap(
  state: ModelState,
  account: ModelAccount,
  asset: number,
  id: number,
): unknown {
  const found = account.twaps.find((twap) => twap.id === id && twap.market.asset === asset)
  if (found === undefined) {
    const error = 'TWAP was never placed, already canceled, or filled.'
    return answer('twapCancel', { error })
  }
  endTwap(state, found, 'terminated')
  return answer('twapCancel', 'success')
}

/** Half minutes between two slices, as few as keep them worth enough, and how many come of it. */
function sliceCount(
  state: ModelState,
  minutes: number,
  value: Exact,
): { readonly halves: number; readonly count: number } {
  for (let halves = 1; ; halves++) {
    const count = Math.floor((2 * minutes) / halves) + 1
    const isWorth = !value.over(Exact.of(count)).isBelow(state.rules.twapSliceLeast)
    if (isWorth || halves >= 2 * minutes) return { halves, count }
  }
}

const isWaiting = ({ trigger, market }: ModelTwap): boolean => {
  if (trigger === null) return false
  const side = market.mark.compare(trigger.price)
  return trigger.isAbove ? side < 0 : side > 0
}

/** A buy has a highest price, a sell a lowest. */
const isStopped = ({ stopPrice, isBuy, market }: ModelTwap): boolean => {
  if (stopPrice === null) return false
  const side = market.mark.compare(stopPrice)
  return isBuy ? side >= 0 : side <= 0
}

/** It begins, and its first slice with it. */
function start(state: ModelState, twap: ModelTwap): void {
  twap.plan = { startedAt: state.now, made: 0 }
  note(state, twap, 'activated')
  if (isStopped(twap)) endTwap(state, twap, 'stopped')
  else runSlices(state)
}

function note(
  state: ModelState,
  twap: ModelTwap,
  status: 'activated' | 'waitingForTrigger' | ModelTwapEnd,
): void {
  const time = Math.floor(state.now / 1000)
  twap.owner.twapRows.push({ time, twap: { ...twap }, status })
}

function endTwap(state: ModelState, twap: ModelTwap, status: ModelTwapEnd): void {
  twap.owner.twaps = twap.owner.twaps.filter((each) => each !== twap)
  note(state, twap, status)
}

/** The venue ends those of an account that are meant. */
export function endTwaps(
  state: ModelState,
  account: ModelAccount,
  why: 'scheduleCancel' | 'agentRemoval' | 'liquidation',
  within: Within = () => true,
): void {
  if (state.rules.twapSurvives.includes(why)) return
  for (const twap of account.twaps) if (within(twap.market)) endTwap(state, twap, 'terminated')
}

/** After prices have moved: those that waited for them begin, those that end at them end. */
export function watchTwaps(state: ModelState): void {
  for (const twap of state.accounts.flatMap(({ twaps }) => twaps)) {
    if (twap.plan === null && !isWaiting(twap)) start(state, twap)
    else if (twap.plan !== null && isStopped(twap)) endTwap(state, twap, 'stopped')
  }
}

function dueOf(state: ModelState, { plan, slices }: ModelTwap): number {
  if (plan === null) return Infinity
  return plan.startedAt + plan.made * slices.halves * (state.rules.twapMinuteMs / 2)
}

export function nextSlice(state: ModelState): number {
  const twaps = state.accounts.flatMap((account) => account.twaps)
  return Math.min(...twaps.map((twap) => dueOf(state, twap)), Infinity)
}

export function runSlices(state: ModelState): void {
  for (const twap of state.accounts.flatMap(({ twaps }) => twaps)) {
    if (dueOf(state, twap) <= state.now) runSlice(state, twap)
  }
}

function runSlice(state: ModelState, twap: ModelTwap): void {
  const { plan, slices, owner } = twap
  if (plan === null) return
  plan.made += 1
  const trouble = trade(state, twap, plan.made)
  if (trouble !== null && state.rules.twapErrors.includes(trouble)) {
    endTwap(state, twap, 'error')
    return
  }
  if (trouble === 'reduceOnly' && state.rules.flatTwap === 'end') {
    endTwap(state, twap, 'terminated')
    return
  }
  const isLast = plan.made >= slices.count || twap.executed.is(twap.size)
  if (isLast && owner.twaps.includes(twap)) endTwap(state, twap, 'finished')
}

/** One slice: what is missing from what should be done by now. Says what kept it from trading. */
function trade(
  state: ModelState,
  twap: ModelTwap,
  made: number,
): 'margin' | 'reduceOnly' | 'liquidity' | null {
  const { market, owner, isBuy, isReduceOnly } = twap
  const most = closable(owner, market, isBuy)
  if (isReduceOnly && most.sign() === 0) return 'reduceOnly'
  if (state.isPostOnly) return null
  const wished = wishedNow(state, twap, made)
  const size = isReduceOnly ? Exact.least(wished, most) : wished
  if (size.sign() === 0) return null
  const order = sliceOf(state, twap, size)
  if (addsAtCap(state, order)) return null
  if (marginFault(state, order) !== null) return 'margin'
  const taken = take(state, order)
  twap.executed = twap.executed.plus(taken.size)
  twap.value = twap.value.plus(taken.value)
  if (taken.isShort) return 'margin'
  return taken.size.sign() === 0 ? 'liquidity' : null
}

function sliceOf(state: ModelState, twap: ModelTwap, size: Exact): ModelOrder {
  const { market, owner, isBuy, isReduceOnly } = twap
  const from = state.rules.twapSlipsFrom === 'mid' ? market.mid : market.mark
  const price = worstPrice(from, market, isBuy)
  const asked = { isBuy, price, size, isReduceOnly, tif: 'Ioc', trigger: null, cloid: null }
  return { ...arriving(state, owner, market, asked), twap }
}

/** At most three percent from there, as a price of so many decimals. */
function worstPrice(from: Exact, market: ModelMarket, isBuy: boolean): Exact {
  const exact = from.times(Exact.of(isBuy ? '1.03' : '0.97'))
  const decimals = 6 - market.sizeDecimals
  const cut = exact.cut(decimals)
  if (isBuy || cut.is(exact)) return cut
  return cut.plus(Exact.one.over(Exact.of(10 ** decimals)))
}

/** At the cap of open interest a slice that would add to it waits; how far it may slip says nothing. */
function addsAtCap(state: ModelState, slice: ModelOrder): boolean {
  return capFault(state, { ...slice, price: slice.market.oracle }) !== null
}

/** A builder halts a market: what trades there ends. */
export function haltTwaps(state: ModelState, market: ModelMarket): void {
  const there = state.accounts.flatMap(({ twaps }) => twaps)
  const status = state.rules.twapErrors.includes('delisting') ? 'error' : 'terminated'
  for (const twap of there) if (twap.market === market) endTwap(state, twap, status)
}

/** Of a random one what the engine asked for, if a fifth more or less can have led to it. */
function wishedNow(state: ModelState, twap: ModelTwap, made: number): Exact {
  const { size, executed, slices, market } = twap
  // The slices that were recorded are all alike: a whole number of lots.
  const lots = size.over(Exact.of(slices.count)).times(Exact.of(10 ** market.sizeDecimals))
  const up = lots.is(lots.cut(0)) ? lots : lots.cut(0).plus(Exact.one)
  const normal = up.over(Exact.of(10 ** market.sizeDecimals))
  const target = Exact.least(size, normal.times(Exact.of(made)))
  const missing = Exact.most(target.minus(executed), Exact.zero)
  const bounded = Exact.least(missing, normal.times(catchUp))
  const wished = bounded.cut(market.sizeDecimals)
  if (!twap.isRandom || made >= slices.count) return wished
  const left = size.minus(executed)
  const most = Exact.least(bounded.times(Exact.of('1.2')), left).cut(market.sizeDecimals)
  const least = bounded.times(Exact.of('0.8')).cut(market.sizeDecimals)
  const { traded, isFailed } = state.drawn(twap)
  // Where nothing was traded its size is not known: a small one may have had margin, a large one not.
  if (traded.sign() === 0) {
    const mayLackMargin = isFailed || !state.rules.twapErrors.includes('margin')
    const isHeldUp = mayLackMargin || addsAtCap(state, sliceOf(state, twap, most))
    return isHeldUp && least.sign() > 0 ? most : least
  }
  return traded.isAbove(most) ? wished : traded
}
