import { expect, test } from 'vitest'
import { user } from '../keys.ts'
import { runSeed } from '../runSeed.ts'
import type { SeedResult } from '../runSeed.ts'
import { bot, curveFor, fault } from '../storm.fixture.ts'
import type { Plan } from '../plan.ts'
import type { World } from '../world.ts'
import { weekPlan } from './weekPlan.ts'

const minuteMs = 60_000

/** A world run to its end, and what it was like at each rest. */
async function run(plan: Plan): Promise<
  SeedResult & {
    readonly world: World | null
    readonly rests: readonly { readonly at: number; readonly lives: number }[]
  }
> {
  const rests: { at: number; lives: number }[] = []
  const kept: { world: World | null } = { world: null }
  const result = await runSeed(plan, curveFor(plan), {
    rested: (world) => {
      kept.world = world
      rests.push({ at: world.time.now, lives: world.lives })
    },
  })
  return { ...result, ...kept, rests }
}

test(
  'an agent trades for an hour through the tools, and nothing happens that must not',
  { timeout: 120_000 },
  async () => {
    const plan = weekPlan(3, 60 * minuteMs)
    const faults = plan.steps.filter((step) => step.kind === 'fault')
    expect(faults.length).toBeGreaterThan(3)
    expect(faults.length).toBeLessThan(20)
    const { failure, rests, replayed } = await run(plan)
    expect(failure).toBe(null)
    expect(rests.length).toBe(2)
    expect(replayed).toBeGreaterThan(10)
  },
)

test('a kill and a drawdown halt end by the owner alone, and the agent goes on', async () => {
  const plan: Plan = {
    ...{ ...weekPlan(2, 20 * minuteMs), isFrozen: true, agentEveryMs: 10_000 },
    rests: [5, 12].map((minute) => minute * minuteMs),
    steps: [
      bot(10_000, 'entry_market'),
      fault(3 * minuteMs, 'kill_request'),
      fault(8 * minuteMs, 'ruin', [0.3, 0.3, 0.3, 0.3]),
    ],
  }
  const { failure, codes, rests, world } = await run(plan)
  expect(failure).toBe(null)
  expect([...codes]).toEqual(expect.arrayContaining(['kill_switch', 'drawdown_halt']))
  // Guard was stopped for each review, and started again.
  expect(rests.map(({ lives }) => lives)).toEqual([2, 3])
  const fills = world?.sim.venue.fills(user) ?? []
  const [first = 0, second = 0] = rests.map(({ at }) => at)
  const from = (since: number, until: number): number =>
    fills.filter(({ time }) => time > since && time < until).length
  expect(from(first, second)).toBeGreaterThan(0)
  expect(from(second, Infinity)).toBeGreaterThan(0)
})

test('the same seed is the same week, to the byte', () => {
  const weekMs = 7 * 24 * 60 * minuteMs
  const plan = weekPlan(7, weekMs)
  expect(plan).toEqual(weekPlan(7, weekMs))
  expect(plan.rests.length).toBe(41)
  const kinds = new Set(plan.steps.flatMap((step) => (step.kind === 'fault' ? [step.fault] : [])))
  expect(kinds.size).toBeGreaterThan(80)
  // Nothing begins while everything comes right.
  for (const rest of plan.rests) {
    const near = plan.steps.filter(({ at }) => at > rest - minuteMs && at < rest + 6 * minuteMs)
    expect(near).toEqual([])
  }
})
