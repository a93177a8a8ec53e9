import { expect, test } from 'vitest'
import { millis } from '../../core/values/millis.ts'
import type { Millis } from '../../core/values/millis.ts'
import { SlidingWeightBudget } from '../../venue/weightBudget.ts'
import { VenueClock } from '../venueClock.ts'
import type { EngineMemory } from './engineMemory.ts'
import { spentWeight, takeUpWeight } from './spentWeight.ts'

/** This run begins here, UTC epoch milliseconds; the others so many seconds before it. */
const beganMs = 1_800_000_000_000
const ago = (seconds: number): Millis => millis(beganMs - seconds * 1_000)

const memoryOf = (seconds: number, history: readonly number[]): EngineMemory =>
  ({ weight: { history, day: [], at: ago(seconds) } }) as unknown as EngineMemory
const riskOf = (seconds: number, spent?: readonly number[]) => ({
  ...{ risk: null, asOf: 1, at: ago(seconds) },
  ...(spent !== undefined && { spent }),
})

interface Earlier {
  readonly memory?: EngineMemory
  readonly risk?: ReturnType<typeof riskOf>
  readonly starts?: readonly number[]
  readonly unsaved?: number
}

const rows: readonly [string, Earlier, number][] = [
  ['nothing is known, and nothing was run', {}, 0],
  ['a run that stopped and kept all', { memory: memoryOf(5, [30, 70]), starts: [50] }, 100],
  ['a run that was cut off', { memory: memoryOf(5, [100]), starts: [50], unsaved: 3 }, 840],
  ['one that had spent more than bots may read', { risk: riskOf(2, [900]), unsaved: 1 }, 900],
  ['two that were cut off', { risk: riskOf(2, [900]), starts: [8, 3], unsaved: 1 }, 900],
  ['one that only began', { risk: riskOf(9, [900]), starts: [20, 3], unsaved: 1 }, 1_104],
  ['many that only began', { starts: [30, 25, 20, 15, 10, 5, 4, 3, 2, 1], unsaved: 1 }, 1_104],
  ['many, a minute ago', { starts: [90, 80, 70], unsaved: 65 }, 0],
  [
    'a count that is later than the memory',
    { memory: memoryOf(9, [10]), risk: riskOf(2, [70]) },
    70,
  ],
  [
    'an earlier version, that kept none with the risk',
    { memory: memoryOf(9, [10]), risk: riskOf(2) },
    10,
  ],
]

test.each(rows)('what counts as spent: %s', (_, { memory, risk, starts, unsaved }, counted) => {
  const machine = { now: () => millis(beganMs), monotonicMs: () => 5_000 }
  const budget = new SlidingWeightBudget(1_200, machine)
  const earlier = {
    memory: memory ?? null,
    spent: spentWeight(memory ?? null, risk ?? null, (starts ?? []).map(ago)),
    unsavedAt: unsaved === undefined ? null : ago(unsaved),
  }
  const clock = new VenueClock(machine)
  takeUpWeight(earlier, budget, clock)
  clock.hear(beganMs, 5_000, 0)
  expect(budget.used()).toBe(counted)
})
