import type { BotKind } from './botKinds.ts'
import { Chance } from './chance.ts'
import { allFaults } from './faultKinds.ts'
import type { FaultKind } from './faultKinds.ts'
import { drillEvery, isLast, isUnsteady, planOf } from './plan.ts'
import type { Dice, Plan, Step } from './plan.ts'

/** Bots that trade, and neither err nor attack: what they ask for mostly leaves. */
const traders: readonly BotKind[] = [
  ...(['entry_market', 'entry_resting', 'entry_resting', 'entry_with_stop'] as const),
  ...(['ladder', 'burst', 'cancel_entries', 'cancel_by_cloid', 'modify_entry'] as const),
  ...(['batch_modify', 'exit', 'exit_resting', 'close_plain', 'flip', 'leverage'] as const),
  ...(['own_stop', 'tighten_stop', 'cancel_stops', 'take_profit'] as const),
]

/** The fault that a seed's focused world is made for: a row of seeds goes through all of them. */
export function focusOf(seed: number): FaultKind {
  return allFaults[seed % allFaults.length] ?? allFaults[0]
}

/**
 * A world made for one trouble. Bots trade fast, no other fault strikes, and this one does again
 * and again, in each world in the same place (on the same channel of a stream, say): what a mixed
 * storm brings together once in a thousand worlds happens here all the time.
 */
export function focusedPlan(seed: number, stormMs: number, fault: FaultKind): Plan {
  const chance = new Chance(seed, `focus ${fault}`)
  const place = chance.next()
  const dice = (): Dice => [chance.next(), chance.next(), chance.next(), chance.next()]
  const steps: Step[] = []
  for (let at = 1_000; at < stormMs; at += chance.whole(100, 900)) {
    steps.push({ at, kind: 'bot', bot: chance.pick(traders), dice: dice() })
  }
  const firstAt = isLast(fault) ? stormMs * 0.75 : 800
  for (let at = firstAt; at < stormMs; at += chance.whole(800, 4_000)) {
    const [first, second, third] = dice()
    steps.push({ at, kind: 'fault', fault, dice: [first, second, third, place] })
  }
  const isSteady = !isUnsteady(fault)
  return {
    // Not a drill's seed: those are led elsewhere.
    ...planOf(seed * drillEvery + 1, stormMs),
    ...{ seed, isSteady, isFrozen: isSteady || chance.is(0.6), isPatient: false },
    hasCadence: chance.is(0.7),
    steps: steps.sort((left, right) => left.at - right.at),
  }
}
