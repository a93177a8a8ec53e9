import { decodeAllPerpMetas, decodePerpDexs } from '../../core/protocol/decodeDexes.ts'
import type { BuilderDex } from '../../core/protocol/decodeDexes.ts'
import { decodeMeta } from '../../core/protocol/decodeMeta.ts'
import type { Market } from '../../core/protocol/market.ts'
import { dexesNamed } from '../../core/rules/marketNames.ts'
import { missingDexesText, missingMarkets, namedMarkets } from '../../core/rules/missingMarkets.ts'
import type { RuleBook } from '../../core/rules/ruleBook.ts'
import type { Result } from '../../core/values/result.ts'
import type { AskVenue } from './agentCheck.ts'

/** What the rules say of markets and dexes that the venue does not have; nothing of a list that cannot be read. */
export async function missingMarketLines(ask: AskVenue, rules: RuleBook): Promise<string[]> {
  const named = namedMarkets(rules)
  const dexes = dexesNamed(rules.rules)
  if (named.size === 0 && dexes.length === 0) return []
  const list = await ask({ type: 'perpDexs' })
  const listed = list.ok ? decodePerpDexs(list.value) : list
  const gone = listed.ok ? missingDexes(dexes, listed.value) : []
  const lines = gone.length === 0 ? [] : [missingDexesText(gone)]
  if (named.size === 0) return lines
  const meta = await ask({ type: 'meta' })
  const main = meta.ok ? decodeMeta(meta.value) : meta
  const perps = listed.ok ? await builderPerps(ask, listed.value) : listed
  const all = [...(main.ok ? main.value.byCoin.values() : []), ...(perps.ok ? perps.value : [])]
  const known = new Map(all.map(({ coin }) => [coin, coin]))
  const isMainTold = main.ok && main.value.byCoin.size > 0
  const isTold = (dex: string): boolean => (dex === '' ? isMainTold : perps.ok)
  return [...lines, ...missingMarkets(named, known, isTold).map(({ text }) => text)]
}

function missingDexes(names: readonly string[], listed: readonly BuilderDex[]): readonly string[] {
  return names.filter((name) => listed.every((dex) => dex.name !== name))
}

async function builderPerps(
  ask: AskVenue,
  dexes: readonly BuilderDex[],
): Promise<Result<readonly Market[]>> {
  const metas = await ask({ type: 'allPerpMetas' })
  return metas.ok ? decodeAllPerpMetas(metas.value, dexes) : metas
}
