import { stopOf } from '../../account/cover.ts'
import type { Grouping, Order } from '../../protocol/action.ts'
import type { OpenOrder } from '../../protocol/venueState.ts'
import { Decimal } from '../../values/decimal.ts'
import { freshMid, isAccountFresh } from '../context.ts'
import type { JudgeInput } from '../decision.ts'
import { step } from '../plan.ts'
import type { Step } from '../plan.ts'
import { positionOf } from './sortOrders.ts'

const roomBelow = Decimal.of('0.95')
const roomAbove = Decimal.of('1.05')

/**
 * Once a stop of the bot's own rests that covers the whole position and is tighter than Guard's,
 * Guard's stop is cancelled. Sent only after the venue took the bot's.
 */
export function releaseGuardStop(
  input: JudgeInput,
  placing: Step,
  orders: readonly Order[],
  grouping: Grouping,
): readonly Step[] {
  if (!isAccountFresh(input)) return []
  const released: Step[] = []
  for (const order of orders) {
    const stops = replacedStops(input, order, grouping)
    if (stops.length === 0) continue
    const { asset } = order
    released.push(
      step(
        { type: 'cancel', cancels: stops.map(({ oid }) => ({ asset, oid })) },
        stops.map(({ coin, oid, cloid }) => ({ kind: 'cancel', coin, oid, cloid })),
        [placing],
      ),
    )
  }
  return released
}

/** Guard's own stops that this order makes needless. */
function replacedStops(input: JudgeInput, order: Order, grouping: Grouping): readonly OpenOrder[] {
  const { type } = order
  if (type.kind !== 'trigger' || !type.isMarket || type.tpsl !== 'sl') return []
  const position = positionOf(input, order)
  if (position === null) return []
  const isLong = position.size.isPositive()
  const mid = freshMid(input, position.coin)
  if (order.isBuy === isLong || mid === null) return []
  const trigger = type.triggerPrice
  const isWhole =
    order.size.gte(position.size.abs()) || (grouping === 'positionTpsl' && order.size.isZero())
  const isWaiting = isLong ? trigger.lt(mid) : trigger.gt(mid)
  const hasRoom = isLong
    ? order.price.lte(trigger.times(roomBelow))
    : order.price.gte(trigger.times(roomAbove))
  if (!isWhole || !isWaiting || !hasRoom) return []
  return input.account.ordersOf(position.coin).flatMap((open) => {
    const stop = stopOf(open)
    if (stop === null || stop.owner !== 'guard' || open.isBuy === isLong) return []
    const isTighter = isLong ? trigger.gt(stop.trigger) : trigger.lt(stop.trigger)
    return isTighter ? [open] : []
  })
}
