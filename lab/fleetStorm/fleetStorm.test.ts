import { expect, test } from 'vitest'
import type { Fleet } from './fleet.ts'
import type { FleetRule } from './fleetOracle.ts'
import { runFleetWorld } from './fleetWorld.ts'
import { Refusal } from './storeModel.ts'
import type { StoreModel } from './storeModel.ts'

const worlds = 60

test('every rule holds in every world, and every trouble is met', async () => {
  const met = new Set<string>()
  let opened = 0
  for (let seed = 1; seed <= worlds; seed += 1) {
    const result = await runFleetWorld(seed)
    expect([seed, result.broken?.message ?? 'every rule held']).toEqual([seed, 'every rule held'])
    for (const name of Object.keys(result.met)) met.add(name)
    opened += result.opened
  }
  expect(opened).toBeGreaterThan(worlds * 20)
  expect([...met].sort()).toEqual([
    ...['clear', 'crash', 'cut', 'failover', 'kill', 'limit', 'lostAnswers', 'putBack'],
    ...['retire', 'secondHome', 'slow', 'stopped', 'storeDown', 'toldOfIt'],
  ])
})

test('a world is its seed', async () => {
  const [one, two] = [
    await runFleetWorld(7, { isTraced: true }),
    await runFleetWorld(7, { isTraced: true }),
  ]
  expect(one).toEqual(two)
})

type Answer = StoreModel['answer']

/** The store answers this question otherwise. */
const otherwise =
  (asked: string, change: (rows: ReturnType<Answer>, fleet: Fleet) => ReturnType<Answer>) =>
  (fleet: Fleet): void => {
    const answer = fleet.store.answer.bind(fleet.store)
    fleet.store.answer = (member, text, values) => {
      const rows = answer(member, text, values)
      return text.includes(`guard.${asked}(`) ? change(rows, fleet) : rows
    }
  }

test.each<[FleetRule, string, (fleet: Fleet) => void]>([
  [
    'leased',
    'more is leased than a person set',
    otherwise('renew_leases', (rows, { store }) => {
      for (const lease of store.state.leases.values()) lease.held += 100_000_00
      return rows
    }),
  ],
  [
    'used',
    'a Guard is told of more than the store counts for it',
    otherwise('renew_leases', (rows) =>
      rows.map((row) => (row['was_asked'] === true ? { ...row, held: '900000.00' } : row)),
    ),
  ],
  [
    'writers',
    'whoever asks has the right to act',
    otherwise('keep_writer', () => [
      { outcome: 'held', epoch: '1', is_own: true, host: null, wait_ms: '0' },
    ]),
  ],
  [
    'killed',
    'a kill had reached them all',
    ({ posts }) => {
      for (const post of posts) post.heardEpoch = 1
    },
  ],
  ['heard', 'nobody is told of a kill', otherwise('beat', () => [])],
  [
    'records',
    'the store forgets what it said it keeps',
    otherwise('copy_events', (rows, { store }) => {
      store.state.streams.clear()
      return rows
    }),
  ],
  [
    'living',
    'the store grants no lease',
    otherwise('begin_leases', () => {
      throw new Refusal('GF009', 'not today')
    }),
  ],
])('the rule "%s" is broken where %s', async (rule, _why, sabotage) => {
  const broken = new Set<string>()
  for (let seed = 1; seed <= 40 && !broken.has(rule); seed += 1) {
    const result = await runFleetWorld(seed, { sabotage })
    if (result.broken !== null) broken.add(result.broken.rule)
  }
  expect(broken).toContain(rule)
})

test('the rule "budget" is broken where the store forgets what it has leased', async () => {
  const broken = new Set<string>()
  const sabotage = otherwise('renew_leases', (rows, { store }) => {
    // What is counted falls with every question; what is relied on does not.
    for (const budget of store.state.budgets.values()) budget.leased = 0
    for (const lease of store.state.leases.values()) lease.held = 0
    return rows
  })
  for (let seed = 1; seed <= 40 && !broken.has('budget'); seed += 1) {
    const fleetOf = (fleet: Fleet): void => {
      sabotage(fleet)
      fleet.oracle.wentBack()
    }
    const result = await runFleetWorld(seed, { sabotage: fleetOf })
    if (result.broken !== null) broken.add(result.broken.rule)
  }
  expect(broken).toContain('budget')
})
