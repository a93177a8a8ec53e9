import type { Action } from '../core/protocol/action.ts'
import { ordersOf } from './ordersOf.ts'
import { oidOf } from './venueReply.ts'
import type { VenueReply } from './venueReply.ts'

/** The numbers that an answer gives to the orders of its action, by place; a stop that waits has none. */
export function numbersIn(
  action: Action,
  reply: VenueReply,
): readonly { readonly at: number; readonly oid: number }[] {
  if (reply.kind !== 'statuses') return []
  return ordersOf(action).flatMap((_, at) => {
    const oid = oidOf(reply.statuses[at] ?? null)
    return oid === null ? [] : [{ at, oid }]
  })
}
