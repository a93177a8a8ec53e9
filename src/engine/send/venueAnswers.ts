import type { Json } from '../../core/protocol/action.ts'
import type { Urgency, VenueAnswer } from '../ports.ts'

/**
 * Whether nothing more is made of an action without a reply: it did not leave. Also what Guard closes
 * and protects with, where it was refused for its weight (HTTP 429): it may have arrived, but most
 * likely was not looked at, does no harm twice, and must not wait until the venue has said so.
 */
export function isOver(lane: Urgency, answer: Exclude<VenueAnswer, { kind: 'reply' }>): boolean {
  return answer.kind === 'not_sent' || (lane === 'safety' && answer.isThrottled === true)
}

/** The venue's reply as the `sent` event records it, or why there is none and whether the action may have arrived. */
export function recordOf(answer: VenueAnswer): Json {
  if (answer.kind === 'reply') return answer.reply
  return { error: answer.error, may_have_arrived: answer.kind === 'unknown' }
}
