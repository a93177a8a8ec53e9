import type { RiskView } from '../../core/safety/riskView.ts'
import type { Latched } from '../watch/latch.ts'
import { isRiskUnread, unreadRisk } from './restoreRisk.ts'

/** Why everything is to be closed, for a person; the same text for as long as it is the same reason. */
export function reasonToFlatten(
  latched: Pick<Latched, 'reason'> | null,
  { state, detail }: Pick<RiskView, 'state' | 'detail'>,
): string | null {
  if (latched !== null) return `kill switch: ${latched.reason}`
  if (isRiskUnread({ state, detail })) return unreadRisk
  if (detail === null) return null
  if (state === 'stopped' && 'peak' in detail) {
    return `drawdown halt: equity ${detail.equity}, peak ${detail.peak}, limit ${detail.limit}`
  }
  if (state === 'halted_for_day' && 'day_start' in detail) {
    const { equity, day_start: start, limit } = detail
    return `daily loss stop: equity ${equity}, day start ${start}, limit ${limit}`
  }
  return null
}
