import type { WeightBudget } from '../../engine/ports.ts'

/** What is asked of the venue before a Guard counts: whose account it is; and by a set-up. */
const startWeight = 80
const setUpWeight = 200

/**
 * Counts what was spent of the request weight before this Guard began; a first start may follow the
 * set-up at once. Beside other Guards of the host a floor has no room for it.
 */
export function countAsked(
  budget: Pick<WeightBudget, 'limit' | 'venueLimit' | 'spentBefore'>,
  isFirstStart: boolean,
): void {
  if (budget.limit < budget.venueLimit) return
  budget.spentBefore([isFirstStart ? startWeight + setUpWeight : startWeight], 0)
}
