import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { millis } from '../core/values/millis.ts'
import { SlidingWeightBudget } from './weightBudget.ts'

function atSecond(limit: number): { budget: SlidingWeightBudget; pass: (ms: number) => void } {
  let now = 5_000
  const clock = { now: () => millis(now), monotonicMs: () => now }
  const pass = (ms: number): void => {
    now += ms
  }
  return { budget: new SlidingWeightBudget(limit, clock), pass }
}

describe('the weight budget', () => {
  test.each([
    ['read', 840],
    ['entry', 1_020],
    ['cancel', 1_080],
    ['watch', 1_104],
    ['exit', 1_140],
  ] as const)('%s fills up to %i of 1,200', (lane, ceiling) => {
    const { budget } = atSecond(1_200)
    expect(budget.tryTake(lane, ceiling)).toBe(true)
    expect(budget.tryTake(lane, 1)).toBe(false)
    expect(budget.used()).toBe(ceiling)
  })

  test('whatever bots ask for, Guard can still look, and get out after that', () => {
    for (const lane of ['read', 'entry', 'cancel'] as const) {
      const { budget } = atSecond(1_200)
      while (budget.tryTake(lane, 1)) continue
      expect([budget.tryTake('watch', 22), budget.tryTake('exit', 1)]).toEqual([true, true])
    }
  })

  test('a flood of exits leaves weight that nobody but Guard’s own protection can take', () => {
    const { budget } = atSecond(1_200)
    while (budget.tryTake('exit', 1)) continue
    for (const lane of ['exit', 'watch', 'cancel', 'entry', 'read'] as const) {
      expect(budget.tryTake(lane, 1)).toBe(false)
    }
    expect([budget.tryTake('safety', 60), budget.used()]).toEqual([true, 1_200])
  })

  test('protection is never refused, and is counted', () => {
    const { budget } = atSecond(10)
    expect(budget.tryTake('safety', 25)).toBe(true)
    expect(budget.used()).toBe(25)
    expect(budget.tryTake('exit', 1)).toBe(false)
  })

  test('what was reserved and not spent is as if it had never been taken', () => {
    const reads = fc.array(
      fc.record({
        waitMs: fc.integer({ min: 0, max: 20_000 }),
        most: fc.nat(60),
        spent: fc.nat(60),
        answerMs: fc.integer({ min: 0, max: 90_000 }),
      }),
      { maxLength: 30 },
    )
    fc.assert(
      fc.property(reads, (asked) => {
        const [reserved, plain] = [atSecond(1_000_000), atSecond(1_000_000)]
        const answers: { readonly at: number; readonly say: () => void }[] = []
        let now = 0
        const passTo = (at: number): void => {
          for (const { budget: _, pass } of [reserved, plain]) pass(at - now)
          now = at
        }
        let at = 0
        for (const { waitMs, most, spent, answerMs } of asked) {
          at += waitMs
          passTo(at)
          for (const answer of answers.filter((each) => each.at <= at)) answer.say()
          answers.splice(0, answers.length, ...answers.filter((each) => each.at > at))
          const settle = reserved.budget.reserve('read', most)
          answers.push({ at: at + answerMs, say: () => settle?.(spent) })
          plain.budget.tryTake('read', spent)
        }
        for (const answer of answers) answer.say()
        for (let minute = 0; minute < 70; minute += 1) {
          expect(reserved.budget.used()).toBe(plain.budget.used())
          passTo(now + 1_000)
        }
      }),
    )
  })

  test('what can cost more than a lane may have in all is asked when there is nothing else', () => {
    const { budget } = atSecond(60)
    const settle = budget.reserve('read', 120)
    expect([budget.used(), budget.reserve('read', 1)]).toEqual([42, null])
    settle?.(21)
    expect([budget.used(), budget.tryTake('read', 21)]).toEqual([21, true])
  })

  test('what an earlier run spent is free again when it would have been', () => {
    const spending = fc.array(fc.tuple(fc.integer({ min: 0, max: 9_000 }), fc.nat(30)), {
      maxLength: 40,
    })
    fc.assert(
      fc.property(spending, fc.nat(70), (spent, downSeconds) => {
        const before = atSecond(1_200)
        for (const [ms, weight] of spent) {
          before.pass(ms)
          before.budget.tryTake('safety', weight)
        }
        const after = atSecond(1_200)
        after.budget.spentBefore(before.budget.history(), downSeconds * 1_000)
        before.pass(downSeconds * 1_000)
        for (let second = 0; second < 63; second += 1) {
          expect(after.budget.used()).toBe(before.budget.used())
          for (const { pass } of [before, after]) pass(1_000)
        }
      }),
    )
  })

  test.each([
    [0, 840],
    [60_999, 840],
    [61_000, 0],
  ])('what nobody knows of, %i ms ago, counts as %i', (agoMs, counted) => {
    const { budget } = atSecond(1_200)
    budget.spentBefore('unknown', agoMs)
    expect(budget.used()).toBe(counted)
  })

  test('one refusal by the venue holds reads for 10 s, and entries where it was to close or protect', () => {
    const { budget, pass } = atSecond(1_200)
    budget.refused('entry')
    expect([budget.heldMs('read'), budget.heldMs('entry'), budget.used()]).toEqual([10_000, 0, 0])
    expect(budget.tryTake('read', 1)).toBe(false)
    pass(10_000)
    expect([budget.heldMs('read'), budget.tryTake('read', 1)]).toEqual([0, true])
    pass(50_000)
    budget.refused('safety')
    expect([budget.heldMs('read'), budget.heldMs('entry')]).toEqual([10_000, 10_000])
    expect([budget.heldMs('watch'), budget.heldMs('exit')]).toEqual([0, 0])
  })

  test('more of them fill up what Guard knows of, each time for twice as long', () => {
    const { budget, pass } = atSecond(1_200)
    budget.refused('exit')
    for (const heldMs of [11_000, 21_000, 41_000, 61_000]) {
      // Several may have been on their way: they are one refusal.
      for (let times = 0; times < 3; times += 1) budget.refused('exit')
      expect([budget.used(), budget.heldMs('watch'), budget.heldMs('exit')]).toEqual([
        ...[1_200, heldMs, 0],
      ])
      pass(heldMs - 1)
      expect(budget.tryTake('entry', 1)).toBe(false)
      pass(1)
    }
    expect(budget.history().reduce((sum, each) => sum + each, 0)).toBe(0)
    pass(120_000)
    budget.refused('exit')
    expect([budget.used(), budget.heldMs('entry')]).toEqual([0, 10_000])
  })

  test('what the venue counts beyond what Guard knows of holds up nothing that is urgent', () => {
    const { budget } = atSecond(1_200)
    budget.refused('read')
    budget.refused('read')
    for (const lane of ['watch', 'entry', 'read'] as const) {
      expect([budget.tryTake(lane, 1), budget.heldMs(lane)]).toEqual([false, 11_000])
    }
    for (const lane of ['safety', 'exit', 'cancel'] as const) {
      expect([budget.heldMs(lane), budget.tryTake(lane, 1)]).toEqual([0, true])
    }
  })

  test('what only the venue counts is not told as this Guard’s: the next run, and others, hear its own', () => {
    const { budget } = atSecond(1_200)
    budget.tryTake('watch', 20)
    budget.refused('read')
    budget.refused('read')
    expect(budget.history().reduce((sum, each) => sum + each, 0)).toBe(20)
  })

  test('runs that only began count as what a start reads, and leave exits their room', () => {
    const { budget } = atSecond(1_200)
    const counted = Array.from({ length: 8 }, () => {
      budget.spentBefore('start', 0)
      return budget.used()
    })
    expect(counted).toEqual([220, 440, 660, 880, 1_100, 1_104, 1_104, 1_104])
    expect(budget.tryTake('exit', 36)).toBe(true)
  })

  test('what was taken is told from the start on, with what was taken up of earlier runs', () => {
    const { budget, pass } = atSecond(1_200)
    budget.spentBefore([30, 20], 5_000)()
    budget.spentBefore([30, 20], 8_000)
    budget.reserve('read', 40)?.(20)
    pass(70_000)
    expect([budget.taken, budget.used()]).toEqual([140, 0])
  })

  test('of what an earlier run may have spent, what is known of is counted once', () => {
    const { budget } = atSecond(1_200)
    budget.spentBefore([100, 200], 10_000)
    budget.spentBefore('unknown', 2_000)
    expect(budget.used()).toBe(840)
    budget.tryTake('safety', 100)
    budget.spentBefore('unknown', 0)
    expect(budget.used()).toBe(940)
  })

  test('it says when there is room again, to the millisecond', () => {
    const spending = fc.array(fc.tuple(fc.integer({ min: 0, max: 4_000 }), fc.nat(30)), {
      minLength: 1,
      maxLength: 40,
    })
    fc.assert(
      fc.property(spending, fc.integer({ min: 1, max: 70 }), (spent, weight) => {
        const { budget, pass } = atSecond(100)
        for (const [ms, each] of spent) {
          pass(ms)
          budget.tryTake('safety', each)
        }
        const waitMs = budget.roomInMs('read', weight)
        expect(waitMs).toBeLessThanOrEqual(61_000)
        if (waitMs > 0) {
          pass(waitMs - 1)
          expect(budget.tryTake('read', weight)).toBe(false)
          pass(1)
        }
        expect(budget.tryTake('read', weight)).toBe(true)
      }),
    )
  })

  test('more than a lane can ever have is no sooner than a minute', () => {
    expect(atSecond(100).budget.roomInMs('read', 71)).toBe(60_000)
  })

  test('what was spent a minute ago is free again, and not a second earlier', () => {
    const { budget, pass } = atSecond(100)
    budget.tryTake('entry', 85)
    pass(60_999)
    expect(budget.used()).toBe(85)
    pass(1)
    expect(budget.used()).toBe(0)
    pass(10_000_000)
    expect(budget.used()).toBe(0)
  })

  test('the account allowance is kept apart from the weight', () => {
    const { budget } = atSecond(1_200)
    budget.setAllowance(1_000, 840)
    expect(budget.tryTake('entry', 1, 11)).toBe(false)
    expect(budget.tryTake('entry', 1, 10)).toBe(true)
    expect(budget.tryTake('cancel', 1, 101)).toBe(false)
    // What reduces is never held up by a count.
    expect(budget.tryTake('exit', 1, 100)).toBe(true)
    expect(budget.tryTake('exit', 1, 100)).toBe(true)
    expect(budget.tryTake('safety', 1, 1_000)).toBe(true)
    expect(budget.actionShortage('entry', 0)).toBeNull()
    expect(budget.used()).toBe(4)
  })

  test('a lane never spends what is kept for the lanes before it, in any minute', () => {
    const most = { exit: 300, watch: 276, cancel: 270, entry: 255, read: 210 } as const
    const step = fc.record({
      lane: fc.constantFrom(...(Object.keys(most) as (keyof typeof most)[])),
      weight: fc.integer({ min: 1, max: 60 }),
      passMs: fc.integer({ min: 0, max: 9_000 }),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const { budget, pass } = atSecond(300)
        const taken: { at: number; weight: number }[] = []
        let now = 0
        for (const { lane, weight, passMs } of steps) {
          pass(passMs)
          now += passMs
          if (!budget.tryTake(lane, weight)) continue
          taken.push({ at: now, weight })
          const lastMinute = taken.filter(({ at }) => at > now - 60_000)
          const spent = lastMinute.reduce((sum, each) => sum + each.weight, 0)
          expect(spent).toBeLessThanOrEqual(most[lane])
        }
      }),
      { numRuns: 500 },
    )
  })
})
