import type { Order } from '../../protocol/action.ts'
import { roundPrice, roundPriceToward } from '../../protocol/grid.ts'
import type { Market } from '../../protocol/market.ts'
import type { Rules } from '../../rules/rules.ts'
import type { Decimal } from '../../values/decimal.ts'
import { ok } from '../../values/result.ts'
import type { Result } from '../../values/result.ts'
import { change } from '../changes.ts'
import type { Change } from '../changes.ts'
import { refuse } from '../refusal.ts'
import type { Refusal } from '../refusal.ts'
import { percent } from '../text.ts'

interface WorstPrice {
  readonly price: Decimal
  readonly changes: readonly Change[]
}

/**
 * The worst price an entry may fill at: its limit on the grid, on the passive side, and on the
 * aggressive side no further from the mid than the rules allow.
 */
export function worstPrice(
  market: Market,
  rules: Rules,
  order: Order,
  mid: Decimal,
): Result<WorstPrice, Refusal> {
  const { isBuy, price } = order
  const limit = roundPrice(market, price, isBuy ? 'floor' : 'ceil')
  const distance = mid.times(rules.maxDistanceFromMid)
  const bound = isBuy ? mid.plus(distance) : mid.minus(distance)
  const isBeyond = isBuy ? limit.gt(bound) : limit.lt(bound)
  const worst = isBeyond ? roundPriceToward(market, bound, mid) : limit
  if (!worst.isPositive()) {
    return refuse(
      'invalid',
      `the limit ${price.toString()} is below the smallest price ${market.coin} can have`,
    )
  }
  if (worst.eq(price)) return ok({ price: worst, changes: [] })
  const name = `the limit of the ${market.coin} ${isBuy ? 'buy' : 'sell'}`
  const moved = isBeyond
    ? change(
        `${name} pulled in from ${price.toString()} to ${worst.toString()}, ${percent(rules.maxDistanceFromMid)} from the mid ${mid.toString()} (max_distance_from_mid)`,
        'price',
        price,
        worst,
        'max_distance_from_mid',
      )
    : change(
        `${name} rounded from ${price.toString()} to ${worst.toString()}, the next price on the venue's grid`,
        'price',
        price,
        worst,
        'grid',
      )
  return ok({ price: worst, changes: [moved] })
}
