import { expect, test } from 'vitest'
import { runSeed } from './runSeed.ts'
import type { SeedResult } from './runSeed.ts'
import { bot, curveFor, fault, scripted } from './storm.fixture.ts'
import type { Step } from './plan.ts'

/** What a storm found once, told in as few steps as it takes; each stays found. */

async function run(seed: number, ...steps: readonly Step[]): Promise<SeedResult> {
  const plan = scripted(seed, ...steps)
  return await runSeed(plan, curveFor(plan))
}

const lines = (result: SeedResult, part: string): readonly string[] =>
  result.trace.filter((line) => line.includes(part))

test('a close is sent once, however early its end is told before its fill', async () => {
  for (const seed of [1, 2, 3, 4, 5, 6]) {
    const result = await run(seed, bot(1_000, 'entry_market'), bot(2_000, 'entry_market'))
    expect(result.failure).toBe(null)
    // The end of every world is a kill: its closes meet a position each.
    expect(lines(result, 'Reduce only order would increase')).toEqual([])
    expect(lines(result, ' flatten ')).toHaveLength(1)
  }
})

test('a kill on a slow disk is one event', async () => {
  const result = await run(
    7,
    bot(1_000, 'entry_market'),
    fault(2_000, 'disk_slow', [0, 0, 0.9, 0]),
    fault(2_100, 'kill_command'),
  )
  expect(result.failure).toBe(null)
  expect(lines(result, ' kill {')).toHaveLength(1)
})

test('many answers that are lost at once do not spend the weight that reads need', async () => {
  const result = await run(13, fault(900, 'request_lost', [0, 0.9, 0, 0.3]), bot(1_000, 'burst'))
  expect(result.failure).toBe(null)
  expect(lines(result, '[request_lost]').length).toBeGreaterThan(4)
  expect(lines(result, 'request weight for reads is spent')).toEqual([])
})
