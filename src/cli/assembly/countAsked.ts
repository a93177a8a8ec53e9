import type { WeightBudget } from '../../engine/ports.ts'

/** What is asked of the venue before a Guard counts: whose account it is. */
const startWeight = 80

/**
 * Counts what was spent of the request weight before this Guard began. Beside other Guards of the host a
 * floor has no room for it.
 */
export function countAsked(
  budget: Pick<WeightBudget, 'limit' | 'venueLimit' | 'spentBefore'>,
): void {
  if (budget.limit < budget.venueLimit) return
  budget.spentBefore([startWeight], 0)
}
