import type { Action } from '../../core/protocol/action.ts'
import { itemCount } from '../../core/protocol/actionReply.ts'
import { actionWeight } from '../../core/protocol/requestWeight.ts'

/** What all actions of a decision cost of the venue's request weight and of the account's allowance. */
export function costOf(actions: readonly Action[]): { weight: number; actions: number } {
  const counts = actions.map(itemCount)
  return {
    weight: counts.reduce((sum, count) => sum + actionWeight(count), 0),
    actions: counts.reduce((sum, count) => sum + count, 0),
  }
}
