import type { Action } from './action.ts'

/** The venue's own count of what the account may do in its lifetime, and has done. */
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
export function allowanceIn({ type }: Pick<Action, 'type'>, text: string): AllowanceTold | null {
  if (type === 'cancel' || type === 'cancelByCloid' || type === 'twapCancel') return null
  const [, told, most] = spentText.exec(text) ?? []
  if (told === undefined || most === undefined) return null
  const used = Number.parseInt(told, 10)
  const cap = Number.parseInt(most, 10)
  return used > cap ? { cap, used } : null
}
