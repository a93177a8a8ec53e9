import type { BotKind } from './botKinds.ts'
import type { Chance } from './chance.ts'
import type { FaultKind } from './faultKinds.ts'
import type { Dice, Step } from './step.ts'

/** The states of Guard that a fault is to be met in; `dead` comes before each recovery. */
const drilledStates = [
  'serving',
  'killed',
  'halted_for_day',
  'stopped',
  'disk broken',
  'recovering',
] as const

type DrilledState = (typeof drilledStates)[number]

/** What is there before: positions, stops, and orders that rest with and without an id. */
const before: readonly BotKind[] = [
  ...(['entry_market', 'entry_market', 'repeat_cloid', 'entry_resting'] as const),
]
/** Every kind of action once, what needs resting orders first. */
const during: readonly BotKind[] = [
  ...([
    'modify_entry',
    'batch_modify',
    'tighten_stop',
    'cancel_by_cloid',
    'cancel_entries',
  ] as const),
  ...(['leverage', 'add_margin', 'schedule_cancel', 'withdraw', 'entry_market', 'exit'] as const),
]

/** Leads into the state; each lasts until the world heals, or nearly. */
const into: { readonly [State in DrilledState]: readonly FaultKind[] } = {
  serving: [],
  killed: ['kill_command'],
  halted_for_day: ['day_of_loss'],
  stopped: ['ruin'],
  'disk broken': ['sync_error'],
  recovering: ['process_killed', 'read_lost'],
}

/**
 * Chance alone seldom brings a rare fault, a rare action and a rare state together. A drill brings
 * one fault into one state and then does everything that bots do; the drills in a row go through
 * every fault in every state.
 */
export function drillSteps(
  index: number,
  chance: Chance,
  faults: readonly FaultKind[],
): readonly Step[] {
  const fault = faults[index % faults.length]
  if (fault === undefined) throw new RangeError('a drill needs a fault')
  const state = drilledStates[Math.floor(index / faults.length) % drilledStates.length]
  const dice = (): Dice => [chance.next(), chance.next(), 0.1 + chance.next() * 0.3, chance.next()]
  // Often, and for as long as a fault can last.
  const lasting = (): Dice => [chance.next(), 0.75 + chance.next() * 0.2, chance.next(), 0.99]
  const bots = (kinds: readonly BotKind[], from: number, everyMs: number): readonly Step[] =>
    kinds.map((bot, at) => ({ at: from + at * everyMs, kind: 'bot', bot, dice: dice() }))
  return [
    ...bots(before, 1_000, 250),
    ...into[state ?? 'serving'].map((each, at): Step => ({
      at: 2_500 + at,
      kind: 'fault',
      fault: each,
      dice: lasting(),
    })),
    { at: 3_000, kind: 'fault', fault, dice: lasting() },
    ...bots(during, 3_100, 170),
    { at: 5_000, kind: 'fault', fault, dice: lasting() },
    // Until shortly before the world heals: a process that died may be away for four seconds.
    ...bots(during, 5_100, 270),
  ]
}
