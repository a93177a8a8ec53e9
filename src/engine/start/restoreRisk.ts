import { RiskEngine } from '../../core/safety/riskEngine.ts'
import type { RiskLimits } from '../../core/safety/halts.ts'
import type { RiskView } from '../../core/safety/riskView.ts'
import { Decimal } from '../../core/values/decimal.ts'
import type { Millis } from '../../core/values/millis.ts'
import { err, ok } from '../../core/values/result.ts'
import type { Result } from '../../core/values/result.ts'
import type { Alerts } from '../alerts.ts'
import type { Log } from '../ports.ts'
import type { Recorder } from '../recorder.ts'
import type { Replayed } from './recovery.ts'

/**
 * The later of the snapshot and the last risk event; then a person's review, when one came after.
 * What cannot be read is never forgotten: it stops Guard until it is reviewed.
 */
export function restoreRisk(replayed: Replayed, limits: RiskLimits, log: Log): RiskEngine {
  const restored = restoredFrom(replayed, limits)
  const engine = restored.ok ? restored.value : RiskEngine.unreadable(limits)
  if (!restored.ok) log.log('error', unreadRisk, { error: restored.error })
  if (replayed.reviewed !== null) {
    engine.review(Decimal.of(replayed.reviewed.equity), replayed.reviewed.at)
  }
  return engine
}

function restoredFrom(
  { isMemoryLost, memory, risk }: Replayed,
  limits: RiskLimits,
): Result<RiskEngine> {
  if (isMemoryLost) return err('the snapshot is damaged or missing')
  if (memory === null && risk === null) return ok(new RiskEngine(limits))
  return RiskEngine.restore(risk ?? memory?.risk, limits)
}

/** Stopped, and by no figures: the memory of an earlier run could not be read. */
export function isRiskUnread({ state, detail }: Pick<RiskView, 'state' | 'detail'>): boolean {
  return state === 'stopped' && detail === null
}

export const unreadRisk = 'what the risk engine knew of peaks and halts cannot be read'

/** Raises the alert and records an `error` where the risk memory could not be read. */
export function tellUnreadRisk(
  view: RiskView,
  alerts: Alerts,
  recorder: Recorder,
  at: Millis,
): void {
  if (!isRiskUnread(view)) return
  const text = `${unreadRisk}: nothing opens until a person has reviewed it (guard resume)`
  alerts.raise('risk_memory', text, at)
  recorder.record({ kind: 'error', text }, 'now')
}
