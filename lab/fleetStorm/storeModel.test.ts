import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isPostgresThere } from '../../src/fleet/postgres.fixture.ts'
import { RealStore } from './realStore.fixture.ts'
import { TwoStores } from './twoStores.fixture.ts'

/** How many worlds are drawn, and how many calls are made in each. */
const worlds = 6
const callsEach = 500

describe.skipIf(!isPostgresThere)('the model of a fleet’s store and the real one', () => {
  let real: RealStore
  beforeAll(async () => {
    real = await RealStore.start()
  })
  afterAll(() => real.stop())

  const asked = new Map<string, number>()
  test.each(Array.from({ length: worlds }, (_, at) => at + 1))(
    'answer the same, call by call (seed %i)',
    async (seed) => {
      const world = new TwoStores(seed, real)
      await world.run(callsEach)
      for (const [what, times] of world.asked) asked.set(what, (asked.get(what) ?? 0) + times)
    },
  )

  test('and every call, outcome and refusal was among them', () => {
    expect(wanted.filter((each) => !asked.has(each))).toEqual([])
  })
})

/** What the worlds together have to have met, so that nothing is equal only because it never happens. */
const wanted = [
  ...['join_fleet', 'beat', 'beat kills', 'acknowledge', 'begin_leases', 'leave_writer'],
  ...['renew_leases', 'renew_leases held', 'renew_leases not asked', 'renew_leases less', 'GF005'],
  ...['keep_writer held', 'keep_writer waits', 'keep_writer lost', 'copied_by', 'GF001', 'GF006'],
  ...['keep_writer left', 'restart', 'put back'],
  ...[
    'copy_events kept',
    'copy_events fork',
    'copy_events hole',
    'set_limit',
    'remove_limit',
    'raise_kill',
    'raise_kill_silently',
  ],
  ...['clear_kill', 'retire_member', 'add_member', 'failover', 'GF002'],
] as const
