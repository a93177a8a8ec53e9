import type { WeightBudget } from '../ports.ts'

/** Below this share of the venue's limit a look at everything, twice a minute, would take too much. */
const enoughShare = 0.4
const slowestPace = 4

/**
 * How far apart two looks at the whole account are, in milliseconds. Where several Guards have one
 * address each looks more rarely, four times at most: ten of them at full pace would need half as
 * much again as the venue grants. The stream tells what changes in between.
 */
export function paced(everyMs: number, { limit, venueLimit }: PacedBy): number {
  const pace = (enoughShare * venueLimit) / Math.max(limit, 1)
  return everyMs * Math.min(Math.max(pace, 1), slowestPace)
}

type PacedBy = Pick<WeightBudget, 'limit' | 'venueLimit'>
