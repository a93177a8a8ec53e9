import { describe, expect, test } from 'vitest'
import { allFaults } from './faultKinds.ts'
import type { FaultKind } from './faultKinds.ts'
import { focusedPlan, focusOf, pairCount, pairOf, tripleOf } from './focus.ts'
import { plannerOf } from './main.ts'
import { runSeed } from './runSeed.ts'
import { curveFor } from './storm.fixture.ts'

const stormMs = 15_000
const rounds = 2
/** All of the pairs take five minutes. */
const pairStride = 53
const triples = 40

describe('worlds made for one fault, or a few', () => {
  test('a row of seeds goes through every fault', () => {
    const row = allFaults.map((_, at) => focusOf(1_000 + at))
    expect(new Set(row)).toEqual(new Set(allFaults))
  })

  test('and another row through every pair', () => {
    const row = Array.from({ length: pairCount }, (_, at) => pairOf(77 + at))
    expect(new Set(row.map((pair) => pair.join())).size).toBe(pairCount)
    for (const pair of row) expect(new Set(pair).size).toBe(2)
    const { steps } = focusedPlan(1, stormMs, ['read_stale', 'request_late'])
    const struck = steps.flatMap((step) => (step.kind === 'fault' ? [step.fault] : []))
    expect(new Set(struck)).toEqual(new Set(['read_stale', 'request_late']))
  })

  test('three faults are drawn by the seed, and all of them sooner or later', () => {
    const drawn = Array.from({ length: 1_000 }, (_, seed) => tripleOf(seed))
    for (const triple of drawn) expect(new Set(triple).size).toBe(3)
    expect(new Set(drawn.flat())).toEqual(new Set(allFaults))
    expect(new Set(drawn.map((triple) => [...triple].sort().join())).size).toBeGreaterThan(950)
    expect(tripleOf(7)).toEqual(tripleOf(7))
  })

  test.each(['stream_stale', 'answer_lost', 'kill_file'] as const)(
    'only %s strikes, always in the same place',
    (fault) => {
      for (let seed = 1; seed <= 20; seed += 1) {
        const { steps } = focusedPlan(seed, stormMs, [fault])
        const struck = steps.filter((step) => step.kind === 'fault')
        expect(new Set(struck.map((step) => step.fault))).toEqual(new Set([fault]))
        expect(new Set(struck.map(({ dice }) => dice[3])).size).toBe(1)
        expect(steps.length - struck.length).toBeGreaterThan(15)
      }
      expect(focusedPlan(7, stormMs, [fault])).toEqual(focusedPlan(7, stormMs, [fault]))
    },
  )

  test('whatever the faults, nothing happens that must not', { timeout: 600_000 }, async () => {
    const failures: string[] = []
    const tryOut = async (seed: number, faults: readonly FaultKind[]): Promise<void> => {
      const plan = focusedPlan(seed, stormMs, faults)
      const { failure } = await runSeed(plan, curveFor(plan))
      const again = `npm run storm -- --focus ${faults.join()} --seed ${seed} --seconds 15`
      if (failure !== null) failures.push(`${again}: ${failure.message}`)
    }
    for (let seed = 1; seed <= allFaults.length * rounds; seed += 1) {
      await tryOut(seed, [focusOf(seed)])
    }
    for (let seed = 0; seed < pairCount; seed += pairStride) await tryOut(seed, pairOf(seed))
    for (let seed = 0; seed < triples; seed += 1) await tryOut(seed, tripleOf(seed))
    expect(failures).toEqual([])
  })

  test('a send that a clock signed ahead is not waited for beyond its life', async () => {
    const plan = focusedPlan(2_638, stormMs, pairOf(2_638))
    const { failure } = await runSeed(plan, curveFor(plan))
    expect(failure).toBe(null)
  })

  test('a fault that there is not is named, with those that there are', () => {
    expect(plannerOf('read_lost,stream_stail', 1_000)).toMatch(
      /"each", "pairs", "triples", "habits", "dexes", "accounts", "agent" or some of connection_refused, .*stream_stale.*; not "stream_stail"/,
    )
  })
})
