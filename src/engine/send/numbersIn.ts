import type { Action } from '../../core/protocol/action.ts'
import { ordersOf, statusOf } from '../../core/protocol/actionReply.ts'
import type { ActionReply } from '../../core/protocol/actionReply.ts'

/**
 * The numbers that an answer gives to the orders of its action, by place, or to its TWAP; a stop that
 * waits has none.
 */
export function numbersIn(
  action: Action,
  reply: ActionReply,
): readonly { readonly at: number; readonly oid: number }[] {
  const [first] = reply.kind === 'items' ? reply.statuses : []
  if (first?.kind === 'running') return [{ at: 0, oid: first.twapId }]
  return ordersOf(action).flatMap((_, at) => {
    const status = statusOf(reply, at)
    return 'oid' in status ? [{ at, oid: status.oid }] : []
  })
}
