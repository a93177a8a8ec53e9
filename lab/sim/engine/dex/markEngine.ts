import { Decimal } from '../../../../src/core/values/decimal.ts'
import { impactPrices } from '../funding.ts'
import { setMark } from '../pricing.ts'
import type { BuilderMarket, MarketState, World } from '../world.ts'
import { openInterest } from './openInterest.ts'

/** The builder of a dex posts prices every so many milliseconds. */
export const feedMs = 3_000
/** Without a post for so long the book alone makes the mark. */
const silenceMs = 10_000
const dayMs = 86_400_000
const ewmaMs = 3_600_000
const percent = Decimal.of('0.01')
const ten = Decimal.whole(10)
/** Oracle prices made from a book have so many decimals. */
const oracleScale = 6

interface Span {
  readonly low: Decimal
  readonly high: Decimal
}

/** Renews the prices of every market on builder dexes; what follows from them is the caller's. */
export function renewMarks(world: World): void {
  for (const dex of world.dexes) {
    for (const market of dex?.markets ?? []) renewMark(world, market)
  }
}

/** One update: by what its builder posts, or by the book where nothing was posted for long. */
export function renewMark(world: World, market: MarketState): void {
  const { builder } = market
  if (builder === null || market.market.isDelisted) return
  const { feed } = builder
  const passed = world.nowMs - feed.updatedMs
  if (feed.isStopped && passed < silenceMs) return
  startDay(world, market, builder)
  const oracle = feed.isStopped ? market.oracle : nextOracle(market, builder, passed)
  const mark = nextMark(world, market, builder)
  feed.updatedMs = world.nowMs
  if (feed.session === 'external' && !feed.isStopped) feed.reference = oracle
  setMark(world, market, mark, oracle)
}

function startDay(world: World, { mark, oracle }: MarketState, { feed }: BuilderMarket): void {
  const index = Math.floor(world.nowMs / dayMs)
  if (index !== feed.day.index) feed.day = { index, mark, oracle }
}

function nextOracle(market: MarketState, builder: BuilderMarket, passedMs: number): Decimal {
  const { feed } = builder
  const inDay = spanAround(feed.day.oracle)
  if (feed.session === 'internal') return held(averaged(market, passedMs), inDay)
  const posted = held(feed.posted?.oracle ?? market.mid, inDay)
  return market.options.oracleStep === 'free' ? posted : stepped(market, market.oracle, posted)
}

/** Outside the hours of the market it follows, the oracle drifts to the book within hours. */
function averaged(market: MarketState, passedMs: number): Decimal {
  const impact = impactPrices(market)
  if (impact === null) return market.oracle
  const middle = impact[0].plus(impact[1]).times(Decimal.of('0.5'))
  const way = middle.minus(market.oracle).times(Decimal.whole(Math.min(passedMs, ewmaMs)))
  return market.oracle.plus(way.over(Decimal.whole(ewmaMs), oracleScale, 'down'))
}

/** The median of what was posted and of the book, inside the bounds, one percent away at most. */
function nextMark(world: World, market: MarketState, builder: BuilderMarket): Decimal {
  const { feed } = builder
  const isPosted = !feed.isStopped && feed.session === 'external'
  const posted = isPosted ? (feed.posted?.marks ?? [market.mid]) : []
  const wanted = median(market, [...posted, ...localPrice(market)])
  if (wanted === null) return market.mark
  const inDay = held(wanted, spanAround(feed.day.mark))
  const inBounds = feed.session === 'internal' ? held(inDay, discovery(market, builder)) : inDay
  if (isTooMuch(world, market, builder, inBounds)) return market.mark
  return stepped(market, market.mark, inBounds)
}

/** The median of the best prices and the last trade. */
function localPrice(market: MarketState): Decimal[] {
  const prices = [
    market.book.best(true)?.price,
    market.book.best(false)?.price,
    market.trades.last()?.price,
  ]
  const local = median(
    market,
    prices.filter((price) => price !== undefined),
  )
  return local === null ? [] : [local]
}

function median({ options }: MarketState, values: readonly Decimal[]): Decimal | null {
  const sorted = values.toSorted((left, right) => left.cmp(right))
  const high = sorted[Math.floor(sorted.length / 2)]
  const low = sorted[Math.floor((sorted.length - 1) / 2)]
  if (high === undefined || low === undefined) return null
  if (options.twoInputMedian === 'lower') return low
  if (options.twoInputMedian === 'upper') return high
  return low.plus(high).times(Decimal.of('0.5'))
}

/** While the market outside is closed the mark stays this near to its last price. */
function discovery({ market }: MarketState, { feed }: BuilderMarket): Span {
  const room = feed.reference.over(Decimal.whole(market.maxLeverage), oracleScale, 'down')
  return { low: feed.reference.minus(room), high: feed.reference.plus(room) }
}

function spanAround(price: Decimal): Span {
  return { low: price.over(ten, oracleScale, 'up'), high: price.times(ten) }
}

function held(price: Decimal, { low, high }: Span): Decimal {
  return Decimal.max(low, Decimal.min(high, price))
}

/** Whether a higher mark would make the open interest worth more than ten times its cap. */
function isTooMuch(
  world: World,
  market: MarketState,
  { cap }: BuilderMarket,
  mark: Decimal,
): boolean {
  if (mark.lte(market.mark)) return false
  return openInterest(world, market).times(mark).gt(cap.times(ten))
}

/** One percent from where it was at most, with the decimals that a price has. */
function stepped({ priceScale }: MarketState, from: Decimal, to: Decimal): Decimal {
  const most = from.times(percent)
  if (to.gt(from)) return Decimal.min(to, from.plus(most)).rounded(priceScale, 'down')
  return Decimal.max(to, from.minus(most)).rounded(priceScale, 'up')
}

/** A price that a test sets is what the builder posts from then on. */
export function anchorFeed(world: World, { builder, mark, oracle }: MarketState): void {
  if (builder === null) return
  const { feed } = builder
  feed.posted = { oracle, marks: [mark, mark] }
  feed.updatedMs = world.nowMs
  if (feed.session === 'external') feed.reference = oracle
}
