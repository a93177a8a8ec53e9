import { guardCloidKind } from '../protocol/guardCloid.ts'
import type { OpenOrder } from '../protocol/venueState.ts'
import { Decimal } from '../values/decimal.ts'
import type { Cover, Stop } from './accountView.ts'

const roomBelow = Decimal.of('0.95')
const roomAbove = Decimal.of('1.05')

/**
 * The order as a stop that may cover a position, or null: a reduce-only market stop loss whose own
 * limit leaves at least 5% of room beyond the trigger. A stop-limit may trigger and never fill.
 */
export function stopOf(order: OpenOrder): Stop | null {
  const { trigger } = order
  if (trigger === null || !order.isReduceOnly) return null
  if (!trigger.isMarket || trigger.tpsl !== 'sl') return null
  const hasRoom = order.isBuy
    ? order.price.gte(trigger.price.times(roomAbove))
    : order.price.lte(trigger.price.times(roomBelow))
  if (!hasRoom) return null
  return {
    isBuy: order.isBuy,
    oid: order.oid,
    cloid: order.cloid,
    trigger: trigger.price,
    size: order.size,
    owner: guardCloidKind(order.cloid) === 'stop' ? 'guard' : 'bot',
    isPositionTpsl: order.isPositionTpsl,
    placedAt: order.at,
  }
}

/** Orders stops as the price would meet them; equal triggers by oid, so that the order is fixed. */
export function tightestFirst(isLong: boolean): (left: Stop, right: Stop) => number {
  return (left, right) => {
    const byTrigger = isLong ? right.trigger.cmp(left.trigger) : left.trigger.cmp(right.trigger)
    return byTrigger === 0 ? left.oid - right.oid : byTrigger
  }
}

/** What a unit of a position loses between a price and its stop; never less than nothing. */
export function lossPerUnit(isLong: boolean, price: Decimal, stop: Decimal): Decimal {
  const loss = isLong ? price.minus(stop) : stop.minus(price)
  return loss.isNegative() ? Decimal.zero : loss
}

/**
 * Which of the stops cover a position of this signed size. Partial stops add up as the price would
 * meet them; a position TP/SL without a size of its own takes all that is left where it stands.
 */
export function coverOf(size: Decimal, stops: readonly Stop[], price: Decimal): Cover {
  const isLong = size.isPositive()
  const facing = stops.filter((stop) => stop.isBuy !== isLong).sort(tightestFirst(isLong))
  const covering: { stop: Stop; covers: Decimal }[] = []
  let uncovered = size.abs()
  let risk = Decimal.zero
  for (const stop of facing) {
    if (uncovered.isZero()) break
    const takesAll = stop.isPositionTpsl && stop.size.isZero()
    const covers = takesAll ? uncovered : Decimal.min(stop.size, uncovered)
    if (covers.isZero()) continue
    covering.push({ stop, covers })
    uncovered = uncovered.minus(covers)
    risk = risk.plus(covers.times(lossPerUnit(isLong, price, stop.trigger)))
  }
  return {
    isFull: uncovered.isZero(),
    stops: covering,
    uncovered,
    loosest: covering.at(-1)?.stop.trigger ?? null,
    risk,
  }
}
