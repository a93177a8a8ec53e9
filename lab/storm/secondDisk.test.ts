import { expect, test } from 'vitest'
import { runSeed } from './runSeed.ts'
import type { SeedResult } from './runSeed.ts'
import { bot, curveFor, fault, scripted } from './storm.fixture.ts'
import type { ProcessParts } from './guardProcess.ts'

/** A position, a first disk that hangs, and a kill: its closes leave while it hangs. */
async function killedWhileHanging(
  change: (parts: ProcessParts) => ProcessParts = (parts) => parts,
): Promise<SeedResult> {
  const steps = [
    bot(1_000, 'entry_market'),
    fault(2_500, 'disk_hangs', [0, 0, 0.9, 0]),
    fault(2_600, 'kill_request'),
  ]
  const plan = { ...scripted(3, ...steps), hasSecondDisk: true }
  const sabotage = (_: unknown, parts: ProcessParts): ProcessParts => change(parts)
  return await runSeed(plan, curveFor(plan), { isTraced: true, sabotage })
}

test('while the first disk hangs a kill and its closes are on the second before they leave', async () => {
  const { failure, trace } = await killedWhileHanging()
  expect(failure).toBe(null)
  const written = trace.filter((line) => line.includes(' disk -'))
  expect(written.filter((line) => line.includes(' kill {')).length).toBeGreaterThan(0)
  expect(written.filter((line) => line.includes(' flatten ')).length).toBeGreaterThan(0)
})

test('the storm knows when the second disk is not written', async () => {
  const { failure } = await killedWhileHanging((parts) => ({ ...parts, hasSecondDisk: false }))
  expect(failure?.rule).toBe('intent_first')
})
