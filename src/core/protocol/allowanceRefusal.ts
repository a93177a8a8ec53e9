import type { Action } from './action.ts'
import { itemCount } from './actionReply.ts'

/** The venue's own count of what the account may do in its lifetime, and has done before the action. */
interface AllowanceTold {
  readonly cap: number
  readonly used: number
}

const spentText = /^Too many cumulative requests sent \((\d{1,15}) > (\d{1,15})\) /

/**
 * What the venue's refusal of this action says about the allowance of actions; null where it says
 * something else, or contradicts itself. Cancels have a larger cap of their own, which says nothing
 * about orders.
 */
export function allowanceIn(action: Action, text: string): AllowanceTold | null {
  const { type } = action
  if (type === 'cancel' || type === 'cancelByCloid' || type === 'twapCancel') return null
  const [, afterText, capText] = spentText.exec(text) ?? []
  if (afterText === undefined || capText === undefined) return null
  const after = Number.parseInt(afterText, 10)
  const cap = Number.parseInt(capText, 10)
  // The count is what it would have been with the action, which was not done.
  return after > cap ? { cap, used: Math.max(after - itemCount(action), 0) } : null
}
