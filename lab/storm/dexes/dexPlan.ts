import type { Json } from '../../../src/core/protocol/action.ts'
import { Chance } from '../chance.ts'
import { dexFaults } from '../faultKinds.ts'
import { dexHabits } from '../habitKinds.ts'
import type { HabitKind } from '../habitKinds.ts'
import { focusedPlan, focusOf, traders } from '../focus.ts'
import { planOf } from '../plan.ts'
import type { DexWorld, Plan } from '../plan.ts'
import type { Dice, Step } from '../step.ts'

/** The builder dexes that a world begins with: one to trade, one beside it, one in another token. */
export const firstDexes: readonly Json[] = [
  {
    name: 'xyz',
    markets: [
      { name: 'TSLA', szDecimals: 3, maxLeverage: 10, mid: '400' },
      { name: 'HOOD', szDecimals: 2, maxLeverage: 5, mid: '100', marginMode: 'noCross' },
      {
        ...{ name: 'SPCX', szDecimals: 3, maxLeverage: 20, mid: '150' },
        ...{ marginMode: 'strictIsolated', growthMode: true },
      },
    ],
  },
  { name: 'abc', markets: [{ name: 'OIL', szDecimals: 2, maxLeverage: 10, mid: '60' }] },
  {
    ...{ name: 'tok', collateral: 'USDT0' },
    markets: [{ name: 'EUR', szDecimals: 1, maxLeverage: 10, mid: '2' }],
  },
]

/** One that appears while a world runs. */
export const laterDex = {
  name: 'def',
  markets: [{ name: 'GOLD', szDecimals: 2, maxLeverage: 10, mid: '50' }],
} as const

/** What a plain account has on each dex. */
export const dexEquity = { xyz: '4000', abc: '500' } as const

const namings: readonly (readonly string[])[] = [
  ['*', 'xyz:*'],
  ['*', 'xyz:*'],
  ['*', 'xyz:*', 'def:*'],
  ['*', 'xyz:TSLA'],
  ['xyz:*', 'abc:OIL', 'tok:*'],
  ['*'],
]

/**
 * A world with builder dexes, on which bots trade too and on which everything happens that builders can
 * do; beside it a storm of everything, a single fault, what bots do in several steps, or nothing else.
 */
export function dexPlan(seed: number, stormMs: number): Plan {
  const chance = new Chance(seed, 'dex world')
  const base = besides(seed, stormMs, chance)
  const steps = base.steps.filter(
    // Here the dex is real: nobody only says that something was traded there.
    (step) => step.kind !== 'fault' || step.fault !== 'outside_dex_trade',
  )
  return {
    ...base,
    // Vaults may not trade there, and prices move.
    ...{ isVault: false, isSteady: false, isFrozen: chance.is(0.7) },
    dexes: dexWorldOf(chance),
    steps: [...steps, ...dexSteps(chance, stormMs), ...habitSteps(seed, stormMs)].sort(
      (left, right) => left.at - right.at,
    ),
  }
}

const stepHabits: readonly HabitKind[] = ['twaps', 'trigger_entries', 'modify_race', 'looser_steps']

function besides(seed: number, stormMs: number, chance: Chance): Plan {
  switch (seed % 4) {
    case 0:
      return planOf(seed, stormMs)
    case 1:
      return focusedPlan(seed, stormMs, [focusOf(Math.floor(seed / 4))])
    case 2:
      return focusedPlan(seed, stormMs, [], chance.is(0.4) ? [chance.pick(stepHabits)] : [])
    default:
      return { ...focusedPlan(seed, stormMs, []), steps: [] }
  }
}

function dexWorldOf(chance: Chance): DexWorld {
  return {
    markets: chance.pick(namings),
    stopGap: chance.pick([null, null, null, '0.3']),
    // A share so small that it bounds what budgets would let through, and one that never does.
    bookShare: chance.pick([null, null, '0.00001', '0.3']),
  }
}

/** Bots trade there all the time; a world favours some of what builders do. */
function dexSteps(chance: Chance, stormMs: number): readonly Step[] {
  const dice = (): Dice => [chance.next(), chance.next(), chance.next(), chance.next()]
  const favourites = Array.from({ length: 4 }, () => chance.pick(dexFaults))
  const faultEveryMs = chance.pick([700, 1_500, 4_000])
  const steps: Step[] = []
  for (let at = 1_200; at < stormMs; at += chance.whole(100, 1_200)) {
    steps.push({ at, kind: 'bot', bot: chance.pick(traders), dice: dice(), onDex: true })
  }
  for (let at = 1_500; at < stormMs; at += chance.whole(100, 2 * faultEveryMs)) {
    const fault = chance.is(0.6) ? chance.pick(favourites) : chance.pick(dexFaults)
    steps.push({ at, kind: 'fault', fault, dice: dice() })
  }
  return steps
}

/** What bots do there in several steps, in every third world. */
function habitSteps(seed: number, stormMs: number): readonly Step[] {
  const chance = new Chance(seed, 'dex habits')
  if (!chance.is(0.35)) return []
  const dice = (): Dice => [chance.next(), chance.next(), chance.next(), chance.next()]
  const steps: Step[] = []
  for (let at = chance.whole(1_000, 2_500); at < stormMs; at += chance.whole(1_500, 4_000)) {
    steps.push({ at, kind: 'habit', habit: chance.pick(dexHabits), dice: dice() })
  }
  return steps
}
