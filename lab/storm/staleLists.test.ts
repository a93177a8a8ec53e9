import { expect, test } from 'vitest'
import type { BotKind } from './botKinds.ts'
import { Chance } from './chance.ts'
import { planOf } from './plan.ts'
import type { Plan } from './plan.ts'
import type { Step } from './step.ts'
import { runSeed } from './runSeed.ts'
import { bot, curveFor, fault } from './storm.fixture.ts'

const endMs = 14_000
const trades: readonly BotKind[] = [
  ...(['entry_resting', 'entry_resting', 'entry_market', 'entry_with_stop', 'ladder'] as const),
  ...(['cancel_entries', 'modify_entry', 'batch_modify', 'exit', 'flip', 'own_stop'] as const),
]

/** Bots trade as fast as they may, while the list of orders stands still again and again. */
function planWith(seed: number): Plan {
  const chance = new Chance(seed, 'stale lists')
  const dice = () => [chance.next(), chance.next(), chance.next(), chance.next()] as const
  const steps: Step[] = []
  for (let at = 1_000; at < endMs; at += chance.whole(100, 900)) {
    steps.push(bot(at, chance.pick(trades), dice()))
  }
  for (let at = 800; at < endMs; at += chance.whole(1_500, 5_000)) {
    const [place, first, second] = dice()
    // The last of the channels is the list of orders.
    steps.push(fault(at, 'stream_stale', [place, first, second, 0.95]))
  }
  return {
    ...planOf(seed * 4 + 1, endMs + 1_000),
    ...{ isSteady: true, isFrozen: true, hasCadence: chance.is(0.7) },
    steps: steps.sort((left, right) => left.at - right.at),
  }
}

/**
 * Of these worlds one in three broke a limit: a list made room for an entry that it lacked, an entry
 * that was placed again was let go with the one that made way for it, and the room that a tighter
 * stop had made was still taken when the stop was removed.
 */
test('no limit is broken while the list of orders stands still', async () => {
  const failures: string[] = []
  for (let seed = 1; seed <= 60; seed += 1) {
    const plan = planWith(seed)
    const { failure } = await runSeed(plan, curveFor(plan), { isTraced: false })
    if (failure !== null) failures.push(`${seed}: ${failure.message}`)
  }
  expect(failures).toEqual([])
})
