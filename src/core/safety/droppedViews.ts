import { Decimal } from '../values/decimal.ts'
import type { HeldView, Suspense } from './riskSnapshot.ts'

/** A sight that no report explains may lift the peak by this much before it is confirmed. */
export const lifted = Decimal.of('1.01')

interface Weighed {
  readonly kept: readonly Decimal[]
  /** Those that would have halted, or lifted the peak, had they counted; the others are of no interest. */
  readonly dropped: readonly Decimal[]
}

/**
 * Of the equities that were held until now, those that what is reported by now explains. Cash is where
 * the reports say: the others were never right.
 */
export function weighedViews(
  { views, isHolding }: Suspense,
  isExplained: (view: HeldView) => boolean,
  peak: Decimal,
): Weighed {
  const equities = (of: readonly HeldView[]): readonly Decimal[] => of.map(({ equity }) => equity)
  const wrong = equities(views.filter((view) => !isExplained(view)))
  const high = peak.times(lifted)
  return {
    kept: equities(views.filter(isExplained)),
    dropped: isHolding ? wrong : wrong.filter((view) => view.gt(high)),
  }
}
