import type { WeightBudget } from '../../engine/ports.ts'

/** What is asked of the venue before a Guard counts: whose account it is. */
const startWeight = 80
/** What `guard init` asks: whose account it is, and for whom the API wallet may sign. */
const setUpWeight = 140

/**
 * Counts what was spent of the request weight before this Guard began. A home's first start most often
 * follows its set-up within the minute. Beside other Guards of the host a floor has no room for it.
 */
export function countAsked(
  budget: Pick<WeightBudget, 'limit' | 'venueLimit' | 'spentBefore'>,
  isFirstStart: boolean,
): void {
  if (budget.limit < budget.venueLimit) return
  budget.spentBefore([startWeight + (isFirstStart ? setUpWeight : 0)], 0)
}
