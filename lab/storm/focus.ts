import type { BotKind } from './botKinds.ts'
import { Chance } from './chance.ts'
import { allFaults } from './faultKinds.ts'
import type { FaultKind } from './faultKinds.ts'
import { allHabits } from './habitKinds.ts'
import type { HabitKind } from './habitKinds.ts'
import { drillEvery, isLast, isUnsteady, planOf, withoutHabits } from './plan.ts'
import type { Plan } from './plan.ts'
import type { Dice, Step } from './step.ts'

/** Bots that trade, and neither err nor attack: what they ask for mostly leaves. */
export const traders: readonly BotKind[] = [
  ...(['entry_market', 'entry_resting', 'entry_resting', 'entry_with_stop'] as const),
  ...(['ladder', 'burst', 'cancel_entries', 'cancel_by_cloid', 'modify_entry'] as const),
  ...(['batch_modify', 'exit', 'exit_resting', 'close_plain', 'flip', 'leverage'] as const),
  ...(['own_stop', 'tighten_stop', 'cancel_stops', 'take_profit'] as const),
]

/** The fault that a seed's focused world is made for: a row of seeds goes through all of them. */
export function focusOf(seed: number): FaultKind {
  return allFaults[seed % allFaults.length] ?? allFaults[0]
}

/** How many pairs of faults there are. */
export const pairCount = (allFaults.length * (allFaults.length - 1)) / 2

/** Two faults at once; a row of `pairCount` seeds goes through every pair. */
export function pairOf(seed: number): readonly FaultKind[] {
  let index = seed % pairCount
  for (const [at, first] of allFaults.entries()) {
    const partners = allFaults.slice(at + 1)
    const second = partners[index]
    if (second !== undefined) return [first, second]
    index -= partners.length
  }
  throw new RangeError(`no pair ${index}`)
}

/** Three faults at once, drawn by the seed: there are too many to go through. */
export function tripleOf(seed: number): readonly FaultKind[] {
  const chance = new Chance(seed, 'triple')
  const drawn = new Set<FaultKind>()
  while (drawn.size < 3) drawn.add(chance.pick(allFaults))
  return [...drawn]
}

/** The habit that a seed's world is made for: a row of seeds goes through all of them. */
export function habitOf(seed: number): HabitKind {
  const found = allHabits[seed % allHabits.length]
  if (found === undefined) throw new RangeError('there are no habits')
  return found
}

/**
 * A world made for one trouble, or for a few that meet. Bots trade fast, no other fault strikes, and
 * these do again and again, in each world in the same place (on the same channel of a stream, say):
 * what a mixed storm brings together once in a thousand worlds happens here all the time. With
 * habits, most of what bots do belongs to one.
 */
export function focusedPlan(
  seed: number,
  stormMs: number,
  faults: readonly FaultKind[],
  habits: readonly HabitKind[] = [],
): Plan {
  const chance = new Chance(seed, `focus ${[...faults, ...habits].join(' ')}`)
  const place = chance.next()
  const dice = (): Dice => [chance.next(), chance.next(), chance.next(), chance.next()]
  const steps: Step[] = []
  const pauseMs = habits.length === 0 ? 900 : 2_500
  for (let at = 1_000; at < stormMs; at += chance.whole(100, pauseMs)) {
    steps.push({ at, kind: 'bot', bot: chance.pick(traders), dice: dice() })
  }
  for (const fault of faults) {
    const firstAt = isLast(fault) ? stormMs * 0.75 : 800
    for (let at = firstAt; at < stormMs; at += chance.whole(800, 4_000)) {
      const [first, second, third] = dice()
      steps.push({ at, kind: 'fault', fault, dice: [first, second, third, place] })
    }
  }
  for (const habit of habits) {
    for (let at = 900; at < stormMs; at += chance.whole(300, 2_500)) {
      steps.push({ at, kind: 'habit', habit, dice: dice() })
    }
  }
  const isSteady = !faults.some(isUnsteady)
  return {
    // Not a drill's seed: those are led elsewhere.
    ...planOf(seed * drillEvery + 1, stormMs),
    ...{ seed, isSteady, isFrozen: isSteady || chance.is(0.6), isPatient: false },
    hasCadence: chance.is(0.7),
    ...withoutHabits,
    ...(habits.length > 0 && habitual(chance, habits, isSteady)),
    steps: steps.sort((left, right) => left.at - right.at),
  }
}

function isUnsteadyHabit(habit: HabitKind): boolean {
  return ['partial_targets', 'hand_on_stops', 'trigger_entries', 'twaps'].includes(habit)
}

/** What a world with habits has beside its steps. */
function habitual(
  chance: Chance,
  habits: readonly HabitKind[],
  isSteady: boolean,
): Pick<Plan, 'habits' | 'isSteady' | 'maxOpenOrders' | 'takesTwins'> {
  return {
    habits,
    // Some habits move a price, or are a person's doing.
    isSteady: isSteady && !habits.some(isUnsteadyHabit),
    maxOpenOrders: habits.includes('crowding') ? chance.whole(10, 25) : null,
    takesTwins: chance.is(0.5),
  }
}
