import type { Coin } from '../../../../src/core/values/coin.ts'
import { Decimal } from '../../../../src/core/values/decimal.ts'
import { Book } from '../book.ts'
import { DayVolume } from '../dayVolume.ts'
import { ladder, touchAt } from '../grid.ts'
import { Ring } from '../ring.ts'
import { spotPairs, tokenDecimals } from '../spotPairs.ts'
import type { SpotPair } from '../spotPairs.ts'
import type { BookView } from '../views.ts'
import type { SpotPairView } from './spotViews.ts'
import type { SpotMarket, SpotOrder, World } from '../world.ts'

/** The first asset id of a spot pair, and the first that is none any more. */
const firstAsset = 10_000
const endAsset = 100_000
/** A size of d decimals leaves this many less d for a price. */
const priceDecimals = 8
const keptTrades = 100
const houseLevels = 20
/** What the house quotes at each price, in the token that a pair is paid with. */
const houseValue = Decimal.of('1000000')

export function isSpotAsset(asset: number): boolean {
  return asset >= firstAsset && asset < endAsset
}

function spotAsset(pair: SpotPair): number {
  return firstAsset + pair.index
}

/** The market of an asset id; undefined where no pair has it. */
export function spotMarketOf(world: World, asset: number): SpotMarket | undefined {
  const known = world.spot.get(asset)
  if (known !== undefined) return known
  const pair = spotPairs.find((each) => spotAsset(each) === asset)
  return pair === undefined ? undefined : open(world, pair)
}

/** The market of a name, `@1` or `PURR/USDC`. */
export function spotMarketNamed(world: World, coin: Coin): SpotMarket | undefined {
  const pair = spotPairs.find(({ name }) => name === coin)
  return pair === undefined ? undefined : spotMarketOf(world, spotAsset(pair))
}

/** What it is quoted around, whether or not anybody has asked for its book. */
export function spotPrice(world: World, pair: SpotPair): Decimal {
  return world.spot.get(spotAsset(pair))?.price ?? pair.price
}

export function spotPairView(world: World, pair: SpotPair): SpotPairView {
  const price = spotPrice(world, pair)
  const none = { prevDayPrice: price, base: Decimal.zero, notional: Decimal.zero }
  return { pair, price, ...(world.spot.get(spotAsset(pair))?.day.read(world.nowMs) ?? none) }
}

function open(world: World, pair: SpotPair): SpotMarket {
  const sizeDecimals = tokenDecimals[pair.base]
  const market: SpotMarket = {
    ...{ pair, asset: spotAsset(pair), coin: pair.name as Coin, sizeDecimals },
    ...{ priceScale: priceDecimals - sizeDecimals, book: new Book<SpotOrder>() },
    ...{ price: pair.price, quotes: [], watching: new Set<SpotOrder>() },
    ...{ trades: new Ring<never>(keptTrades), day: new DayVolume(pair.price) },
    ...{ shownBest: '', isTouched: false },
  }
  world.spot.set(market.asset, market)
  quote(world, market)
  return market
}

/** Takes the house's quotes back and puts whole ones around the price. */
export function quote(world: World, market: SpotMarket): void {
  for (const each of market.quotes) if (each.phase === 'resting') market.book.remove(each)
  const touch = touchAt(market.price, market.priceScale)
  market.quotes = touch === null ? [] : [...side(true, touch.bid), ...side(false, touch.ask)]
  for (const each of market.quotes) market.book.add(each)

  function side(isBuy: boolean, best: bigint): SpotOrder[] {
    const prices = ladder(best, market.priceScale, isBuy ? 'down' : 'up', houseLevels)
    return prices.map((units) => houseOrder(world, market, isBuy, units))
  }
}

/** An order of the house; it has no number, because nobody is ever told of it. */
export function houseOrder(
  world: World,
  market: SpotMarket,
  isBuy: boolean,
  units: bigint,
  lots?: bigint,
): SpotOrder {
  const price = new Decimal(units, market.priceScale)
  const least = new Decimal(1n, market.sizeDecimals)
  const usual = Decimal.max(least, houseValue.over(price, market.sizeDecimals, 'down'))
  const size = lots === undefined ? usual : new Decimal(lots, market.sizeDecimals)
  return {
    ...{ oid: 0, account: world.maker, market, isBuy, price, units },
    ...{ size, originalSize: size, filled: Decimal.zero, isReduceOnly: false },
    ...{ tif: 'Gtc', trigger: null, cloid: null, builder: null },
    ...{ timestamp: world.nowMs, phase: 'resting' },
  }
}

export function spotBook(world: World, market: SpotMarket, depth: number): BookView {
  const { book, coin } = market
  const [bids, asks] = [book.levels(true, depth), book.levels(false, depth)]
  return { coin, time: world.nowMs, bids, asks }
}
