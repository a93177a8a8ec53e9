import type { ReasonCode } from '../../core/judge/codes.ts'
import type { Action } from '../../core/protocol/action.ts'

const takesCover: ReadonlySet<ReasonCode> = new Set(['stop_removed', 'stop_loosened', 'guard_stop'])

const exitTypes: ReadonlySet<Action['type']> = new Set([
  ...(['order', 'cancel', 'cancelByCloid', 'twapOrder', 'twapCancel'] as const),
])

/** Whether an action may get out of a position or take back an order, and changes nothing else. */
export function mayGetOut({ type }: Action): boolean {
  return exitTypes.has(type)
}

/**
 * Whether a refused request asked for nothing but to take orders back or to reduce positions. One
 * that was refused because it takes cover from a position asked for more risk.
 */
export function wasToGetOut(action: Action, code: ReasonCode): boolean {
  if (takesCover.has(code)) return false
  if (action.type === 'order') return action.orders.every(({ isReduceOnly }) => isReduceOnly)
  if (action.type === 'twapOrder') return action.isReduceOnly
  return /^(cancel|cancelByCloid|twapCancel)$/.test(action.type)
}
