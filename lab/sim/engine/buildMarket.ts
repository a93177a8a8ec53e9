import { Decimal } from '../../../src/core/values/decimal.ts'
import { err, ok } from '../../../src/core/values/result.ts'
import type { Result } from '../../../src/core/values/result.ts'
import type { MarginTier, Market } from '../../../src/core/protocol/market.ts'
import { Book } from './book.ts'
import { Candles } from './candles.ts'
import { DayVolume } from './dayVolume.ts'
import { priceScale, touchAround } from './grid.ts'
import { PricePath } from './pricePath.ts'
import { midError } from './pricing.ts'
import { Ring } from './ring.ts'
import type { MarketSpec, VenueConfig } from './venueConfig.ts'
import type { BuilderMarket, MarketState } from './world.ts'

const keptTrades = 100
const keptFundingRates = 500

/** What a market takes from the venue it is in. */
export type MarketWorld = Pick<VenueConfig, 'scenario' | 'seed' | 'startMs' | 'options'>

/** A market without quotes, or the reason why there is none. */
export function buildMarket(
  config: MarketWorld,
  spec: MarketSpec,
  asset: number,
  builder: BuilderMarket | null = null,
): Result<MarketState> {
  const { coin, sizeDecimals, maxLeverage, mid } = spec
  if (!Number.isSafeInteger(sizeDecimals) || sizeDecimals < 0 || sizeDecimals > 6) {
    return err(`szDecimals of ${coin}: must be a whole number from 0 to 6, got ${sizeDecimals}`)
  }
  if (!Number.isSafeInteger(maxLeverage) || maxLeverage < 1 || maxLeverage > 100) {
    return err(`maxLeverage of ${coin}: must be a whole number from 1 to 100, got ${maxLeverage}`)
  }
  const badTiers = tiersProblem(spec)
  if (badTiers !== null) return err(`marginTiers of ${coin}: ${badTiers}`)
  const touch = touchAround(mid, sizeDecimals)
  if (touch === null) return err(midError(spec, mid))
  const units = (touch.bid + touch.ask) / 2n
  return ok({
    options: config.options,
    market: marketOf(spec, asset),
    asset,
    builder,
    coin,
    sizeDecimals,
    priceScale: priceScale(sizeDecimals),
    book: new Book(),
    mid,
    mark: spec.mark ?? mid,
    oracle: spec.oracle ?? mid,
    quotes: [],
    touch: null,
    path: new PricePath(config.scenario, config.seed, asset, units),
    watching: new Set(),
    trades: new Ring(keptTrades),
    candles: new Candles(coin, priceScale(sizeDecimals)),
    day: new DayVolume(mid),
    fundingRates: new Ring(keptFundingRates),
    premiumSum: Decimal.zero,
    premiumSamples: 0,
    premiumUntil: config.startMs,
    shownBest: '',
    isTouched: false,
    needsTriggers: false,
  })
}

/** Margin asked for must rise with the value: from 0 at the market's own leverage, then ever less. */
function tiersProblem(spec: MarketSpec): string | null {
  const tiers = tiersOf(spec)
  const [first] = tiers
  if (first?.maxLeverage !== spec.maxLeverage) {
    return `the one from 0 on must have the maxLeverage of the market, ${spec.maxLeverage}`
  }
  for (const [at, tier] of tiers.slice(1).entries()) {
    const before = tiers[at] ?? first
    if (tier.lowerBound.lte(before.lowerBound)) return 'each must begin above the one before it'
    if (tier.maxLeverage < 1 || tier.maxLeverage >= before.maxLeverage) {
      return 'each must have a lower maxLeverage than the one before it, and at least 1'
    }
  }
  return null
}

/** What lies below the first of them has the market's own leverage. */
function tiersOf({ tiers = [], maxLeverage }: MarketSpec): readonly MarginTier[] {
  const flat = { lowerBound: Decimal.zero, maxLeverage }
  return tiers[0]?.lowerBound.isZero() === true ? tiers : [flat, ...tiers]
}

function marketOf(spec: MarketSpec, asset: number): Market {
  const { coin, sizeDecimals, maxLeverage } = spec
  return {
    asset,
    coin,
    sizeDecimals,
    maxLeverage,
    tiers: tiersOf(spec),
    isDelisted: spec.isDelisted ?? false,
    onlyIsolated: spec.onlyIsolated ?? false,
  }
}
