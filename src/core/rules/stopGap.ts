import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import type { RulesFor } from './rules.ts'

/** Rounded up after so many decimals: never less than the whole gap. */
const gapDecimals = 12

const gapAt = (maxLeverage: number): Decimal =>
  Decimal.one.over(Decimal.whole(maxLeverage), gapDecimals, 'ceil')

/** Of every leverage that markets have: it is asked for several times in every decision. */
const usualGaps: readonly Decimal[] = Array.from({ length: 100 }, (_, at) => gapAt(at + 1))

/** How far a builder dex's market may move by itself: one part in its highest leverage. */
export function ownStopGap(maxLeverage: number): Decimal {
  return usualGaps[maxLeverage - 1] ?? gapAt(maxLeverage)
}

/**
 * How far beyond the worst fill of its stop a trade on a builder dex may end, as a share of the price:
 * what the account's rules say, or else the coin's own; a section for the coin can only make it larger.
 */
export function stopGap(rulesFor: RulesFor, coin: Coin, maxLeverage: number): Decimal {
  const account = rulesFor(null, null).dexStopGap ?? ownStopGap(maxLeverage)
  return Decimal.max(account, rulesFor(null, coin).dexStopGap ?? Decimal.zero)
}
