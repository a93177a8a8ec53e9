import { Decimal } from '../../src/core/values/decimal.ts'
import type { OrderView, PositionView } from '../sim/engine/views.ts'

/** A market stop that works for a position, and how much of it it can close. */
interface WorkingStop {
  readonly order: OrderView
  readonly trigger: Decimal
  readonly size: Decimal
}

type Held = Pick<PositionView, 'coin' | 'size'>

/** The market stops that work for a position, tightest first; one that waits for its entry does not. */
export function workingStops(open: readonly OrderView[], held: Held): readonly WorkingStop[] {
  const waiting = new Set(open.flatMap(({ children }) => children.map(({ oid }) => oid)))
  const isLong = held.size.isPositive()
  return open
    .filter((order) => order.coin === held.coin && !waiting.has(order.oid))
    .flatMap((order) => {
      const { trigger, isPositionTpsl, size } = order
      if (trigger === null || !isStopFor(order, held.size)) return []
      const isWhole = isPositionTpsl && size.isZero()
      return [{ order, trigger: trigger.price, size: isWhole ? held.size.abs() : size }]
    })
    .sort((left, right) => right.trigger.cmp(left.trigger) * (isLong ? 1 : -1))
}

/** Whether an order is a market stop of a position of this signed size. */
export function isStopFor({ isReduceOnly, isBuy, trigger }: OrderView, size: Decimal): boolean {
  return isReduceOnly && trigger?.tpsl === 'sl' && trigger.isMarket && isBuy === size.isNegative()
}

/** Whether a stop at `trigger` costs a position of this side no more than one at `bound`. */
export function isAsTight(trigger: Decimal, bound: Decimal, isLong: boolean): boolean {
  return isLong ? trigger.gte(bound) : trigger.lte(bound)
}

/** How much of the position its stops close before the price is worse than `bound`. */
export function coveredAt(stops: readonly WorkingStop[], bound: Decimal, isLong: boolean): Decimal {
  return sumOf(stops.filter(({ trigger }) => isAsTight(trigger, bound, isLong)))
}

export function isCovered(stops: readonly WorkingStop[], { size }: Held): boolean {
  return sumOf(stops).gte(size.abs())
}

/**
 * What is lost from `price` on, at the tightest stops beyond it; what they leave open counts nothing.
 * One that the price has passed closes nothing any more, but where the venue has yet to look at it
 * (`firesLate`): it then closes its size in a moment, and nothing is lost down to a looser one.
 */
export function lossAt(
  stops: readonly WorkingStop[],
  { size }: Held,
  price: Decimal,
  firesLate = false,
): Decimal {
  const isLong = size.isPositive()
  let left = size.abs()
  let loss = Decimal.zero
  for (const stop of stops) {
    const distance = isLong ? price.minus(stop.trigger) : stop.trigger.minus(price)
    const isPassed = !distance.isPositive()
    if (isPassed && !firesLate) continue
    const some = Decimal.min(left, stop.size)
    if (!isPassed) loss = loss.plus(some.times(distance))
    left = left.minus(some)
  }
  return loss
}

function sumOf(stops: readonly WorkingStop[]): Decimal {
  return stops.reduce((sum, { size }) => sum.plus(size), Decimal.zero)
}
