import { describe, expect, test } from 'vitest'
import { Decimal } from '../../../src/core/values/decimal.ts'
import { dexFaults } from '../faultKinds.ts'
import { user } from '../keys.ts'
import { runSeed } from '../runSeed.ts'
import type { SeedResult } from '../runSeed.ts'
import { bot, curveFor, fault, scripted } from '../storm.fixture.ts'
import type { Step } from '../step.ts'
import { everyOrder } from '../wholeAccount.ts'
import type { RunOptions, World } from '../world.ts'
import { boughtMore, lost } from './dexBreaks.fixture.ts'
import { dexPlan } from './dexPlan.ts'

const stormMs = 8_000
const seeds = 12

const onDex = (at: number, kind: Parameters<typeof bot>[1], place = 0.1): Step => {
  const step = bot(at, kind, [place, 0.3, 0.9, 0.3])
  return step.kind === 'bot' ? { ...step, onDex: true } : step
}

/** A calm world with builder dexes, of which xyz is traded. */
async function run(steps: readonly Step[], options: RunOptions = {}): Promise<SeedResult> {
  const dexes = { markets: ['*', 'xyz:*'], stopGap: null, bookShare: null }
  const plan = { ...scripted(3, ...steps), dexes }
  return await runSeed(plan, curveFor(plan), { isTraced: true, ...options })
}

test('a row of seeds has everything that builders do, and the same seed is the same plan', () => {
  const plans = Array.from({ length: 60 }, (_, seed) => dexPlan(seed, stormMs))
  const struck = plans.flatMap(({ steps }) =>
    steps.flatMap((step) => (step.kind === 'fault' ? [step.fault] : [])),
  )
  for (const each of dexFaults) expect(struck).toContain(each)
  expect(struck).not.toContain('outside_dex_trade')
  expect(plans.every(({ dexes, isVault }) => dexes !== null && !isVault)).toBe(true)
  expect(dexPlan(7, stormMs)).toEqual(dexPlan(7, stormMs))
})

test('whatever builders do, nothing happens that must not', { timeout: 600_000 }, async () => {
  const failures: string[] = []
  for (let seed = 1; seed <= seeds; seed += 1) {
    const plan = dexPlan(seed, stormMs)
    const { failure } = await runSeed(plan, curveFor(plan))
    const again = `npm run storm -- --focus dexes --seed ${seed} --seconds 8`
    if (failure !== null) failures.push(`${again}: ${failure.message}`)
  }
  expect(failures).toEqual([])
})

/** What these worlds found once, by the seed of the world. */
test.each([
  ['a settlement beside a fill that came late is told', 45],
  ['an entry that came and went in a silence lets go of its room', 45],
  ['a settlement of what a fill had left is told', 184],
  ['a stop that ended unseen with its position is looked for', 2_080],
  ['an order by an id that has become another market ends at a kill', 10_042],
  ['a refused exit is in flight no longer than until its dex lists its orders', 3_000_379],
  ['an entry beside what a TWAP has sold has its own margin', 3_000_502],
  ['a settlement is told, though a fill the same way comes after it', 3_000_782],
  ['a settlement is told of what no fill had told of before', 3_002_861],
  ['slices that were lost are read, and a stop that nothing needs goes', 3_200_722],
  ['a TWAP whose refusal came after the memory was saved is none', 3_200_918],
  ['what was on its way to a dex that has vanished is in flight no longer', 3_204_236],
  ['a TWAP that was on its way there when Guard died is looked for in the history', 3_220_994],
  ['an order that was cancelled while the stream was down is looked for', 3_224_200],
  ['a settlement is told, though a larger position was closed after it', 3_225_776],
  ['an order that the first list of a new stream lacks is looked for', 3_243_527],
  ['orders that ended before a kill are looked for, and are not cancelled for ever', 3_261_337],
  ['after a start entries count beside what waits on a dex whose list stands still', 5_200_134],
])('%s', async (_, seed) => {
  const plan = dexPlan(seed, stormMs)
  const { failure } = await runSeed(plan, curveFor(plan))
  expect(failure).toBe(null)
})

/** The same of worlds that last longer. */
test.each([
  ['a stop that fired beyond its limit, and that nothing lists any more, is looked for', 3_100_248],
  ['ids that have moved are learned though the weight of all other reads is spent', 3_100_349],
])('%s', async (_, seed) => {
  const plan = dexPlan(seed, 25_000)
  const { failure } = await runSeed(plan, curveFor(plan))
  expect(failure).toBe(null)
})

test('what was counted bounds the loss of one jump, and of more of them what was put in', () => {
  expect(() => {
    lost('-88', 2)
  }).not.toThrow()
  expect(() => {
    lost('-101', 2)
  }).toThrow('dex_loss')
})

test.each([true, false])(
  'no margin is measured of a position that another trade began (a slice that was heard: %s)',
  (isSliceHeard) => {
    expect(() => {
      boughtMore(isSliceHeard)
    }).not.toThrow()
  },
)

describe('the oracle notices in a whole world', () => {
  const broken = (rules: object): RunOptions => ({
    sabotage: (_, parts) => ({ ...parts, rules: { ...parts.rules, ...rules } }),
  })

  test('a Guard that trades on a dex which its rules do not name', async () => {
    const options = broken({ markets: ['*', 'xyz:*', 'abc:*'] })
    // The fourth of the five markets is that dex's.
    const { failure } = await run([onDex(1_000, 'entry_market', 0.7)], options)
    expect(failure?.rule).toBe('dex_named')
  })

  test('a Guard that counts no gap', async () => {
    const options = broken({ dexStopGap: Decimal.zero })
    const { failure } = await run([onDex(1_000, 'entry_market')], options)
    expect(failure?.rule).toBe('dex_counted')
  })

  test('a position that lost its stop while its price walked away', async () => {
    const walk = Array.from({ length: 40 }, (_, at) =>
      fault(2_000 + at * 50, 'dex_walk', [0.1, 0.3, 0.3, 0.3]),
    )
    const { failure } = await run([onDex(1_000, 'entry_market'), ...walk], {
      afterBirth: ({ number }, world) => {
        if (number === 1) world.time.after(1_500, () => loseStops(world))
      },
    })
    expect(failure?.rule).toBe('dex_loss')
  })

  /** The machine goes down, and a person cancels what stood on the dex. */
  function loseStops(world: World): void {
    world.isHeld = true
    world.die('killed')
    const cancels = everyOrder(world.sim.venue, user).map(({ asset, oid }) => ({
      a: asset,
      o: oid,
    }))
    world.control('act', { user, action: { type: 'cancel', cancels } })
  }

  test('and nothing where nothing is broken', async () => {
    const { failure, trace } = await run([
      onDex(1_000, 'entry_market'),
      fault(3_000, 'dex_price_jump', [0.1, 0.3, 0.9, 0.3]),
      onDex(6_000, 'entry_market'),
      fault(8_000, 'dex_halt', [0.1, 0.9, 0.3, 0.3]),
    ])
    expect(failure).toBe(null)
    expect(trace.filter((line) => line.includes('"a":110000')).length).toBeGreaterThan(1)
  })
})
