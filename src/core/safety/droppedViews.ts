import { Decimal } from '../values/decimal.ts'
import type { Suspense } from './riskSnapshot.ts'

/** A sight that no report explains may lift the peak by this much before it is confirmed. */
export const lifted = Decimal.of('1.01')

/**
 * Of the equities that were held until now, once a sight has contradicted them all: those that would
 * have halted, or lifted the peak, had they counted. The others are of no interest to anybody.
 */
export function droppedViews(suspense: Suspense | null, peak: Decimal): readonly Decimal[] {
  if (suspense === null) return []
  const high = peak.times(lifted)
  return suspense.isHolding ? suspense.views : suspense.views.filter((view) => view.gt(high))
}
