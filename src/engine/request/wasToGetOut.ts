import type { ReasonCode } from '../../core/judge/codes.ts'
import type { Action } from '../../core/protocol/action.ts'

const takesCover: ReadonlySet<ReasonCode> = new Set(['stop_removed', 'stop_loosened', 'guard_stop'])

const exitTypes = ['order', 'cancel', 'cancelByCloid', 'twapOrder', 'twapCancel'] as const
const getsOut: ReadonlySet<Action['type']> = new Set(exitTypes)
const lowersRisk: ReadonlySet<Action['type']> = new Set([
  ...exitTypes,
  ...(['modify', 'batchModify', 'updateIsolatedMargin'] as const),
])

/**
 * Whether an action may get out of a position, take back an order or make what is held safer, and
 * changes nothing else. One that may have been carried out before (`isDoubted`) only gets out: margin
 * that is added twice is money that is gone from where it was.
 */
export function mayLowerRisk({ type }: Action, isDoubted: boolean): boolean {
  return (isDoubted ? getsOut : lowersRisk).has(type)
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
