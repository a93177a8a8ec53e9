import { expect, test } from 'vitest'
import { millis } from '../core/values/millis.ts'
import type { WeightShare } from '../engine/ports.ts'
import { SlidingWeightBudget } from './weightBudget.ts'

/** A budget of 1,200 of which another decides how much is this Guard's. */
function shared(): {
  budget: SlidingWeightBudget
  share: { limit: number; exits: number; untold: number }
  taken: number[]
  history: () => readonly number[]
} {
  const share = { limit: 600, exits: 600, untold: Infinity }
  const taken: number[] = []
  let history: () => readonly number[] = () => []
  const port: WeightShare = {
    limit: () => share.limit,
    exitLimit: () => share.exits,
    untoldRoom: () => share.untold,
    untoldMost: () => Math.max(share.untold, 40),
    follow: (asked) => (history = asked),
    taken: (weight) => taken.push(weight),
    spentBefore: () => null,
  }
  const clock = { now: () => millis(5_000), monotonicMs: () => 5_000 }
  const budget = new SlidingWeightBudget(1_200, clock, port)
  return { budget, share, taken, history: () => history() }
}

test.each([
  ['read', 420],
  ['entry', 510],
  ['cancel', 540],
  ['watch', 552],
  ['exit', 570],
] as const)('%s fills up to %i of a share of 600', (lane, ceiling) => {
  const { budget, taken, history } = shared()
  expect(budget.tryTake(lane, ceiling)).toBe(true)
  expect(budget.tryTake(lane, 1)).toBe(false)
  expect([budget.limit, budget.venueLimit]).toEqual([600, 1_200])
  expect([taken, history()[0]]).toEqual([[ceiling], ceiling])
})

test('a share that shrinks below what bots have spent leaves a way out, and a cheap look', () => {
  const { budget, share } = shared()
  expect(budget.tryTake('entry', 500)).toBe(true)
  share.limit = 120
  share.exits = 518
  expect(budget.tryTake('entry', 1)).toBe(false)
  expect(budget.tryTake('cancel', 1)).toBe(false)
  expect(budget.tryTake('watch', 2)).toBe(true)
  expect(budget.tryTake('watch', 20)).toBe(false)
  expect(budget.tryTake('exit', 10)).toBe(true)
  expect(budget.tryTake('exit', 1)).toBe(false)
  expect(budget.tryTake('safety', 5)).toBe(true)
})

test('where the host does not say, only what bots open and read has the floor', () => {
  const { budget, share } = shared()
  expect(budget.tryTake('safety', 258)).toBe(true)
  share.limit = 120
  share.exits = 1_200
  for (const lane of ['entry', 'read'] as const) expect(budget.tryTake(lane, 1)).toBe(false)
  expect(budget.tryTake('watch', 1_104 - 258)).toBe(true)
  expect(budget.tryTake('watch', 1)).toBe(false)
  expect(budget.tryTake('cancel', 1)).toBe(false)
  expect(budget.tryTake('exit', 36)).toBe(true)
  expect(budget.tryTake('exit', 1)).toBe(false)
})

test('where the host does not say, a cancel gets out as well', () => {
  const { budget, share } = shared()
  expect(budget.tryTake('safety', 258)).toBe(true)
  share.limit = 120
  share.exits = 1_200
  expect(budget.tryTake('cancel', 1_080 - 258)).toBe(true)
  expect(budget.tryTake('cancel', 1)).toBe(false)
})

test('bots wait until what they took is told; what gets out and looks does not', () => {
  const { budget, share } = shared()
  share.untold = 5
  expect(budget.tryTake('entry', 6)).toBe(false)
  expect(budget.roomInMs('entry', 6)).toBe(50)
  expect(budget.tryTake('entry', 5)).toBe(true)
  share.untold = 0
  for (const lane of ['entry', 'cancel', 'read'] as const) {
    expect(budget.tryTake(lane, 1)).toBe(false)
  }
  for (const lane of ['safety', 'exit', 'watch'] as const) {
    expect(budget.tryTake(lane, 1)).toBe(true)
  }
})

test('a read that can cost more than may be untold is asked, and counted once it is answered', () => {
  const { budget, share, taken } = shared()
  share.untold = 40
  const settle = budget.reserve('read', 120)
  expect(budget.used()).toBe(40)
  settle?.(120)
  expect([budget.used(), taken]).toEqual([120, [40, 80]])
})
