import type { Json } from '../../../../src/core/protocol/action.ts'
import type { Market } from '../../../../src/core/protocol/market.ts'
import type { VenueReads } from '../../engine/venueReads.ts'
import type {
  BookView,
  CandleView,
  ContextView,
  FundingRateView,
  LevelView,
  TradeView,
} from '../../engine/views.ts'
import { wireNumber, wireNumberOrNull } from './wireNumber.ts'

/** Tables up to this id are flat, and their id is the leverage. */
const flatTableIdMax = 50

function hasTiers(market: Market): boolean {
  return market.tiers.length > 1
}

/** The id of a margin table in its dex: flat ones are named by their leverage. */
export function marginTableId(market: Market, index: number): number {
  return hasTiers(market) ? flatTableIdMax + 1 + index : market.maxLeverage
}

function renderTable(market: Market): Json {
  return {
    description: `tiered ${String(market.maxLeverage)}x`,
    marginTiers: market.tiers.map((tier) => ({
      lowerBound: wireNumber(tier.lowerBound),
      maxLeverage: tier.maxLeverage,
    })),
  }
}

/** The answer to `marginTable`; null for an id nobody has. */
export function renderMarginTable(markets: readonly Market[], id: number): Json {
  if (id >= 1 && id <= flatTableIdMax) {
    return { description: '', marginTiers: [{ lowerBound: '0.0', maxLeverage: id }] }
  }
  const market = markets.find((each, at) => hasTiers(each) && marginTableId(each, at) === id)
  return market === undefined ? null : renderTable(market)
}

function renderUniverse(market: Market, index: number): Json {
  return {
    szDecimals: market.sizeDecimals,
    name: market.coin,
    maxLeverage: market.maxLeverage,
    marginTableId: marginTableId(market, index),
    ...(market.isDelisted ? { isDelisted: true } : {}),
    ...(market.onlyIsolated ? { onlyIsolated: true, marginMode: 'strictIsolated' } : {}),
  }
}

export function renderMeta(markets: readonly Market[]): Json {
  return {
    universe: markets.map(renderUniverse),
    marginTables: renderTables(markets),
    collateralToken: 0,
  }
}

/** The tables that are not flat, each with its id. */
export function renderTables(markets: readonly Market[]): Json {
  return markets.flatMap((market, index): Json[] =>
    hasTiers(market) ? [[marginTableId(market, index), renderTable(market)]] : [],
  )
}

export function renderContext(context: ContextView): Json {
  return {
    funding: wireNumber(context.funding),
    openInterest: wireNumber(context.openInterest),
    prevDayPx: wireNumber(context.prevDayPrice),
    dayNtlVlm: wireNumber(context.dayNotionalVolume),
    premium: wireNumberOrNull(context.premium),
    oraclePx: wireNumber(context.oraclePrice),
    markPx: wireNumber(context.markPrice),
    midPx: wireNumberOrNull(context.midPrice),
    impactPxs: context.impactPrices === null ? null : context.impactPrices.map(wireNumber),
    dayBaseVlm: wireNumber(context.dayBaseVolume),
  }
}

export function renderMids(venue: VenueReads, dex = ''): Json {
  return Object.fromEntries([...venue.mids(dex)].map(([coin, mid]) => [coin, wireNumber(mid)]))
}

/** With those of the spot pairs, which only the main dex shows. */
export function renderAllMids(venue: VenueReads, dex = ''): Json {
  if (dex !== '') return renderMids(venue, dex)
  const pairs = venue.spotPairs().map(({ pair, price }) => [pair.name, wireNumber(price)])
  return { ...(renderMids(venue) as object), ...Object.fromEntries(pairs) } as Json
}

export function renderLevel(level: LevelView): Json {
  return { px: wireNumber(level.price), sz: wireNumber(level.size), n: level.count }
}

/** A book already cut to its depth; `spread` only where it was grouped by significant figures. */
export function renderBook(book: BookView): { readonly [key: string]: Json } {
  return {
    coin: book.coin,
    time: book.time,
    levels: [book.bids.map(renderLevel), book.asks.map(renderLevel)],
  }
}

export function renderTrade(trade: TradeView): Json {
  return {
    coin: trade.coin,
    side: trade.isBuy ? 'B' : 'A',
    px: wireNumber(trade.price),
    sz: wireNumber(trade.size),
    time: trade.time,
    hash: trade.hash,
    tid: trade.tid,
    users: [trade.buyer, trade.seller],
  }
}

export function renderCandle(candle: CandleView): Json {
  return {
    t: candle.openTime,
    T: candle.closeTime,
    s: candle.coin,
    i: candle.interval,
    o: wireNumber(candle.open),
    c: wireNumber(candle.close),
    h: wireNumber(candle.high),
    l: wireNumber(candle.low),
    v: wireNumber(candle.volume),
    n: candle.trades,
  }
}

export function renderFundingRate(row: FundingRateView): Json {
  return {
    coin: row.coin,
    fundingRate: wireNumber(row.fundingRate),
    premium: wireNumber(row.premium),
    time: row.time,
  }
}
