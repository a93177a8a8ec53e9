import type { Market } from '../../protocol/market.ts'
import { Decimal } from '../../values/decimal.ts'
import { limits } from '../../values/limits.ts'
import type { Refusal } from '../refusal.ts'
import { usd } from '../text.ts'
import type { EntrySize } from './entrySize.ts'

const minimum = Decimal.whole(limits.minOrderValueUsd)

/** The entry and its stop must both reach what the venue takes: a refused stop protects nothing. */
export function checkMinimum(
  market: Market,
  sized: EntrySize,
  worst: Decimal,
  stopLimit: Decimal,
): Refusal | null {
  const least = sized.size.times(Decimal.min(worst, stopLimit))
  if (least.gte(minimum)) return null
  const why = sized.bound === null ? '' : `, bound by ${sized.bound.text()},`
  return {
    code: 'below_minimum',
    text: `${sized.size.toString()} ${market.coin}${why} is worth ${usd(least)} at the lower of its limit and its stop's limit; the venue takes ${usd(minimum)} or more`,
  }
}
