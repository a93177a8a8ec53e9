import { coinCalled } from '../values/coin.ts'
import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import type { Result } from '../values/result.ts'
import type { Json, JsonObject } from './action.ts'
import { builderAssetOf } from './assetId.ts'
import { dexOf } from './coinKind.ts'
import { readAssetContexts, readUniverse } from './decodeMeta.ts'
import type { AssetContext } from './decodeMeta.ts'
import type { Market } from './market.ts'
import {
  coinOf,
  decimalOf,
  decimalOrNull,
  decoding,
  eachOf,
  isAbsent,
  listOf,
  misfit,
  objectOf,
  textOf,
  wholeOf,
} from './readJson.ts'

/** A builder dex: its place among the venue's dexes gives its perps their ids. */
export interface BuilderDex {
  readonly name: string
  readonly index: number
  /** What all traders together may hold of each of its perps, in USD; left out: not told. */
  readonly caps?: ReadonlyMap<string, Decimal>
}

/** Collateral 0 is USDC. */
const usdcToken = 0

/** Reads `perpDexs`: the main dex and places that are empty are null, and left out here. */
export function decodePerpDexs(json: Json): Result<readonly BuilderDex[]> {
  return decoding('perpDexs', () => {
    const dexes = listOf(json, 'dexes').flatMap((each, index): BuilderDex[] =>
      each === null ? [] : [readDex(objectOf(each, 'dex'), index)],
    )
    const names = new Set(dexes.map(({ name }) => name))
    if (names.size < dexes.length) misfit('dexes', 'different names', 'a name twice')
    return dexes.filter(({ name, index }) => name !== '' && index > 0)
  })
}

function readDex(from: JsonObject, index: number): BuilderDex {
  const name = textOf(from, 'name')
  const caps = decoding('caps', () => readCaps(from['assetToStreamingOiCap'], name))
  return { name, index, ...(caps.ok ? { caps: caps.value } : {}) }
}

/** By coin; some write it without its dex. */
function readCaps(json: Json | undefined, dex: string): ReadonlyMap<string, Decimal> {
  const rows = eachOf(json, 'caps', (each) => {
    const [coin, cap] = listOf(each, 'cap')
    const name = textOf({ coin: coin ?? null }, 'coin')
    const full = name.startsWith(`${dex}:`) ? name : `${dex}:${name}`
    return [full, decimalOf({ cap: cap ?? null }, 'cap')] as const
  })
  return new Map(rows)
}

/**
 * Reads `allPerpMetas`, the `meta` of every dex in one answer, into the perps of those builder dexes.
 * A meta does not name its dex: the names of its perps do. A dex that cannot be read is left out:
 * whoever builds one must not keep others from being read. Both lists have the dexes in one order: where
 * they do not, one of them is wrong.
 */
export function decodeAllPerpMetas(
  json: Json,
  dexes: readonly BuilderDex[],
): Result<readonly Market[]> {
  return decoding('allPerpMetas', () => {
    const named = new Map(dexes.map((dex) => [dex.name, dex]))
    let before = 0
    return listOf(json, 'metas').flatMap((meta) => {
      const dex = named.get(dexNameOf(meta))
      if (dex === undefined) return []
      if (dex.index < before) misfit('metas', 'the dexes in the order of `perpDexs`', dex.name)
      before = dex.index
      const markets = decoding('meta', () => readBuilderMarkets(meta, dex))
      return markets.ok ? markets.value : []
    })
  })
}

/** Reads `metaAndAssetCtxs` of a builder dex: the contexts, by coin. */
export function decodeDexContexts(
  json: Json,
): Result<{ readonly coins: readonly Coin[]; readonly contexts: readonly AssetContext[] }> {
  return decoding('metaAndAssetCtxs', () => {
    const [meta, rows] = listOf(json)
    const coins = eachOf(objectOf(meta)['universe'], 'universe', (each) =>
      coinOf(objectOf(each, 'market'), 'name'),
    )
    return { coins, contexts: readAssetContexts(rows) }
  })
}

/** Reads `perpsAtOpenInterestCap`. */
export function decodePerpsAtCap(json: Json): Result<readonly Coin[]> {
  return decoding('perpsAtOpenInterestCap', () =>
    eachOf(json, 'coins', (each) =>
      typeof each === 'string' ? coinCalled(each) : misfit('coins', 'names of perps', each),
    ),
  )
}

/**
 * What is told of every dex together: a name and its part, the main dex with an empty name. A part of
 * a builder dex that cannot be read is null, and keeps no other one from being read.
 */
export function readByDex<Part>(
  json: Json | undefined,
  what: string,
  read: (part: Json | undefined) => Part,
): ReadonlyMap<string, Part | null> {
  const rows = eachOf(json, what, (each) => {
    const [name, part] = listOf(each, what)
    if (typeof name !== 'string') return misfit(what, 'the name of a dex', name)
    if (name === '') return [name, read(part)] as const
    const told = decoding(what, () => read(part))
    return [name, told.ok ? told.value : null] as const
  })
  return new Map(rows)
}

function dexNameOf(meta: Json): string {
  const [first] = listOf(objectOf(meta)['universe'], 'universe')
  if (first === undefined) return ''
  return dexOf(textOf(objectOf(first, 'market'), 'name') as Coin)
}

function readBuilderMarkets(meta: Json, { name, index, caps }: BuilderDex): readonly Market[] {
  const token = wholeOf(objectOf(meta), 'collateralToken')
  const assetAt = (place: number): number => builderAssetOf(index, place)
  return readUniverse(meta, assetAt, (from, market) => {
    if (dexOf(market.coin) !== name) misfit('name', `a perp of ${name}`, market.coin)
    const openInterestCap = caps?.get(market.coin)
    return {
      ...market,
      onlyIsolated: market.onlyIsolated || !isCrossAllowed(from),
      builder: {
        dex: name,
        isPaidInUsdc: token === usdcToken,
        feeScale: decimalOrNull(from, 'deployerFeeScale') ?? Decimal.one,
        isGrowth: from['growthMode'] === 'enabled',
        ...(openInterestCap === undefined ? {} : { openInterestCap }),
      },
    }
  })
}

/** A mode that is not known allows no cross margin. */
function isCrossAllowed(from: JsonObject): boolean {
  return isAbsent(from['marginMode']) || from['marginMode'] === 'normal'
}
