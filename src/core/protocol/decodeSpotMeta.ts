import type { Coin } from '../values/coin.ts'
import type { Result } from '../values/result.ts'
import type { Json } from './action.ts'
import { coinOf, decoding, eachOf, listOf, misfit, objectOf, textOf, wholeOf } from './readJson.ts'

/** The token in which each spot pair is paid, by the pair's name: `@107` is paid in `USDC`. */
export type SpotQuotes = ReadonlyMap<Coin, string>

export function decodeSpotMeta(json: Json): Result<SpotQuotes> {
  return decoding('spotMeta', () => {
    const from = objectOf(json)
    const names = new Map(
      eachOf(from['tokens'], 'tokens', (each) => {
        const token = objectOf(each, 'token')
        return [wholeOf(token, 'index'), textOf(token, 'name')] as const
      }),
    )
    const pairs = eachOf(from['universe'], 'universe', (each) => {
      const pair = objectOf(each, 'pair')
      const [, quote] = listOf(pair['tokens'], 'tokens')
      const name = names.get(wholeOf({ quote: quote ?? null }, 'quote'))
      if (name === undefined) return misfit('tokens', 'two tokens of the list', pair['tokens'])
      return [coinOf(pair, 'name'), name] as const
    })
    return new Map(pairs)
  })
}
