import type { Coin } from '../values/coin.ts'

/** On which kind of market a coin's name is traded. */
type CoinKind = 'perp' | 'spot' | 'builder_dex' | 'outcome'

/**
 * Tells by the venue's spelling alone, so that a market which was listed a moment ago is known too:
 * `BTC` is a perp of the main dex, `@107` and `PURR/USDC` are spot pairs, `xyz:TSLA` is a perp of the
 * builder dex xyz, `#10` and `+10` belong to outcome markets.
 */
export function coinKind(coin: Coin): CoinKind {
  if (coin.includes(':')) return 'builder_dex'
  if (coin.startsWith('@') || coin.includes('/')) return 'spot'
  return coin.startsWith('#') || coin.startsWith('+') ? 'outcome' : 'perp'
}

export function isMainPerp(coin: Coin): boolean {
  return coinKind(coin) === 'perp'
}

/** A perp, of the main dex or of a builder dex: what can be a position. */
export function isPerp(coin: Coin): boolean {
  const kind = coinKind(coin)
  return kind === 'perp' || kind === 'builder_dex'
}

/** The builder dex that a coin belongs to; empty for the main dex, and for all that is no perp. */
export function dexOf(coin: Coin): string {
  const end = coin.indexOf(':')
  return end < 0 ? '' : coin.slice(0, end)
}
