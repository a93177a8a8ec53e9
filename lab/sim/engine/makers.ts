import { Decimal } from '../../../src/core/values/decimal.ts'
import { floorToGrid, ladder, stepAbove, touchAround } from './grid.ts'
import type { Touch } from './grid.ts'
import { match } from './matching.ts'
import { detach, rest } from './orderLife.ts'
import type { Account, LiveOrder, MarketState, Quote, World } from './world.ts'

const frozenLevels = 100
const frozenValue = Decimal.of('1000000')
const liveLevels = 30
const thinLevels = 4
/** What a builder dex's thin book shows at each price. */
const thinValue = Decimal.of('150')
const sweepLots = 10n ** 24n

/** An order of the venue's own accounts. */
export function houseOrder(
  world: World,
  account: Account,
  market: MarketState,
  isBuy: boolean,
  units: bigint,
  size: Decimal,
): LiveOrder {
  return {
    oid: world.nextOid++,
    account,
    market,
    isBuy,
    price: new Decimal(units, market.priceScale),
    units,
    size,
    originalSize: size,
    filled: Decimal.zero,
    isReduceOnly: false,
    tif: 'Gtc',
    trigger: null,
    isPositionTpsl: false,
    cloid: null,
    builder: null,
    timestamp: world.nowMs,
    phase: 'incoming',
    parent: null,
    children: [],
    siblings: [],
  }
}

/** Takes all quotes back, trades what the new price has passed, and quotes around it. */
export function requote(world: World, market: MarketState, touch: Touch): void {
  const isSame = market.touch?.bid === touch.bid && market.touch.ask === touch.ask
  market.touch = touch
  if (!isSame) replan(world, market, touch)
  if (market.market.isDelisted) return
  sweep(world, market, false, touch.ask)
  sweep(world, market, true, touch.bid)
  refill(world, market)
}

function replan(world: World, market: MarketState, touch: Touch): void {
  const wanted = new Map<bigint, Quote>()
  if (!market.market.isDelisted) plan(world, market, touch, wanted)
  for (const { order, units } of market.quotes) {
    if (order !== null && wanted.get(units)?.order !== order) withdraw(order)
  }
  market.quotes = [...wanted.values()]
}

/** What shall be quoted; a quote that is already there stays, with its place in the queue. */
function plan(world: World, market: MarketState, touch: Touch, wanted: Map<bigint, Quote>): void {
  const count = levelsOf(world, market)
  const known = new Map(market.quotes.map((quote) => [quote.units, quote]))
  const sides = [
    { isBuy: true, prices: ladder(touch.bid, market.priceScale, 'down', count) },
    { isBuy: false, prices: ladder(touch.ask, market.priceScale, 'up', count) },
  ]
  for (const { isBuy, prices } of sides) {
    for (const units of prices) {
      const before = known.get(units)
      if (before?.isBuy === isBuy) wanted.set(units, before)
      else wanted.set(units, { isBuy, units, size: quoteSize(world, market, units), order: null })
    }
  }
}

function levelsOf(world: World, { builder }: MarketState): number {
  if (builder?.isThin === true) return thinLevels
  if (world.frozen) return frozenLevels
  return world.scenario === 'thin' ? thinLevels : liveLevels
}

/** Removes all quotes of the makers from a market's book. */
export function withdrawQuotes(market: MarketState): void {
  for (const { order } of market.quotes) if (order !== null) withdraw(order)
  market.quotes = []
  market.touch = null
}

function withdraw(order: LiveOrder): void {
  detach(order)
  order.phase = 'done'
}

/** The market has moved through resting orders: they are filled at their own prices. */
function sweep(world: World, market: MarketState, isBuy: boolean, units: bigint): void {
  const size = new Decimal(sweepLots, market.sizeDecimals)
  match(world, houseOrder(world, world.maker, market, isBuy, units, size))
}

function quoteSize(world: World, market: MarketState, units: bigint): Decimal {
  const value = valueOf(world, market)
  const price = new Decimal(units, market.priceScale)
  const size = value.over(price, market.sizeDecimals, 'half-even')
  return size.isZero() ? new Decimal(1n, market.sizeDecimals) : size
}

function valueOf(world: World, market: MarketState): Decimal {
  if (market.builder?.isThin === true) return thinValue
  return world.frozen ? frozenValue : liveValue(world, market)
}

function liveValue(world: World, market: MarketState): Decimal {
  const [low, high] = world.scenario === 'thin' ? [200, 1500] : [3000, 60_000]
  return Decimal.whole(market.path.dice().between(low, high))
}

/** Restores what was traded away, except where an order of somebody else stands in the way. */
export function refill(world: World, market: MarketState): void {
  for (const quote of market.quotes) {
    // An untouched order still has the very size it was made with.
    if (quote.order?.size === quote.size) continue
    if (quote.order !== null) withdraw(quote.order)
    quote.order = null
    const against = market.book.bestUnits(!quote.isBuy)
    if (against !== null && (quote.isBuy ? against <= quote.units : against >= quote.units)) {
      continue
    }
    quote.order = postQuote(world, market, quote)
  }
}

function postQuote(world: World, market: MarketState, quote: Quote): LiveOrder {
  const order = houseOrder(world, world.maker, market, quote.isBuy, quote.units, quote.size)
  rest(order)
  return order
}

/** One step of a market that moves: the makers follow the path, the crowd trades a little. */
export function stepMarket(world: World, market: MarketState, seconds: number): void {
  if (market.market.isDelisted) return
  const second = Math.floor((world.nowMs - world.startMs) / 1000)
  const fair = market.path.step(second, seconds)
  const touch = touchOf(world, market, fair)
  requote(world, market, touch)
  market.mid = new Decimal(touch.bid + touch.ask, market.priceScale).times(Decimal.of('0.5'))
  trade(world, market)
}

function touchOf(world: World, market: MarketState, fair: bigint): Touch {
  const scale = market.priceScale
  const least = fair < 2n ? 2n : fair
  const step = stepAbove(least, scale)
  // A thin book is also a wide one.
  const room = world.scenario === 'thin' ? least / 400n + step : 0n
  const bid = floorToGrid(least - room > 1n ? least - room : 1n, scale)
  const ask = floorToGrid(bid + 2n * room + stepAbove(bid + 2n * room, scale), scale)
  return { bid, ask }
}

function trade(world: World, market: MarketState): void {
  const dice = market.path.dice()
  if (dice.below(2) === 0) return
  const isBuy = dice.below(2) === 0
  const value = Decimal.whole(dice.between(20, 4000))
  const best = market.book.best(!isBuy)
  const units = market.book.bestUnits(!isBuy)
  if (best === null || units === null) return
  const size = value.over(best.price, market.sizeDecimals, 'down')
  if (size.isPositive()) match(world, houseOrder(world, world.crowd, market, isBuy, units, size))
}

/** The quotes of a frozen market; null when the mid does not fit the grid. */
export function frozenTouch(market: MarketState, mid: Decimal): Touch | null {
  return touchAround(mid, market.sizeDecimals)
}
