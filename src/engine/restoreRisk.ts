import { RiskEngine } from '../core/safety/riskEngine.ts'
import type { RiskLimits } from '../core/safety/riskEngine.ts'
import { Decimal } from '../core/values/decimal.ts'
import type { Log } from './ports.ts'
import type { Replayed } from './recovery.ts'

/** The later of the snapshot and the last risk event; then a person's review, when one came after. */
export function restoreRisk(replayed: Replayed, limits: RiskLimits, log: Log): RiskEngine {
  const kept = replayed.risk ?? replayed.memory?.risk ?? null
  let engine = new RiskEngine(limits)
  if (kept !== null) {
    const restored = RiskEngine.restore(kept, limits)
    if (restored.ok) engine = restored.value
    else log.log('error', 'what the risk engine knew cannot be read', { error: restored.error })
  }
  if (replayed.reviewed !== null) {
    engine.review(Decimal.of(replayed.reviewed.equity), replayed.reviewed.at)
  }
  return engine
}
