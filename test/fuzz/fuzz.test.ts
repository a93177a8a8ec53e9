import { afterAll, expect, test } from 'vitest'
import { fuzz, slowMs } from './runFuzz.ts'
import { fuzzTargets } from './targets.ts'

const targets = await fuzzTargets()

afterAll(async () => {
  for (const { close } of targets) await close?.()
})

/** A small part of `npm run fuzz`, always the same inputs. */
test.each(targets.map((target) => [target.name, target] as const))(
  '%s: nothing crashes, hangs or is read two ways',
  { timeout: 300_000 },
  async (_name, target) => {
    const report = await fuzz(target, Math.max(150, target.share * 150), 7)
    expect(report.failures).toEqual([])
    expect(report.outcomes).toBeGreaterThan(1)
  },
)

test('a reader that throws or is slow is found', async () => {
  const seeds = [Buffer.from('seed')]
  const make = () => Buffer.from('made')
  const thrown = await fuzz(
    {
      name: 'throws',
      share: 1,
      seeds,
      make,
      read: () => {
        throw new Error('no')
      },
    },
    10,
    1,
  )
  expect(thrown.failures.length).toBe(5)
  expect(thrown.failures[0]?.problem).toContain('no')
  const burns = await fuzz({ name: 'burns', share: 1, seeds, make, read: burn }, 1, 1)
  expect(burns.failures[0]?.problem).toMatch(/^took \d+/)
})

/** Keeps the processor busy for longer than any input may. */
function burn(): string {
  const before = process.cpuUsage()
  while (process.cpuUsage(before).user < (slowMs + 20) * 1_000);
  return 'done'
}
