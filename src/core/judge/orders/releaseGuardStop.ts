import type { Stop } from '../../account/stop.ts'
import type { Grouping, Order } from '../../protocol/action.ts'
import { hasRoom } from '../../protocol/marketStop.ts'
import type { Coin } from '../../values/coin.ts'
import { freshMid, isAccountFresh } from '../context.ts'
import type { JudgeInput } from '../decision.ts'
import { isMarketStop } from '../fitStop.ts'
import { step } from '../plan.ts'
import type { Step } from '../plan.ts'
import { positionOf } from './sortOrders.ts'

/**
 * Once a stop of the bot's own rests that covers the whole position and is tighter than Guard's,
 * Guard's stop is cancelled. Sent only after the venue took the bot's. A stop in a group waits for
 * the order before it, and covers nothing until then.
 */
export function releaseGuardStop(
  input: JudgeInput,
  placing: Step,
  orders: readonly Order[],
  grouping: Grouping,
): readonly Step[] {
  if (!isAccountFresh(input) || grouping === 'normalTpsl') return []
  const released: Step[] = []
  for (const order of orders) {
    const { coin, stops } = replacedStops(input, order, grouping)
    if (coin === null || stops.length === 0) continue
    const { asset } = order
    released.push(
      step(
        { type: 'cancel', cancels: stops.map(({ oid }) => ({ asset, oid })) },
        stops.map(({ oid, cloid }) => ({ kind: 'cancel', coin, oid, cloid })),
        [placing],
      ),
    )
  }
  return released
}

/** Guard's own stops that this order makes needless; of many only what one cancel may name. */
function replacedStops(
  input: JudgeInput,
  order: Order,
  grouping: Grouping,
): { readonly coin: Coin | null; readonly stops: readonly Stop[] } {
  const none = { coin: null, stops: [] }
  if (!isMarketStop(order)) return none
  const position = positionOf(input, order)
  if (position === null) return none
  const { coin, size, liquidationPrice } = position
  const isLong = size.isPositive()
  const mid = freshMid(input, coin)
  if (order.isBuy === isLong || mid === null) return none
  const trigger = order.type.triggerPrice
  const isWhole = order.size.gte(size.abs()) || (grouping === 'positionTpsl' && order.size.isZero())
  const isWaiting = isLong ? trigger.lt(mid) : trigger.gt(mid)
  const isReached =
    liquidationPrice === null ||
    (isLong ? trigger.gt(liquidationPrice) : trigger.lt(liquidationPrice))
  if (!isWhole || !isWaiting || !isReached || !hasRoom(trigger, order.price, isLong)) return none
  return { coin, stops: input.account.guardStopsBeyond(coin, trigger) }
}
