import { Decimal } from '../values/decimal.ts'
import type { HeldView, Suspense } from './riskSnapshot.ts'

/** A sight that no report explains may lift the peak by this much before it is confirmed. */
export const lifted = Decimal.of('1.01')

interface Weighed {
  readonly kept: readonly Decimal[]
  /** Of the wrong ones only those that would have halted or lifted the peak: people are told of them. */
  readonly dropped: readonly Decimal[]
}

/**
 * Parts the equities that were held back for want of an explanation. What the reports explain by now
 * is kept and counts. The cash turned out to be where the reports say, so the others were wrong.
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
