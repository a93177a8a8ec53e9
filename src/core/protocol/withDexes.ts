import type { Json } from './action.ts'
import { decodeAllPerpMetas, decodePerpDexs } from './decodeDexes.ts'
import type { Markets } from './market.ts'

/** The perps of the main dex with those of every builder dex that can be read from the two answers. */
export function withDexes(main: Markets, perpDexs: Json, allPerpMetas: Json): Markets {
  const dexes = decodePerpDexs(perpDexs)
  const read = dexes.ok ? decodeAllPerpMetas(allPerpMetas, dexes.value) : dexes
  const others = read.ok ? read.value : []
  return {
    byAsset: new Map([...main.byAsset, ...others.map((each) => [each.asset, each] as const)]),
    byCoin: new Map([...main.byCoin, ...others.map((each) => [each.coin, each] as const)]),
  }
}
