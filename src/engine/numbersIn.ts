import type { Action } from '../core/protocol/action.ts'
import { ordersOf } from './ordersOf.ts'
import { oidOf } from './venueReply.ts'
import type { VenueReply } from './venueReply.ts'

/** The numbers that an answer gives to the orders of its action; a stop that waits has none there. */
export function numbersIn(
  action: Action,
  reply: VenueReply,
): readonly { readonly cloid: string; readonly oid: number }[] {
  if (reply.kind !== 'statuses') return []
  return ordersOf(action).flatMap(({ cloid }, index) => {
    const oid = oidOf(reply.statuses[index] ?? null)
    return cloid === null || oid === null ? [] : [{ cloid, oid }]
  })
}
