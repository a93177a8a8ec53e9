import type { RiskDetail } from '../events/guardEvent.ts'
import type { Decimal } from '../values/decimal.ts'
import { nextUtcDay } from '../values/millis.ts'
import type { Millis } from '../values/millis.ts'

/** The figures that the event of a drawdown halt carries. */
export function drawdownDetail(equity: Decimal, peak: Decimal, limit: Decimal): RiskDetail {
  return { equity: equity.toString(), peak: peak.toString(), limit: limit.toString() }
}

/** What is told of a daily loss stop that begins at this moment. */
export function dayDetail(
  equity: Decimal,
  dayStart: Decimal,
  limit: Decimal,
  at: Millis,
): RiskDetail {
  return {
    until_ms: nextUtcDay(at),
    equity: equity.toString(),
    day_start: dayStart.toString(),
    limit: limit.toString(),
  }
}
