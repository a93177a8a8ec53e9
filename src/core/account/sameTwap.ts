import type { Twap } from '../protocol/venueState.ts'
import type { Decimal } from '../values/decimal.ts'

/** Clocks differ: a TWAP this much older than the decision on it may still be the one. */
const skewMs = 5_000

/** What a TWAP is known by until the venue tells its number. */
type AskedTwap = Pick<
  Twap,
  | 'coin'
  | 'isBuy'
  | 'size'
  | 'minutes'
  | 'isRandomized'
  | 'isReduceOnly'
  | 'triggerPrice'
  | 'endPrice'
>

/** Whether what the venue tells of a TWAP may be the one that was decided on at that time. */
export function isSameTwap(
  asked: AskedTwap,
  at: number,
  told: AskedTwap & Pick<Twap, 'at'>,
): boolean {
  return (
    told.coin === asked.coin &&
    told.isBuy === asked.isBuy &&
    told.size.eq(asked.size) &&
    told.minutes === asked.minutes &&
    told.isRandomized === asked.isRandomized &&
    told.isReduceOnly === asked.isReduceOnly &&
    isSame(told.triggerPrice, asked.triggerPrice) &&
    isSame(told.endPrice, asked.endPrice) &&
    told.at >= at - skewMs
  )
}

function isSame(one: Decimal | null, other: Decimal | null): boolean {
  return one === null || other === null ? one === other : one.eq(other)
}
