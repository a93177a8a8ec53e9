import type { Action } from '../../core/protocol/action.ts'
import { ordersOf, statusOf } from '../../core/protocol/actionReply.ts'
import type { ActionReply } from '../../core/protocol/actionReply.ts'
import { Decimal } from '../../core/values/decimal.ts'

/** What an answer says of one order: its place in the action, its number, and how much of it is filled. */
interface Numbered {
  readonly at: number
  readonly oid: number
  readonly filled: Decimal
}

/**
 * The numbers that an answer gives to the orders of its action, by place, or to its TWAP; a stop that
 * waits has none.
 */
export function numbersIn(action: Action, reply: ActionReply): readonly Numbered[] {
  const [first] = reply.kind === 'items' ? reply.statuses : []
  if (first?.kind === 'running') return [{ at: 0, oid: first.twapId, filled: Decimal.zero }]
  return ordersOf(action).flatMap((_, at) => {
    const status = statusOf(reply, at)
    const filled = status.kind === 'filled' ? status.totalSize : Decimal.zero
    return 'oid' in status ? [{ at, oid: status.oid, filled }] : []
  })
}
