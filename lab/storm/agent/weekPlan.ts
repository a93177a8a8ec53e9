import { Chance } from '../chance.ts'
import { allFaults } from '../faultKinds.ts'
import { traders } from '../focus.ts'
import { drillEvery, isLast, planOf } from '../plan.ts'
import type { Plan } from '../plan.ts'
import type { Dice, Step } from '../step.ts'

const minuteMs = 60_000
/** Every so often everything comes right, and the owner looks at it; in a short world, twice. */
const restEveryMsMax = 4 * 60 * minuteMs
/** So long before nothing new begins: what was struck last has ended by then. */
const quietMs = minuteMs
/** Coming right and a review take less than this. */
const restMsMax = 6 * minuteMs
/** How many minutes pass between two moves of a price, two faults, and two requests of bots. */
const priceMinutes = 4
const faultMinutes = 6
const botMinutes = 10

/** A thousand orders that stay for hours would cost more than all the rest of a week. */
const faults = allFaults.filter((fault) => fault !== 'outside_crowd')

/**
 * A world that lasts for days: an agent trades through the tools of `guard mcp` at a person's pace, a
 * bot now and then beside it; faults are far apart, and halts and kills are ended by the owner.
 */
export function weekPlan(seed: number, stormMs: number): Plan {
  const chance = new Chance(seed, 'week')
  const base = planOf(seed * drillEvery + 1, 1)
  const restEveryMs = Math.min(restEveryMsMax, Math.floor(stormMs / 3))
  const rests: number[] = []
  for (let at = restEveryMs; at + restMsMax < stormMs; at += restEveryMs) rests.push(at)
  const isQuiet = (at: number): boolean => {
    const before = restEveryMs * Math.floor((at + quietMs) / restEveryMs)
    return before > 0 && at < before + restMsMax
  }
  const dice = (): Dice => [chance.next(), chance.next(), chance.next(), chance.next()]
  const steps: Step[] = []
  const every = (minutes: number, step: (at: number) => Step | null): void => {
    const next = (): number => chance.whole(1, 2 * minutes * minuteMs)
    for (let at = next(); at < stormMs - quietMs; at += next()) {
      const made = step(at)
      if (made !== null && !isQuiet(at)) steps.push(made)
    }
  }
  every(botMinutes, (at) => ({ at, kind: 'bot', bot: chance.pick(traders), dice: dice() }))
  every(priceMinutes, (at) => ({ at, kind: 'fault', fault: 'price_jump', dice: dice() }))
  every(faultMinutes, (at) => {
    const fault = chance.pick(faults)
    // What ends the trading until the next rest comes seldom.
    if (isLast(fault) && !chance.is(0.1)) return null
    return { at, kind: 'fault', fault, dice: dice() }
  })
  return {
    ...base,
    ...{ seed, stormMs, rests, hasAgent: true, hasReader: false, hasFollower: false },
    ...{ hasRealCurve: false, isPatient: false, isSteady: false },
    // Prices move by steps of the plan: makers that quote anew every second cost as much as Guard does.
    isFrozen: true,
    agentEveryMs: chance.pick([60_000, 120_000]),
    // As seldom as Guard still counts it as news: most of what a quiet second costs is frames.
    rhythm: { allMids: 5_000, contexts: 2_000, account: 4_000, looks: 1_500 },
    steps: steps.sort((left, right) => left.at - right.at),
  }
}
