import { Decimal } from '../../../../src/core/values/decimal.ts'
import type { MarketState } from '../world.ts'

const two = Decimal.whole(2)
const tenth = Decimal.of('0.1')

/** What a fill costs there where it costs this much on the main dex: the builder takes its part. */
export function rateOn({ builder }: MarketState, usual: Decimal): Decimal {
  if (builder === null) return usual
  const { feeScale, hasGrowthMode } = builder
  const scale = feeScale.lt(Decimal.one) ? Decimal.one.plus(feeScale) : feeScale.times(two)
  const scaled = usual.times(scale)
  return hasGrowthMode ? scaled.times(tenth) : scaled
}

/** What of a traded value counts for what an account has earned by trading. */
export function countedVolume({ builder }: MarketState, notional: Decimal): Decimal {
  return builder?.hasGrowthMode === true ? notional.times(tenth) : notional
}
