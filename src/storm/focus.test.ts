import { describe, expect, test } from 'vitest'
import { allFaults } from './faultKinds.ts'
import { focusedPlan, focusOf } from './focus.ts'
import { storm } from './main.ts'
import { runSeed } from './runSeed.ts'
import { curveFor } from './storm.fixture.ts'

const stormMs = 15_000
const rounds = 2

describe('worlds made for one fault', () => {
  test('a row of seeds goes through every fault', () => {
    const row = allFaults.map((_, at) => focusOf(1_000 + at))
    expect(new Set(row)).toEqual(new Set(allFaults))
  })

  test.each(['stream_stale', 'answer_lost', 'kill_file'] as const)(
    'only %s strikes, always in the same place',
    (fault) => {
      for (let seed = 1; seed <= 20; seed += 1) {
        const { steps } = focusedPlan(seed, stormMs, fault)
        const struck = steps.filter((step) => step.kind === 'fault')
        expect(new Set(struck.map((step) => step.fault))).toEqual(new Set([fault]))
        expect(new Set(struck.map(({ dice }) => dice[3])).size).toBe(1)
        expect(steps.length - struck.length).toBeGreaterThan(15)
      }
      expect(focusedPlan(7, stormMs, fault)).toEqual(focusedPlan(7, stormMs, fault))
    },
  )

  test('whatever the fault, nothing happens that must not', { timeout: 600_000 }, async () => {
    const failures: string[] = []
    for (let seed = 1; seed <= allFaults.length * rounds; seed += 1) {
      const plan = focusedPlan(seed, stormMs, focusOf(seed))
      const { failure } = await runSeed(plan, curveFor(plan))
      const again = `npm run storm -- --focus ${focusOf(seed)} --seed ${seed} --seconds 15`
      if (failure !== null) failures.push(`${again}: ${failure.message}`)
    }
    expect(failures).toEqual([])
  })

  test('a fault that there is not is named, with those that there are', async () => {
    await expect(storm(['--focus', 'stream_stail'])).rejects.toThrow(
      /"each" or one of connection_refused, .*stream_stale.*; not "stream_stail"/,
    )
  })
})
