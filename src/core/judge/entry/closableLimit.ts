import type { Market } from '../../protocol/market.ts'
import { Decimal } from '../../values/decimal.ts'
import { ok } from '../../values/result.ts'
import type { Result } from '../../values/result.ts'
import { largestMarketOrder } from '../../venueLimits/largestOrder.ts'
import { venueLimits } from '../../venueLimits/venueLimits.ts'
import { refuse } from '../refusal.ts'
import type { Refusal } from '../refusal.ts'
import { usd } from '../text.ts'
import type { SizeLimit } from './sizeLimit.ts'

interface Closable {
  /** What is held and resting on the entry's side, in USD. */
  readonly used: Decimal
  /** What a unit of the entry is worth when it fills, in USD. */
  readonly worth: Decimal
  /** The limit of the entry's stop: where that is dearer, the venue values a stop at it. */
  readonly stopLimit: Decimal
}

/**
 * How much may be added so that the venue lets Guard out again: the entry's stop is one market
 * order, and all that is held on its side must fit into ten of them. `position_cap` where nothing
 * may be added.
 */
export function closableLimits(
  market: Market,
  { used, worth, stopLimit }: Closable,
): Result<readonly SizeLimit[], Refusal> {
  const { coin, sizeDecimals } = market
  const largest = largestMarketOrder(market)
  const dearest = Decimal.max(worth, stopLimit)
  const name = (): string => `the venue's largest market order on ${coin}, ${usd(largest)}`
  const most = largest.times(Decimal.whole(venueLimits.piecesMax))
  const held = used.over(worth, sizeDecimals, 'ceil')
  const left = most.over(dearest, sizeDecimals, 'floor').minus(held)
  if (!left.isPositive()) {
    return refuse(
      'position_cap',
      `${coin} held and resting on that side is worth ${usd(used)}, and more could not be closed with ${venueLimits.piecesMax} orders of ${name()}`,
    )
  }
  return ok([
    {
      size: largest.over(dearest, sizeDecimals, 'floor'),
      rule: 'largest_order',
      text: () => `${name()}, which its stop must fit into`,
    },
    {
      size: left,
      rule: 'largest_order',
      text: () => `what can be closed with ${venueLimits.piecesMax} orders of ${name()}`,
    },
  ])
}
