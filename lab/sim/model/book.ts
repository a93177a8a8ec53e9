import { Exact } from './exact.ts'
import { nextPrice, touchOf } from './grid.ts'
import { end, fitReduceOnly, tell } from './life.ts'
import { recordFill, couldHold } from './trade.ts'
import type { ModelMarket, ModelOrder, ModelQuote, ModelState } from './state.ts'

/** The book as one list that is sorted whenever somebody takes from it. */

const quotesOnASide = 100
const quoteValue = Exact.of('1000000')

/** Either an order of an account, or the makers' quote. */
type Resting =
  | { readonly order: ModelOrder; readonly quote: null }
  | { readonly order: null; readonly quote: ModelQuote }

const priceOf = ({ order, quote }: Resting): Exact => (order ?? quote).price
const placeOf = ({ order, quote }: Resting): number => (order ?? quote).place ?? Infinity

/** What rests on one side, best price first, and the earlier first at the same price. */
function sorted(state: ModelState, market: ModelMarket, isBuy: boolean): Resting[] {
  const orders = state.open
    .filter((order) => order.where === 'book' && order.market === market && order.isBuy === isBuy)
    .map((order): Resting => ({ order, quote: null }))
  const quotes = market.quotes
    .filter((quote) => quote.isBuy === isBuy && quote.place !== null && quote.left.sign() > 0)
    .map((quote): Resting => ({ order: null, quote }))
  return [...orders, ...quotes].sort((one, two) => {
    const byPrice = priceOf(one).compare(priceOf(two))
    return (isBuy ? -byPrice : byPrice) || placeOf(one) - placeOf(two)
  })
}

export function bestPrice(state: ModelState, market: ModelMarket, isBuy: boolean): Exact | null {
  const [first] = sorted(state, market, isBuy)
  return first === undefined ? null : priceOf(first)
}

function reaches(isBuy: boolean, limit: Exact, price: Exact): boolean {
  return isBuy ? !price.isAbove(limit) : !price.isBelow(limit)
}

export function wouldTake(state: ModelState, order: ModelOrder): boolean {
  const best = bestPrice(state, order.market, !order.isBuy)
  return best !== null && reaches(order.isBuy, order.price, best)
}

export interface Taken {
  readonly size: Exact
  readonly value: Exact
  readonly isShort: boolean
}

/**
 * Takes from the other side what the limit reaches, and `most` of it; `isShort`: the margin ended it.
 */
export function take(state: ModelState, taker: ModelOrder, most = taker.left): Taken {
  let size = Exact.zero
  let value = Exact.zero
  while (taker.left.sign() > 0 && size.isBelow(most)) {
    const [first] = sorted(state, taker.market, !taker.isBuy)
    if (first === undefined || !reaches(taker.isBuy, taker.price, priceOf(first))) break
    const { order: maker, quote } = first
    if (maker?.owner === taker.owner) {
      end(state, maker, 'selfTradeCanceled')
      continue
    }
    const price = priceOf(first)
    const wanted = Exact.least(taker.left, most.minus(size))
    const part = Exact.least(wanted, (maker ?? quote).left)
    if (maker !== null && !couldHold(maker, part, price)) {
      end(state, maker, 'marginCanceled')
      continue
    }
    const isForced = taker.isReduceOnly || taker.liquidation !== null
    if (!isForced && !couldHold(taker, part, price)) return { size, value, isShort: true }
    if (quote !== null) quote.left = quote.left.minus(part)
    exchange(state, maker, taker, part, price)
    size = size.plus(part)
    value = value.plus(part.times(price))
  }
  return { size, value, isShort: false }
}

/** One trade between two orders; the makers of the venue need no books of their own. */
function exchange(
  state: ModelState,
  maker: ModelOrder | null,
  taker: ModelOrder | null,
  size: Exact,
  price: Exact,
): void {
  for (const order of [taker, maker]) {
    if (order === null) continue
    order.left = order.left.minus(size)
    order.filled = order.filled.plus(size)
    recordFill(state, order, size, price, order === taker, taker?.liquidation)
  }
  for (const order of [taker, maker]) {
    if (order === null) continue
    // A child that is filled ends its sibling before the position without size does.
    if (order.left.sign() === 0) end(state, order, 'filled')
    else if (order === maker) tell(order, 'open')
  }
  for (const order of [taker, maker])
    if (order !== null) fitReduceOnly(state, order.owner, order.market)
}

/** The makers stand around a new mid: what the price has passed is filled, then they quote. */
export function moveQuotes(state: ModelState, market: ModelMarket, mid: Exact): void {
  const touch = touchOf(mid, market.sizeDecimals)
  if (touch === null) throw new RangeError(`${mid.toString()} is no mid`)
  market.mid = mid
  if (market.isDelisted) return
  const wanted = [...ladder(market, touch.bid, true), ...ladder(market, touch.ask, false)]
  market.quotes = wanted.map((quote) => market.quotes.find((old) => isSame(old, quote)) ?? quote)
  passThrough(state, market, true, touch.ask)
  passThrough(state, market, false, touch.bid)
  renewQuotes(state, market)
}

const isSame = (one: ModelQuote, two: ModelQuote): boolean =>
  one.isBuy === two.isBuy && one.price.is(two.price)

function ladder(market: ModelMarket, first: Exact, isBuy: boolean): ModelQuote[] {
  const quotes: ModelQuote[] = []
  for (let price: Exact | null = first; price !== null && quotes.length < quotesOnASide;) {
    const size = quoteValue.over(price).nearest(market.sizeDecimals)
    quotes.push({ isBuy, price, full: size, left: Exact.zero, place: null })
    price = nextPrice(price, market.sizeDecimals, isBuy ? -1 : 1)
  }
  return quotes
}

/** Orders of this side that the makers' new price lies beyond are filled at their own prices. */
function passThrough(state: ModelState, market: ModelMarket, isBuy: boolean, limit: Exact): void {
  for (;;) {
    const first = sorted(state, market, isBuy).find(({ order }) => order !== null)
    const order = first?.order ?? null
    if (order === null || !reaches(!isBuy, limit, order.price)) return
    if (!couldHold(order, order.left, order.price)) end(state, order, 'marginCanceled')
    else exchange(state, order, null, order.left, order.price)
  }
}

/** A quote that was touched is withdrawn and made anew, behind the others at its price. */
export function renewQuotes(state: ModelState, market: ModelMarket): void {
  for (const quote of market.quotes) {
    if (quote.place !== null && quote.left.is(quote.full)) continue
    quote.place = null
    const isBlocked = state.open.some(
      (order) =>
        order.where === 'book' &&
        order.market === market &&
        order.isBuy !== quote.isBuy &&
        reaches(quote.isBuy, quote.price, order.price),
    )
    if (isBlocked) continue
    quote.left = quote.full
    quote.place = state.nextPlace++
  }
}
