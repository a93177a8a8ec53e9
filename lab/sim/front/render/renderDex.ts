import type { Json } from '../../../../src/core/protocol/action.ts'
import { Decimal } from '../../../../src/core/values/decimal.ts'
import type { DexMarketView, DexView } from '../../engine/dex/dexViews.ts'
import { spotTokens } from '../../engine/spotPairs.ts'
import type { VenueReads } from '../../engine/venueReads.ts'
import { marginTableId, renderMeta, renderTables } from './renderMarket.ts'
import { wireNumber } from './wireNumber.ts'

/** One entry of `perpDexs`. Whoever posts prices is the deployer itself, and so it names nobody. */
export function renderDex(dex: DexView): Json {
  const { name, fullName, deployer, feeRecipient, markets } = dex
  return {
    ...{ name, fullName, deployer, oracleUpdater: null, feeRecipient },
    assetToStreamingOiCap: renderCaps(dex),
    subDeployers: [],
    assetToFundingMultiplier: perCoin(markets, (each) =>
      each.fundingMultiplier.eq(Decimal.one) ? null : wireNumber(each.fundingMultiplier),
    ),
    assetToFundingInterestRate: perCoin(markets, ({ fundingInterest }) =>
      fundingInterest === null ? null : wireNumber(fundingInterest),
    ),
    assetToFundingClamp: [],
  }
}

/** `perpDexLimits`. */
export function renderLimits(dex: DexView): Json {
  return {
    totalOiCap: wireNumber(dex.totalCap),
    oiSzCapPerPerp: wireNumber(dex.sizeCap),
    maxTransferNtl: wireNumber(dex.transferMax),
    coinToOiCap: renderCaps(dex),
  }
}

/** By name, as the venue sorts them; a delisted market has none. */
function renderCaps({ markets }: DexView): Json {
  const rows = perCoin(markets, ({ cap, market }) => (market.isDelisted ? null : wireNumber(cap)))
  return rows.toSorted(([left], [right]) => (left < right ? -1 : 1))
}

function perCoin(
  markets: readonly DexMarketView[],
  value: (each: DexMarketView) => string | null,
): [string, string][] {
  return markets.flatMap((each): [string, string][] => {
    const shown = value(each)
    return shown === null ? [] : [[each.market.coin, shown]]
  })
}

/** `meta` of any dex; null where there is none of this name. */
export function renderDexMeta(venue: VenueReads, name: string | null): Json {
  if (name === '') return renderMeta(venue.markets())
  const dex = name === null ? null : venue.dex(name)
  if (dex === null) return null
  return {
    universe: dex.markets.map(renderBuilderMarket),
    marginTables: renderTables(dex.markets.map(({ market }) => market)),
    collateralToken: spotTokens.indexOf(dex.collateral),
  }
}

function renderBuilderMarket(each: DexMarketView, index: number): Json {
  const { market, marginMode, feeScaleChanged } = each
  return {
    szDecimals: market.sizeDecimals,
    name: market.coin,
    maxLeverage: market.maxLeverage,
    marginTableId: marginTableId(market, index),
    ...(marginMode === 'normal' ? {} : { onlyIsolated: true }),
    ...(market.isDelisted ? { isDelisted: true } : {}),
    ...(marginMode === 'normal' ? {} : { marginMode }),
    ...(each.hasGrowthMode ? { growthMode: 'enabled' } : {}),
    ...(feeScaleChanged === null ? {} : { lastFeeScaleChangeTime: feeScaleChanged }),
    deployerFeeScale: wireNumber(each.feeScale),
  }
}

/** The coins of a dex whose open interest may not grow. */
export function cappedOn(venue: VenueReads, name: string): readonly string[] {
  const markets = venue.dex(name)?.markets ?? []
  return markets.filter(({ isAtCap }) => isAtCap).map(({ market }) => market.coin)
}
