import { expect, test } from 'vitest'
import { millis } from '../../core/values/millis.ts'
import type { WeightShare } from '../../engine/ports.ts'
import { SlidingWeightBudget } from '../../venue/weightBudget.ts'
import { countAsked } from './countAsked.ts'

const shareOf = (limit: number): WeightShare => ({
  ...{ limit: () => limit, exitLimit: () => limit },
  ...{ untoldRoom: () => Infinity, untoldMost: () => Infinity },
  ...{ follow: () => undefined, taken: () => undefined, spentBefore: () => null },
})

test.each([
  ['a start', 1_200, 80],
  ['a start beside others of the host', 120, 0],
] as const)('what was asked before counts: %s', (_, limit, used) => {
  const clock = { now: () => millis(0), monotonicMs: () => 0 }
  const budget = new SlidingWeightBudget(1_200, clock, shareOf(limit))
  countAsked(budget)
  expect(budget.used()).toBe(used)
})
