import type { ReasonCode } from '../../core/judge/codes.ts'
import type { BotAction } from '../../core/protocol/action.ts'

const takesCover: ReadonlySet<ReasonCode> = new Set(['stop_removed', 'stop_loosened', 'guard_stop'])

/**
 * Whether a refused request asked for nothing but to take orders back or to reduce positions. One
 * that was refused because it takes cover from a position asked for more risk.
 */
export function wasToGetOut(action: BotAction, code: ReasonCode): boolean {
  if (takesCover.has(code)) return false
  if (action.type === 'order') return action.orders.every(({ isReduceOnly }) => isReduceOnly)
  return action.type === 'cancel' || action.type === 'cancelByCloid'
}
