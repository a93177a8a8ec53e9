import type { Action, Order } from '../../core/protocol/action.ts'
import { ordersOf, refusalIn, statusOf } from '../../core/protocol/actionReply.ts'
import type { ActionReply } from '../../core/protocol/actionReply.ts'
import { refusalKind } from '../../core/venueLimits/refusal.ts'

/** What a cancel is told whose order, or TWAP, was gone already. */
export function isGoneError(error: string): boolean {
  return refusalKind(error) === 'gone'
}

/** What a close is told whose position was gone already. */
export function isClosedError(error: string): boolean {
  return refusalKind(error) === 'nothing_to_reduce'
}

/**
 * A cancel or close that the venue refused only because there is nothing left to cancel or close.
 * It counts as done: the account that still shows it is behind, and asking again would not help.
 */
export function isDoneAlready(action: Action, reply: ActionReply): boolean {
  if (reply.kind !== 'items' || !onlyEnds(action)) return false
  const isSo = action.type === 'order' ? isClosedError : isGoneError
  return reply.statuses.every((status) => isSo(refusalIn(status) ?? ''))
}

/**
 * The places of the orders that the venue refused while it took others of the same action: none of
 * them is on its way any more. A close of what is gone already counts as done, as above.
 */
export function refusedOrders(action: Action, reply: ActionReply): readonly number[] {
  if (reply.kind !== 'items') return []
  return ordersOf(action).flatMap((order, at) => {
    const error = refusalIn(statusOf(reply, at))
    if (error === null) return []
    return isClose(order) && isClosedError(error) ? [] : [at]
  })
}

function isClose({ isReduceOnly, type }: Order): boolean {
  return isReduceOnly && type.kind === 'limit'
}

function onlyEnds(action: Action): boolean {
  if (/^(cancel|cancelByCloid|twapCancel)$/.test(action.type)) return true
  if (action.type !== 'order') return false
  return action.orders.every(isClose)
}
