import { Decimal } from '../../../src/core/values/decimal.ts'

/** A spot pair as `spotMeta` lists it: pairs beyond the first are named by their number. */
export interface SpotPair {
  readonly name: string
  readonly index: number
  readonly base: SpotToken
  readonly quote: SpotToken
  /** What it is quoted around at first: it stands still until somebody sets another price. */
  readonly price: Decimal
}

/** The tokens, each at its own number. */
export const spotTokens = ['USDC', 'PURR', 'HYPE', 'USDT0', 'UBTC', 'UETH'] as const

export type SpotToken = (typeof spotTokens)[number]

/** How many decimals a size of a token has; a pair's sizes are in its base token. */
export const tokenDecimals: { readonly [name in SpotToken]: number } = {
  USDC: 8,
  PURR: 0,
  HYPE: 2,
  USDT0: 2,
  UBTC: 5,
  UETH: 4,
}

const pair = (index: number, base: SpotToken, quote: SpotToken, price: string): SpotPair => ({
  name: index === 0 ? `${base}/${quote}` : `@${String(index)}`,
  index,
  base,
  quote,
  price: Decimal.of(price),
})

/** Not every pair is paid in USDC, and the numbers have gaps, as the venue's have. */
export const spotPairs: readonly SpotPair[] = [
  pair(0, 'PURR', 'USDC', '0.2'),
  pair(1, 'HYPE', 'USDC', '30'),
  pair(2, 'HYPE', 'USDT0', '30'),
  pair(3, 'UBTC', 'USDC', '95000'),
  pair(4, 'UETH', 'USDC', '2486'),
  pair(5, 'USDT0', 'USDC', '1'),
  pair(27, 'UBTC', 'USDT0', '95000'),
  pair(107, 'UETH', 'USDT0', '2486'),
]

/** The pair of this name; null where there is none. */
export function pairNamed(name: string): SpotPair | null {
  return spotPairs.find((each) => each.name === name) ?? null
}

/** The token that a text names, `HYPE` or `HYPE:0x<its id>`; null where there is none of that name. */
export function tokenNamed(text: string): SpotToken | null {
  const match = /^([A-Z0-9]+)(?::0x[0-9a-f]{32})?$/i.exec(text)
  return spotTokens.find((each) => each === match?.[1]) ?? null
}

/** What an amount of a token is worth in USDC. */
export function usdcValue(token: SpotToken, amount: Decimal): Decimal {
  const found = spotPairs.find(({ base, quote }) => base === token && quote === 'USDC')
  return found === undefined ? amount : amount.times(found.price)
}
