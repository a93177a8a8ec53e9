import type { Coin } from '../../../src/core/values/coin.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'
import { openInterest } from './dex/openInterest.ts'
import { averagePremium, hourlyRate, impactPrices, premiumNow } from './funding.ts'
import type { BookView, ContextView, LevelView } from './views.ts'
import type { MarketState, SpotMarket, World } from './world.ts'

const half = Decimal.of('0.5')

/** The middle of the book; of a frozen market, the price it was given. Null when one-sided. */
function midOf(world: World, market: MarketState): Decimal | null {
  const bid = market.book.best(true)
  const ask = market.book.best(false)
  if (bid === null || ask === null) return null
  return world.frozen ? market.mid : bid.price.plus(ask.price).times(half)
}

/** Without a two-sided book the last trade stands for the mid. */
export function midsOf(world: World, markets: readonly MarketState[]): Map<Coin, Decimal> {
  return new Map(
    markets.map((market) => [
      market.coin,
      midOf(world, market) ?? market.trades.last()?.price ?? market.mid,
    ]),
  )
}

export function bestOf({ book }: MarketState | SpotMarket): {
  bid: LevelView | null
  ask: LevelView | null
} {
  return { bid: book.best(true), ask: book.best(false) }
}

export function bookOf(world: World, market: MarketState, depth: number): BookView {
  return {
    coin: market.coin,
    time: world.nowMs,
    bids: market.book.levels(true, depth),
    asks: market.book.levels(false, depth),
  }
}

export function contextOf(world: World, market: MarketState): ContextView {
  const { prevDayPrice, base, notional } = market.day.read(world.nowMs)
  const impact = impactPrices(market)
  return {
    coin: market.coin,
    funding: market.market.isDelisted
      ? Decimal.zero
      : hourlyRate(averagePremium(market), market.builder),
    openInterest: openInterest(world, market),
    prevDayPrice,
    dayNotionalVolume: notional,
    premium: impact === null ? null : premiumNow(market),
    oraclePrice: market.oracle,
    markPrice: market.mark,
    midPrice: midOf(world, market),
    impactPrices: impact,
    dayBaseVolume: base,
  }
}
