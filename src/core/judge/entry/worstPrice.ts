import type { Order } from '../../protocol/action.ts'
import { roundPrice, roundPriceToward } from '../../protocol/grid.ts'
import type { Market } from '../../protocol/market.ts'
import type { OpenTrigger } from '../../protocol/venueState.ts'
import type { Rules } from '../../rules/rules.ts'
import { Decimal } from '../../values/decimal.ts'
import { ok } from '../../values/result.ts'
import type { Result } from '../../values/result.ts'
import { change } from '../changes.ts'
import type { Change } from '../changes.ts'
import { refuse } from '../refusal.ts'
import type { Refusal } from '../refusal.ts'
import { percent } from '../text.ts'

/** The prices of now that an entry is judged by. */
export interface SeenPrices {
  /** What a market order pays is measured from it. */
  readonly mid: Decimal
  /** The mid or the mark, whichever fires its stop first. */
  readonly firing: Decimal
}

/** The same with the mark, by which the venue starts what waits for a price. */
export interface MarkedPrices extends SeenPrices {
  readonly mark: Decimal
}

/** At which prices an entry is judged. */
export interface WorstPrice {
  /** The worst that it may fill at. */
  readonly price: Decimal
  /** What its stop is measured from and must lie on the losing side of, and how a person calls it. */
  readonly stopFrom: { readonly price: Decimal; readonly text: string }
  /** USD that a unit of it counts as. */
  readonly worth: Decimal
  /** The trigger that it waits for; null for a limit order. */
  readonly trigger: OpenTrigger | null
  /** It may wait for its price while Guard is away, and nobody would place its stop. */
  readonly mayWait: boolean
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
  { mid, firing }: SeenPrices,
): Result<WorstPrice, Refusal> {
  const found = pulledIn(market, rules, order, boundFrom(rules, order.isBuy, mid, 'the mid'))
  if (!found.ok) return found
  const { price, changes } = found.value
  const stopFrom = stopFromNow(order.isBuy, price, firing)
  const worth = Decimal.max(price, mid)
  return ok({ price, changes, stopFrom, worth, trigger: null, mayWait: false })
}

/**
 * Where an order may fill at once as well as at its limit, its stop loses from the limit and from the
 * price that fires it, which is the mid but where the mark would fire it sooner.
 */
export function stopFromNow(
  isBuy: boolean,
  price: Decimal,
  firing: Decimal,
): WorstPrice['stopFrom'] {
  return {
    price: isBuy ? Decimal.min(price, firing) : Decimal.max(price, firing),
    text: `the ${isBuy ? 'lowest' : 'highest'} of limit, mid and mark`,
  }
}

/** How far a limit may lie on the aggressive side, what that is measured from, and its name. */
export interface LimitBound {
  readonly bound: Decimal
  readonly from: Decimal
  readonly name: string
}

/** The furthest limit that the rules allow, seen from a price. */
export function boundFrom(rules: Rules, isBuy: boolean, from: Decimal, name: string): LimitBound {
  const distance = from.times(rules.maxDistanceFromMid)
  return { bound: isBuy ? from.plus(distance) : from.minus(distance), from, name }
}

/** A limit on the grid, on the passive side, and pulled in where it lies beyond its bound. */
export function pulledIn(
  market: Market,
  rules: Rules,
  { isBuy, price }: Order,
  { bound, from, name: fromName }: LimitBound,
): Result<Pick<WorstPrice, 'price' | 'changes'>, Refusal> {
  const limit = roundPrice(market, price, isBuy ? 'floor' : 'ceil')
  const isBeyond = isBuy ? limit.gt(bound) : limit.lt(bound)
  const worst = isBeyond ? roundPriceToward(market, bound, from) : limit
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
        `${name} pulled in from ${price.toString()} to ${worst.toString()}, ${percent(rules.maxDistanceFromMid)} from ${fromName} ${from.toString()} (max_distance_from_mid)`,
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
