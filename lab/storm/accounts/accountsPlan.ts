import { Chance } from '../chance.ts'
import { accountFaults, allFaults, dexFaults } from '../faultKinds.ts'
import type { FaultKind } from '../faultKinds.ts'
import { focusedPlan } from '../focus.ts'
import { accountHabits, allHabits } from '../habitKinds.ts'
import type { HabitKind } from '../habitKinds.ts'
import { planOf } from '../plan.ts'
import type { DexWorld, Plan } from '../plan.ts'
import type { Dice, Step } from '../step.ts'

type Account = Pick<Plan, 'isUnified' | 'isOwned' | 'isVault'>

/** A vault has no other mode than the plain one. */
const accounts: readonly Account[] = [
  { isUnified: false, isOwned: false, isVault: false },
  { isUnified: true, isOwned: false, isVault: false },
  { isUnified: false, isOwned: true, isVault: false },
  { isUnified: true, isOwned: true, isVault: false },
  { isUnified: false, isOwned: true, isVault: true },
]

/** What waits and runs at the venue comes first, and whatever else bots do beside it. */
const habitsDrawn: readonly HabitKind[] = [
  ...(['trigger_entries', 'trigger_entries', 'trigger_entries', 'trigger_entries'] as const),
  ...(['twaps', 'twaps', 'twaps', 'twaps', 'twaps', 'spot_sells', 'spot_sells'] as const),
  ...accountHabits,
  ...accountHabits,
  ...accountHabits,
  ...allHabits,
]

/** Ends of all that opens, each of which has to meet what waits and runs. */
const endings: readonly FaultKind[] = [
  ...(['kill_request', 'kill_file', 'kill_command'] as const),
  ...(['day_of_loss', 'ruin', 'prices_turn', 'prices_turn'] as const),
]

const restarts: readonly FaultKind[] = [
  ...(['clean_restart', 'process_killed', 'crash_lost', 'crash_kept', 'crash_torn'] as const),
  ...(['crash_at_send', 'crash_at_answer', 'guard_away', 'guard_away'] as const),
]

const priceMoves: readonly FaultKind[] = [
  ...(['breakout', 'breakout', 'price_jump', 'price_jump', 'prices_turn', 'market_crash'] as const),
]

/** What others on the same dexes do not do: builders stop markets while something waits or runs there. */
const builderFaults: readonly FaultKind[] = dexFaults.filter(
  (fault) => fault !== 'dex_by_hand' && fault !== 'dex_hand_order',
)

/**
 * A world of every account and every kind of order: any margin, account and a few habits, above all
 * triggers and TWAPs, which meet kills, halts, restarts, moves of prices and what happens to the account
 * itself; beside it a storm of everything, one fault, two, three, or nothing else.
 */
export function accountsPlan(seed: number, stormMs: number): Plan {
  const chance = new Chance(seed, 'accounts')
  const account = chance.pick(accounts)
  const habits = habitsOf(chance, account)
  const faults = faultsOf(seed, chance)
  const base = focusedPlan(seed, stormMs, faults ?? [], habits)
  const mixed = faults === null ? planOf(seed, stormMs).steps : []
  const dexes = !account.isVault && chance.is(0.12) ? dexWorld : null
  const steps = [
    ...base.steps,
    ...mixed,
    ...besides(chance, stormMs, faults?.length !== 0, account.isVault),
    ...(dexes === null ? [] : struck(chance, stormMs, builderFaults, 1_200)),
  ]
  return {
    ...{ ...base, ...account, dexes, isOfAccounts: true },
    margin: chance.pick(['isolated', 'cross', 'wide']),
    ...{ isSteady: false, isFrozen: chance.is(0.75) },
    // Most of what one of these worlds costs is its end, in which nothing is to happen.
    rhythm: { allMids: 1_500, contexts: 1_500, account: 3_000, looks: 250 },
    steps: steps.sort((left, right) => left.at - right.at),
  }
}

const dexWorld: DexWorld = { markets: ['*', 'xyz:*'], stopGap: null, bookShare: null }

/** One to three, each of them once. */
function habitsOf(chance: Chance, { isVault }: Account): readonly HabitKind[] {
  const drawn = new Set<HabitKind>()
  for (let left = chance.whole(1, 3); left > 0; left -= 1) drawn.add(chance.pick(habitsDrawn))
  // A vault cannot trade spot.
  if (isVault && drawn.delete('spot_sells')) drawn.add('twaps')
  return [...drawn]
}

/** By turns none, one, two and three; null is all of them. */
function faultsOf(seed: number, chance: Chance): readonly FaultKind[] | null {
  const count = seed % 5
  if (count === 4) return null
  const drawn = new Set<FaultKind>()
  while (drawn.size < count) drawn.add(chance.pick([...allFaults, ...accountFaults]))
  return [...drawn]
}

/** Prices move in every world; where there are faults, something ends or begins anew in many. */
function besides(
  chance: Chance,
  stormMs: number,
  hasFaults: boolean,
  isVault: boolean,
): readonly Step[] {
  const steps = [...struck(chance, stormMs, priceMoves, chance.pick([1_500, 3_000, 8_000]))]
  if (!hasFaults) return steps
  const once = (kinds: readonly FaultKind[], from: number): void => {
    const at = Math.floor(stormMs * (from + (0.98 - from) * chance.next()))
    steps.push({ at, kind: 'fault', fault: chance.pick(kinds), dice: diceOf(chance) })
  }
  if (chance.is(0.4)) once(endings, 0.35)
  for (let left = chance.pick([0, 0, 1, 1, 2]); left > 0; left -= 1) once(restarts, 0.15)
  const favourites = Array.from({ length: 2 }, () => chance.pick(accountFaults))
  if (isVault) favourites.push('vault_withdrawal')
  if (chance.is(0.7)) steps.push(...struck(chance, stormMs, favourites, 1_800))
  return steps
}

/** Again and again, so far apart on average. */
function struck(
  chance: Chance,
  stormMs: number,
  kinds: readonly FaultKind[],
  everyMs: number,
): readonly Step[] {
  const steps: Step[] = []
  for (let at = 900; at < stormMs; at += chance.whole(100, 2 * everyMs)) {
    steps.push({ at, kind: 'fault', fault: chance.pick(kinds), dice: diceOf(chance) })
  }
  return steps
}

function diceOf(chance: Chance): Dice {
  return [chance.next(), chance.next(), chance.next(), chance.next()]
}
