import type { Action } from '../core/protocol/action.ts'
import { errorOf } from './venueReply.ts'
import type { VenueReply } from './venueReply.ts'

/** The order or the position was gone already, which is what was wanted. */
export function isGoneError(error: string): boolean {
  return /already canceled|never placed|Reduce only order would increase position/.test(error)
}

/**
 * A cancel or close that the venue refused only because there is nothing left to cancel or close.
 * It counts as done: the account that still shows it is behind, and asking again would not help.
 */
export function isDoneAlready(action: Action, reply: VenueReply): boolean {
  if (reply.kind !== 'statuses' || !onlyEnds(action)) return false
  return reply.statuses.every((status) => isGoneError(errorOf(status) ?? ''))
}

function onlyEnds(action: Action): boolean {
  if (action.type === 'cancel' || action.type === 'cancelByCloid') return true
  if (action.type !== 'order') return false
  return action.orders.every(({ isReduceOnly, type }) => isReduceOnly && type.kind === 'limit')
}
