import { decodeAllPerpMetas, decodePerpDexs } from '../../core/protocol/decodeDexes.ts'
import { decodeMeta } from '../../core/protocol/decodeMeta.ts'
import type { Market } from '../../core/protocol/market.ts'
import { missingMarkets, namedMarkets } from '../../core/rules/missingMarkets.ts'
import type { RuleBook } from '../../core/rules/ruleBook.ts'
import type { Result } from '../../core/values/result.ts'
import type { AskVenue } from './agentCheck.ts'

/** What the rules say of markets that the venue does not have; nothing of a list that cannot be read. */
export async function missingMarketLines(ask: AskVenue, rules: RuleBook): Promise<string[]> {
  const named = namedMarkets(rules)
  if (named.size === 0) return []
  const meta = await ask({ type: 'meta' })
  const main = meta.ok ? decodeMeta(meta.value) : meta
  const perps = await builderPerps(ask)
  const listed = [...(main.ok ? main.value.byCoin.values() : []), ...(perps.ok ? perps.value : [])]
  const known = new Map(listed.map(({ coin }) => [coin, coin]))
  const isMainTold = main.ok && main.value.byCoin.size > 0
  const isTold = (dex: string): boolean => (dex === '' ? isMainTold : perps.ok)
  return missingMarkets(named, known, isTold).map(({ text }) => text)
}

async function builderPerps(ask: AskVenue): Promise<Result<readonly Market[]>> {
  const list = await ask({ type: 'perpDexs' })
  const dexes = list.ok ? decodePerpDexs(list.value) : list
  if (!dexes.ok) return dexes
  const metas = await ask({ type: 'allPerpMetas' })
  return metas.ok ? decodeAllPerpMetas(metas.value, dexes.value) : metas
}
