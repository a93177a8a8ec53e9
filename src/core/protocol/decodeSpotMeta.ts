import type { Coin } from '../values/coin.ts'
import { ok } from '../values/result.ts'
import type { Result } from '../values/result.ts'
import type { Json, JsonObject } from './action.ts'
import { coinOf, decoding, eachOf, listOf, misfit, objectOf, textOf, wholeOf } from './readJson.ts'

/** The token in which each spot pair is paid, by the pair's name: `@107` is paid in `USDC`. */
export type SpotQuotes = ReadonlyMap<Coin, string>

/** A spot pair as orders name it. */
export interface SpotPair {
  readonly asset: number
  /** `@107`, or `PURR/USDC` for the first one. */
  readonly coin: Coin
  /** The number of the token that is traded, and its name. */
  readonly token: number
  readonly base: string
  readonly quote: string
  readonly sizeDecimals: number
}

const firstAsset = 10_000

export function decodeSpotMeta(json: Json): Result<SpotQuotes> {
  const pairs = decodeSpotPairs(json)
  return pairs.ok ? ok(new Map(pairs.value.map(({ coin, quote }) => [coin, quote]))) : pairs
}

export function decodeSpotPairs(json: Json): Result<readonly SpotPair[]> {
  return decoding('spotMeta', () => {
    const from = objectOf(json)
    const tokens = new Map(
      eachOf(from['tokens'], 'tokens', (each) => {
        const token = objectOf(each, 'token')
        return [wholeOf(token, 'index'), token] as const
      }),
    )
    return eachOf(from['universe'], 'universe', (each) => readPair(objectOf(each, 'pair'), tokens))
  })
}

function readPair(pair: JsonObject, tokens: ReadonlyMap<number, JsonObject>): SpotPair {
  const [base = null, quote = null] = listOf(pair['tokens'], 'tokens')
  const traded = tokens.get(wholeOf({ base }, 'base'))
  const paid = tokens.get(wholeOf({ quote }, 'quote'))
  if (traded === undefined || paid === undefined) {
    return misfit('tokens', 'two tokens of the list', pair['tokens'])
  }
  return {
    asset: firstAsset + wholeOf(pair, 'index'),
    coin: coinOf(pair, 'name'),
    token: wholeOf(traded, 'index'),
    base: textOf(traded, 'name'),
    quote: textOf(paid, 'name'),
    sizeDecimals: wholeOf(traded, 'szDecimals'),
  }
}
