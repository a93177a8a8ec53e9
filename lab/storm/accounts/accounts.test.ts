import { describe, expect, test } from 'vitest'
import { optionTable } from '../../sim/optionBoard.ts'
import { accountFaults } from '../faultKinds.ts'
import { accountHabits } from '../habitKinds.ts'
import { readingsOf } from '../readingsOf.ts'
import { runSeed } from '../runSeed.ts'
import { curveFor, fault, habit, scripted } from '../storm.fixture.ts'
import { stormShares } from '../shares.fixture.ts'
import { accountsPlan } from './accountsPlan.ts'

const stormMs = 8_000
/** `STORM_SEEDS=100` runs fewer, in a hurry. */
const seeds = Math.min(300, Number(process.env['STORM_SEEDS'] ?? 300))
const row = Array.from({ length: 400 }, (_, seed) => accountsPlan(seed, stormMs))

test('a row of seeds has every account, margin, habit and fault, and each seed is one plan', () => {
  const kinds = row.map(({ isUnified, isOwned, isVault }) => [isUnified, isOwned, isVault].join())
  expect(new Set(kinds).size).toBe(5)
  expect(new Set(row.map(({ margin }) => margin))).toEqual(new Set(['isolated', 'cross', 'wide']))
  const habits = row.flatMap((plan) => plan.habits)
  for (const each of [...accountHabits, 'trigger_entries', 'twaps', 'spot_sells'] as const) {
    expect(habits.filter((found) => found === each).length).toBeGreaterThan(40)
  }
  const struck = row.flatMap(({ steps }) =>
    steps.flatMap((step) => (step.kind === 'fault' ? [step.fault] : [])),
  )
  for (const each of [...accountFaults, 'kill_request', 'day_of_loss', 'clean_restart'] as const) {
    expect(struck).toContain(each)
  }
  expect(row.some(({ dexes }) => dexes !== null)).toBe(true)
  expect(accountsPlan(7, stormMs)).toEqual(accountsPlan(7, stormMs))
})

/** Cadences, limits, words, and what a world sets by itself: nobody doubts which of two the venue does. */
const undrawn: readonly string[] = [
  ...['referenceBandPercent', 'scheduleCancelVolume', 'openOrderCap', 'reduceOnlyOrderLimit'],
  ...['sub_max', 'sub_max_grows', 'portfolioMarginRatio', 'tooManyRequestsBody', 'frontendRowsMax'],
  ...['streamLagMs', 'allMidsMs', 'bookMs', 'fastBookMs', 'contextMs', 'candleMs', 'accountMs'],
  ...['webDataMs', 'idleMs', 'connectionsMax', 'newConnectionsPerMinute', 'subscriptionsMax'],
  ...['ws_max_users', 'messagesPerMinute', 'pendingPostsMax', 'dailyCap.n', 'dailyCap.text'],
  ...['vaultLockMs', 'postOnlyPeriod'],
]

test('both readings of every option are drawn, but of cadences, limits and words', () => {
  const drawn = new Map<string, Set<string>>()
  for (const plan of row) {
    for (const [name, value] of Object.entries(readingsOf(plan))) {
      drawn.set(name, (drawn.get(name) ?? new Set()).add(String(value)))
    }
  }
  const fixed = Object.keys(optionTable).filter((name) => (drawn.get(name)?.size ?? 0) < 2)
  expect(fixed.sort()).toEqual([...undrawn, 'twapMinuteMs'].sort())
})

describe('what happens to an account', () => {
  const bad = [0.1, 0.9, 0.3, 0.1] as const

  test.each([
    ['margin_gone', /subAccountTransfer|flow of -|usdClassTransfer/],
    ['mode_changed', /mode was changed|form of another mode/],
    ['venue_upgrade', /Only post-only orders|fault venue_upgrade/],
    ['breakout', /moves to .*(\n.*)*moves to /],
    ['guard_away', /life 1 dies/],
  ] as const)('%s', async (kind, sign) => {
    const steps = [habit(1_000, 'breakouts'), fault(2_500, kind, bad), habit(4_000, 'twaps')]
    const plan = { ...scripted(3, ...steps), isOfAccounts: true, isSteady: false }
    const { trace, failure } = await runSeed(plan, curveFor(plan), { isTraced: true })
    expect(failure).toBe(null)
    expect(trace.join('\n')).toMatch(sign)
  })

  test('a follower and the leader leave a vault, whose orders and positions go', async () => {
    const steps = [
      habit(1_000, 'twaps'),
      ...[0.1, 0.1, 0.9].map((first, at) =>
        fault(2_000 + 1_000 * at, 'vault_withdrawal', [0.5, first, 0.9, 0.1]),
      ),
    ]
    const owned = { isOwned: true, isVault: true, isOfAccounts: true, isSteady: false }
    const plan = { ...scripted(3, ...steps), ...owned }
    const { trace, failure } = await runSeed(plan, curveFor(plan), { isTraced: true })
    expect(failure).toBe(null)
    expect(trace.join('\n')).toMatch(/"isDeposit":true(.*\n)*.*"isDeposit":false(.*\n)*.*flow of -/)
  })
})

/** What these worlds found once, by the seed of the world. */
test.each([
  ['a mode that changes three times within a second is no loss', 169],
  ['a TWAP that ended while Guard was down ends, though the clock began far behind', 4_000_923],
  [
    'a stop that the price has passed, and that the venue has not looked at, risks nothing',
    4_000_172,
  ],
  ['a fill that is newer than the mark is no loss', 4_002_020],
  ['a mode that was changed while Guard was away is no loss', 4_002_584],
  ['money that went and came back between two views is no loss', 4_003_547],
  ['a record of the emergency file that joins the journal ends no halt', 4_003_368],
  ['an account whose mode the venue does not name is served', 4_900_114],
  ['stops that fired and rest at a limit which the price jumped over stay', 4_100_298],
  ['a stop that the venue pushed out after an entry was judged counted for it', 4_100_385],
  ['a stop that a looser one pushed out counts until Guard can have put it back', 4_103_315],
  ['stops that the price has passed close their part before a looser one does', 4_100_846],
  ['a sell of tokens that waits for a connection does not leave after a halt', 4_104_158],
])('%s', async (_, seed) => {
  const plan = accountsPlan(seed, stormMs)
  const { failure } = await runSeed(plan, curveFor(plan))
  expect(failure).toBe(null)
})

test('whatever the seed, nothing happens that must not', { timeout: 1_800_000 }, async () => {
  const shares = await stormShares(seeds, stormMs, 'accounts')
  expect(shares.reduce((sum, share) => sum + share.seeds, 0)).toBe(seeds)
  expect(shares.flatMap(({ failures }) => failures)).toEqual([])
})
