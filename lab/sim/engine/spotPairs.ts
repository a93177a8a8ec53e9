/** A spot pair as `spotMeta` lists it: pairs beyond the first are named by their number. */
export interface SpotPair {
  readonly name: string
  readonly index: number
  readonly base: SpotToken
  readonly quote: SpotToken
}

/** The tokens, each at its own number. */
export const spotTokens = ['USDC', 'PURR', 'HYPE', 'USDT0'] as const

type SpotToken = (typeof spotTokens)[number]

/** Not every pair is paid in USDC. */
export const spotPairs: readonly SpotPair[] = [
  { name: 'PURR/USDC', index: 0, base: 'PURR', quote: 'USDC' },
  { name: '@1', index: 1, base: 'HYPE', quote: 'USDC' },
  { name: '@2', index: 2, base: 'HYPE', quote: 'USDT0' },
]
