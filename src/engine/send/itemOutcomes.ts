import { itemCount, statusOf } from '../../core/protocol/actionReply.ts'
import type { Action } from '../../core/protocol/action.ts'
import type { ActionResult } from './dispatcher.ts'
import { isGoneError } from './doneAlready.ts'

/** What became of one entry of an action. */
export type ItemOutcome =
  | { readonly kind: 'taken' }
  /** In the venue's words. */
  | { readonly kind: 'refused'; readonly text: string }
  /** Nobody knows. */
  | { readonly kind: 'lost' }

/** What the answer to an action says of its entries. */
export type Answered =
  /** Not sent, without an answer, or with one that cannot be read: nothing is known. */
  | { readonly kind: 'lost' }
  /** Refused as a whole, in these words. */
  | { readonly kind: 'whole'; readonly text: string }
  | { readonly kind: 'each'; readonly outcomes: readonly ItemOutcome[] }

/**
 * What the venue said of each entry. One refusal in the same words for all of several entries is a
 * refusal of the whole: what depends on the payload alone is answered once for the whole batch.
 */
export function answeredBy(action: Action, result: ActionResult | undefined): Answered {
  if (result?.kind !== 'answered') return { kind: 'lost' }
  const { reply } = result
  if (reply.kind === 'refused') return { kind: 'whole', text: reply.text }
  const outcomes = Array.from({ length: itemCount(action) }, (_, item): ItemOutcome => {
    const status = statusOf(reply, item)
    if (status.kind === 'error') return { kind: 'refused', text: status.text }
    return status.kind === 'unknown' ? { kind: 'lost' } : { kind: 'taken' }
  })
  const [first] = outcomes
  const isOneForAll = outcomes.length > 1 && first?.kind === 'refused'
  if (
    isOneForAll &&
    outcomes.every((each) => each.kind === 'refused' && each.text === first.text)
  ) {
    return { kind: 'whole', text: first.text }
  }
  return { kind: 'each', outcomes }
}

/** The first refusal in it; null where nothing was refused, or nothing is known. */
export function firstRefusal(answered: Answered): string | null {
  if (answered.kind === 'whole') return answered.text
  if (answered.kind === 'lost') return null
  const refused = answered.outcomes.find((each) => each.kind === 'refused')
  return refused?.kind === 'refused' ? refused.text : null
}

/** Whether the venue is known to have taken every entry. */
export function isTakenWhole(answered: Answered): boolean {
  return answered.kind === 'each' && answered.outcomes.every(({ kind }) => kind === 'taken')
}

/** Whether the order of a cancel at this place is gone: cancelled now, or before. */
export function isDone(answered: Answered, place: number): boolean {
  if (answered.kind !== 'each') return answered.kind === 'whole' && isGoneError(answered.text)
  const outcome = answered.outcomes[place]
  return outcome?.kind === 'refused' ? isGoneError(outcome.text) : outcome?.kind === 'taken'
}
