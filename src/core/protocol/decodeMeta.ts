import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import type { Result } from '../values/result.ts'
import type { Json, JsonObject } from './action.ts'
import type { Market, MarginTier, Markets } from './market.ts'
import {
  coinOf,
  decimalOf,
  decimalOrNull,
  decoding,
  eachOf,
  flagOf,
  isAbsent,
  listOf,
  misfit,
  objectOf,
  wholeOf,
} from './readJson.ts'

/** Reads `meta` of the main dex: every perp, with the margin tiers its table gives it. */
export function decodeMeta(json: Json): Result<Markets> {
  return decoding('meta', () => readMarkets(json))
}

/** What the venue says of a perp at this moment. */
export interface AssetContext {
  readonly mark: Decimal
  readonly oracle: Decimal
  /** Null while its book is empty on a side. */
  readonly mid: Decimal | null
  /** What all traders together hold, in units of the coin; left out: not told. */
  readonly openInterest?: Decimal
}

/** Reads `metaAndAssetCtxs`: the perps, and the context of each. */
export function decodeMetaAndAssetCtxs(
  json: Json,
): Result<{ readonly markets: Markets; readonly contexts: ReadonlyMap<Coin, AssetContext> }> {
  return decoding('metaAndAssetCtxs', () => {
    const [meta, rows] = listOf(json)
    const markets = readMarkets(meta)
    const coins = [...markets.byAsset.values()].map(({ coin }) => coin)
    return { markets, contexts: contextsOf(coins, readAssetContexts(rows)) }
  })
}

/** Contexts come in the order of the dex's perps, without their names. */
export function contextsOf(
  coins: readonly Coin[],
  contexts: readonly AssetContext[],
): ReadonlyMap<Coin, AssetContext> {
  const byCoin = new Map<Coin, AssetContext>()
  for (const [place, coin] of coins.entries()) {
    const context = contexts[place]
    if (context !== undefined) byCoin.set(coin, context)
  }
  return byCoin
}

export function readAssetContexts(json: Json | undefined): readonly AssetContext[] {
  return eachOf(json, 'contexts', (each) => readAssetContext(objectOf(each, 'context')))
}

export function readAssetContext(from: JsonObject): AssetContext {
  const openInterest = decimalOrNull(from, 'openInterest')
  return {
    mark: decimalOf(from, 'markPx'),
    oracle: decimalOf(from, 'oraclePx'),
    mid: decimalOrNull(from, 'midPx'),
    ...(openInterest === null ? {} : { openInterest }),
  }
}

/** Tables up to this id are flat, and the id is the leverage; they need not be listed. */
const flatTableMax = 50

type Tables = ReadonlyMap<number, readonly MarginTier[]>

function readMarkets(json: Json | undefined): Markets {
  const list = readUniverse(json, (place) => place)
  const byCoin = new Map(list.map((market) => [market.coin, market]))
  if (byCoin.size < list.length) misfit('universe', 'a list of different names', 'a name twice')
  return { byAsset: new Map(list.map((market) => [market.asset, market])), byCoin }
}

/** The perps of one dex; `assetAt` gives each the id of its place. */
export function readUniverse(
  json: Json | undefined,
  assetAt: (place: number) => number,
  each: (from: JsonObject, market: Market) => Market = (_, market) => market,
): readonly Market[] {
  const from = objectOf(json)
  const tables = readTables(from['marginTables'])
  const rows = eachOf(from['universe'], 'universe', (row) => objectOf(row, 'market'))
  return rows.map((row, place) => each(row, readMarket(row, assetAt(place), tables)))
}

function readMarket(from: JsonObject, asset: number, tables: Tables): Market {
  const maxLeverage = wholeOf(from, 'maxLeverage')
  if (maxLeverage < 1) misfit('maxLeverage', 'at least 1', maxLeverage)
  const sizeDecimals = wholeOf(from, 'szDecimals')
  if (sizeDecimals > 18) misfit('szDecimals', 'at most 18', sizeDecimals)
  return {
    asset,
    coin: coinOf(from, 'name'),
    sizeDecimals,
    maxLeverage,
    tiers: tiersOf(from, maxLeverage, tables),
    isDelisted: flagOf(from, 'isDelisted'),
    onlyIsolated: flagOf(from, 'onlyIsolated'),
  }
}

function tiersOf(from: JsonObject, maxLeverage: number, tables: Tables): readonly MarginTier[] {
  const flat = [{ lowerBound: Decimal.zero, maxLeverage }]
  if (isAbsent(from['marginTableId'])) return flat
  const id = wholeOf(from, 'marginTableId')
  const listed = tables.get(id)
  if (listed === undefined) {
    return id <= flatTableMax ? flat : misfit('marginTableId', 'a table in marginTables', id)
  }
  return listed[0]?.lowerBound.isZero() === true ? listed : [...flat, ...listed]
}

function readTables(json: Json | undefined): Tables {
  if (isAbsent(json)) return new Map()
  const tables = eachOf(json, 'marginTables', (each) => {
    const [id, table] = listOf(each, 'table')
    const key = wholeOf({ id: id ?? null }, 'id')
    const tiers = eachOf(objectOf(table, 'table')['marginTiers'], 'marginTiers', readTier)
    return [key, tiers.toSorted((a, b) => a.lowerBound.cmp(b.lowerBound))] as const
  })
  return new Map(tables)
}

function readTier(json: Json): MarginTier {
  const from = objectOf(json, 'tier')
  const maxLeverage = wholeOf(from, 'maxLeverage')
  if (maxLeverage < 1) misfit('maxLeverage', 'at least 1', maxLeverage)
  return { lowerBound: decimalOf(from, 'lowerBound'), maxLeverage }
}
