import type { Coin } from '../values/coin.ts'
import { isOddCoin, parseCoin } from '../values/coin.ts'
import { limits } from '../values/limits.ts'
import type { Rules } from './rules.ts'

/** Markets as the rules name them: `*`, `BTC`, `xyz:*` and `xyz:TSLA`. */

const dexPattern = /^[a-z][a-z0-9]*$/

/** The builder dex of a name; null on the main dex. */
export function dexOf(name: string): string | null {
  const end = name.indexOf(':')
  return end === -1 ? null : name.slice(0, end)
}

/** Every perp of the dex of a name, as the rules say it. */
function allOf(name: string): string {
  const dex = dexOf(name)
  return dex === null ? '*' : `${dex}:*`
}

/** What is wrong with a name; null where it names a market, or every one of a dex. */
export function nameProblem(name: unknown): string | null {
  if (name === '*') return null
  const isAll = typeof name === 'string' && name.endsWith(':*')
  const parsed = parseCoin(isAll ? `${name.slice(0, -1)}ANY` : name)
  if (!parsed.ok) return `${parsed.error}, or "*", or "<dex>:*"`
  const dex = dexOf(parsed.value)
  if (dex === null) return isDexName(parsed.value) ? bareProblem(parsed.value) : null
  const rest = parsed.value.slice(dex.length + 1)
  if (!isDexName(dex)) {
    return `must begin with the name of a builder dex, 1 to ${limits.dexNameCharsMax} lower-case letters or digits such as xyz, before the colon`
  }
  if (rest === '' || rest.includes(':')) {
    return `must be one market of a builder dex such as "${dex}:TSLA", or all of them: "${dex}:*"`
  }
  return null
}

function isDexName(name: string): boolean {
  return dexPattern.test(name) && name.length <= limits.dexNameCharsMax
}

/** Perps of the main dex have capitals in their names: without any it is the name of a dex. */
function bareProblem(dex: string): string {
  return `must be a market: every perp of the builder dex ${dex} is "${dex}:*", and one of them "${dex}:TSLA"; perps of the main dex are in capitals such as BTC`
}

/** Why a list cannot hold a name beside those before it; null where it can. */
export function besideProblem(name: string, others: readonly string[]): string | null {
  const all = allOf(name)
  if (name === all || !others.includes(all)) return null
  return `"${name}" stands beside "${all}", which is every perp of ${dexOf(name) ?? 'the main dex'} already`
}

/** Whether a list of names covers another name. */
export function covers(names: readonly string[], name: string): boolean {
  return names.includes(name) || names.includes(allOf(name))
}

/** Whether the rules admit a market; none of an odd name, which cannot be asked about by that name. */
export function allowsMarket({ markets }: Pick<Rules, 'markets'>, coin: Coin): boolean {
  return !isOddCoin(coin) && covers(markets, coin)
}

/** Whether the rules name a builder dex, or a market of it. */
export function namesDex({ markets }: Pick<Rules, 'markets'>, dex: string): boolean {
  return markets.some((name) => name.startsWith(`${dex}:`))
}

/** The builder dexes that the rules name, each once, in their order. */
export function dexesNamed({ markets }: Pick<Rules, 'markets'>): readonly string[] {
  return [...new Set(markets.flatMap((name) => dexOf(name) ?? []))]
}
