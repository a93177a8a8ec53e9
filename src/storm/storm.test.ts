import { expect, test } from 'vitest'
import { Coverage } from './coverage.ts'
import { planOf } from './plan.ts'
import { runSeed } from './runSeed.ts'
import { curveFor } from './storm.fixture.ts'

/** How long each world's storm lasts; then it heals and must come right. */
const stormMs = 12_000
/** `STORM_SEEDS=2000` runs exactly that many; otherwise as many as the suite has time for. */
const wanted = process.env['STORM_SEEDS']
const seedsMin = 100
const seedsMax = 2_000
const budgetMs = 60_000

test('whatever the seed, nothing happens that must not', { timeout: 3_600_000 }, async () => {
  const coverage = new Coverage()
  const failures: string[] = []
  const started = performance.now()
  const isTimeLeft = (): boolean => performance.now() - started < budgetMs
  let seeds = 0
  let replayed = 0
  while (wanted === undefined ? seeds < seedsMax : seeds < Number(wanted)) {
    if (wanted === undefined && seeds >= seedsMin && !isTimeLeft()) break
    seeds += 1
    const plan = planOf(seeds, stormMs)
    const result = await runSeed(plan, curveFor(plan))
    coverage.add(result.coverage)
    replayed += result.replayed
    if (result.failure !== null) {
      failures.push(`npm run storm -- --seed ${seeds} --seconds 12: ${result.failure.message}`)
    }
  }
  expect(failures).toEqual([])
  // Few seeds strike with most kinds of fault, and every decision replays.
  expect(coverage.faults().size).toBeGreaterThanOrEqual(40)
  expect(replayed).toBeGreaterThan(seeds)
  console.log(`storm: ${seeds} seeds, ${replayed} decisions replayed`)
})

test('the same seed is the same world, to the byte', async () => {
  for (const seed of [3, 40, 77]) {
    const plan = planOf(seed, stormMs)
    const [first, second] = [
      await runSeed(plan, curveFor(plan), true),
      await runSeed(plan, curveFor(plan), true),
    ]
    expect(first.trace.length).toBeGreaterThan(20)
    expect(second.trace).toEqual(first.trace)
    expect(second.steps).toBe(first.steps)
  }
})
