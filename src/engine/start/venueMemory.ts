import type { Json } from '../../core/protocol/action.ts'
import { isObject } from '../../core/protocol/fields.ts'
import type { MarginTier, Market, Markets } from '../../core/protocol/market.ts'
import type { AccountMode } from '../../core/protocol/venueState.ts'
import { isWrittenCoin } from '../../core/values/coin.ts'
import type { Coin } from '../../core/values/coin.ts'
import { Decimal } from '../../core/values/decimal.ts'

export const venueSnapshotName = 'venue'

/**
 * What the venue had told when it was last seen: the next start acts on it before a read has come.
 * Asset ids, decimals and tiers hardly ever change; only a builder dex that vanishes may move the ids
 * of others, and what is sent before the dexes were read anew only reduces.
 */
export interface VenueMemory {
  readonly markets: Markets
  readonly mode: AccountMode
  /** The positions that were open, by their signed size. */
  readonly positions: ReadonlyMap<Coin, Decimal>
  /** The builder dexes on which there was anything. */
  readonly dexes: readonly string[]
}

const modes: readonly AccountMode[] = [
  ...(['default', 'disabled', 'unifiedAccount'] as const),
  ...(['portfolioMargin', 'dexAbstraction'] as const),
]

export function writeVenueMemory({ markets, mode, positions, dexes }: VenueMemory): Json {
  return {
    version: 1,
    mode,
    markets: [...markets.byAsset.values()].map((market) => ({
      asset: market.asset,
      coin: market.coin,
      size_decimals: market.sizeDecimals,
      max_leverage: market.maxLeverage,
      tiers: market.tiers.map((tier) => [tier.lowerBound.toString(), tier.maxLeverage]),
      delisted: market.isDelisted,
      only_isolated: market.onlyIsolated,
      ...(market.builder === undefined ? {} : { builder: writeBuilder(market.builder) }),
    })),
    positions: [...positions].map(([coin, size]) => [coin, size.toString()]),
    dexes,
  }
}

/** Null where anything in it cannot be read: then the venue's own word is waited for. */
export function readVenueMemory(json: Json): VenueMemory | null {
  if (!isObject(json) || json['version'] !== 1) return null
  const list = listOf(json['markets']).map(readMarket)
  const positions = listOf(json['positions']).map(readPosition)
  const known = list.filter((market) => market !== null)
  const held = positions.filter((position) => position !== null)
  if (known.length < list.length || held.length < positions.length) return null
  return {
    markets: {
      byAsset: new Map(known.map((market) => [market.asset, market])),
      byCoin: new Map(known.map((market) => [market.coin, market])),
    },
    mode: modes.find((mode) => mode === json['mode']) ?? 'unknown',
    positions: new Map(held),
    // Earlier versions did not keep them.
    dexes: listOf(json['dexes']).filter((name) => typeof name === 'string'),
  }
}

function readMarket(json: Json): Market | null {
  if (!isObject(json)) return null
  const { coin } = json
  const { asset, size_decimals: sizeDecimals, max_leverage: maxLeverage } = json
  const tiers = listOf(json['tiers']).map(readTier)
  const known = tiers.filter((tier) => tier !== null)
  if (!isWrittenCoin(coin) || !isCount(asset) || !isCount(sizeDecimals) || !isCount(maxLeverage))
    return null
  if (maxLeverage < 1 || known.length < tiers.length) return null
  const builder = json['builder'] === undefined ? undefined : readBuilder(json['builder'])
  if (builder === null) return null
  return {
    ...{ asset, coin, sizeDecimals, maxLeverage, tiers: known },
    isDelisted: json['delisted'] === true,
    onlyIsolated: json['only_isolated'] === true,
    ...(builder === undefined ? {} : { builder }),
  }
}

type Builder = NonNullable<Market['builder']>

function writeBuilder({ dex, isPaidInUsdc, feeScale, isGrowth }: Builder): Json {
  return { dex, usdc: isPaidInUsdc, fee_scale: feeScale.toString(), growth: isGrowth }
}

function readBuilder(json: Json): Builder | null {
  if (!isObject(json) || typeof json['dex'] !== 'string') return null
  const feeScale = Decimal.parse(json['fee_scale'])
  if (!feeScale.ok) return null
  const { dex, usdc, growth } = json
  return { dex, isPaidInUsdc: usdc === true, feeScale: feeScale.value, isGrowth: growth === true }
}

function readTier(json: Json): MarginTier | null {
  const [text, maxLeverage] = listOf(json)
  const lowerBound = Decimal.parse(text)
  if (!lowerBound.ok || !isCount(maxLeverage) || maxLeverage < 1) return null
  return { lowerBound: lowerBound.value, maxLeverage }
}

function readPosition(json: Json): readonly [Coin, Decimal] | null {
  const [name, text] = listOf(json)
  const size = Decimal.parse(text)
  return isWrittenCoin(name) && size.ok ? [name, size.value] : null
}

function isCount(json: Json | undefined): json is number {
  return typeof json === 'number' && Number.isSafeInteger(json) && json >= 0
}

function listOf(json: Json | undefined): readonly Json[] {
  return Array.isArray(json) ? (json as readonly Json[]) : []
}
