import type { TwapDetails, TwapOrderAction } from '../../protocol/action.ts'
import { roundPriceToward } from '../../protocol/grid.ts'
import type { Market } from '../../protocol/market.ts'
import { Decimal } from '../../values/decimal.ts'
import { ok } from '../../values/result.ts'
import type { Result } from '../../values/result.ts'
import { change } from '../changes.ts'
import type { Change } from '../changes.ts'
import { refuse } from '../refusal.ts'
import type { Refusal } from '../refusal.ts'
import { sideName } from '../text.ts'
import type { MarkedPrices, WorstPrice } from '../entry/worstPrice.ts'

/** How far from the mid a slice may fill, by the venue's word. */
const slippage = Decimal.of('0.03')

/** The prices of a TWAP: what it is judged by, and where it ends by itself. */
export interface TwapPrice {
  readonly worst: WorstPrice
  readonly endPrice: Decimal
}

/**
 * The worst price of a TWAP: 3% beyond the worse of the mid and the price that it starts at. It ends
 * there by itself: where the bot named no such price, or one further away, Guard does.
 */
export function twapPrice(
  market: Market,
  action: TwapOrderAction,
  { mid, mark, firing }: MarkedPrices,
): Result<TwapPrice, Refusal> {
  const { isBuy } = action
  const { trigger, endPrice: asked } = action.details ?? noDetails
  const start = trigger?.price ?? mid
  const base = isBuy ? Decimal.max(mid, start) : Decimal.min(mid, start)
  const distance = base.times(slippage)
  const price = roundPriceToward(market, isBuy ? base.plus(distance) : base.minus(distance), base)
  if (asked !== null && (isBuy ? asked.lte(base) : asked.gte(base))) {
    return refuse(
      'invalid',
      `details.s: the TWAP would end at ${asked.toString()} before it has filled anything: it must be ${isBuy ? 'above' : 'below'} ${base.toString()}, the worse of the mid and its start price`,
    )
  }
  const isFurther = asked === null || (isBuy ? asked.gt(price) : asked.lt(price))
  const mayWait = trigger !== null && isAhead(trigger, mark)
  const from = mayWait ? trigger.price : firing
  const stopFrom = isBuy ? Decimal.min(price, from) : Decimal.max(price, from)
  return ok({
    worst: {
      price,
      stopFrom: { price: stopFrom, text: 'where its first slice may fill' },
      worth: Decimal.max(price, start, mid, mark),
      trigger: null,
      mayWait,
      changes: isFurther ? [endChange(market, action, price)] : [],
    },
    endPrice: isFurther ? price : asked,
  })
}

const noDetails: TwapDetails = { trigger: null, endPrice: null }

/** Whether the mark has yet to come to the price that it starts at. */
function isAhead({ price, isAbove }: NonNullable<TwapDetails['trigger']>, mark: Decimal): boolean {
  return isAbove ? mark.lt(price) : mark.gt(price)
}

function endChange({ coin }: Market, { isBuy, details }: TwapOrderAction, price: Decimal): Change {
  const asked = details?.endPrice ?? null
  const what = `the ${coin} ${sideName(isBuy)} TWAP ends at ${price.toString()}, the worst price that it may fill at`
  const text = asked === null ? what : `${what}, and not at ${asked.toString()}`
  return change(text, 'details.s', asked, price, 'twap')
}
