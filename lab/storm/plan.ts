import { Chance } from './chance.ts'
import { drillSteps } from './drill.ts'
import { botKinds } from './botKinds.ts'
import { allFaults } from './faultKinds.ts'
import type { FaultKind } from './faultKinds.ts'
import type { HabitKind } from './habitKinds.ts'
import { mannersOf } from './httpFront.ts'
import type { FrontManners } from './httpFront.ts'
import type { Step, Dice } from './step.ts'

/** A world, fully told by its seed: what it starts with and what happens in it, in order. */
export interface Plan {
  readonly seed: number
  readonly stormMs: number
  readonly startMs: number
  readonly isFrozen: boolean
  readonly isUnified: boolean
  /** What the rules allow; `wide`: cross margin, and so much of all else that the collateral bounds. */
  readonly margin: 'isolated' | 'cross' | 'wide'
  /** The account is a sub-account, which its owner's API wallet trades. */
  readonly isOwned: boolean
  /** It is a vault, whose leader is that owner. */
  readonly isVault: boolean
  readonly hasRealCurve: boolean
  /** Only bots trade, no price moves and no rule changes: the sums of the limits hold exactly. */
  readonly isSteady: boolean
  /** The venue repeats its states by the clock, and does not only tell what changed. */
  readonly hasCadence: boolean
  readonly rhythm: Rhythm
  /** A bot reads all it can, and the venue counts the weight of what it is asked. */
  readonly hasReader: boolean
  /** A bot asks for streams, gives them up and starts over; the venue counts sockets and messages. */
  readonly hasFollower: boolean
  /** An agent trades through the tools of `guard mcp`. */
  readonly hasAgent: boolean
  /** How often it does something; null: every few seconds, as it draws itself. */
  readonly agentEveryMs: number | null
  /** When the world heals, everything comes right, the owner looks at it, and it goes on. */
  readonly rests: readonly number[]
  /** How long after its answer the venue's streams tell of an action. */
  readonly streamLagMs: number
  /** Waits the whole time at its end; the others end once everything has come right for a while. */
  readonly isPatient: boolean
  /** What bots and people do in several steps; somebody else trades at the venue then. */
  readonly habits: readonly HabitKind[]
  /** The rule of that name; null leaves it as it is by default. */
  readonly maxOpenOrders: number | null
  /** The venue takes a second open order with the same client order id. */
  readonly takesTwins: boolean
  /** The journal's records are proven by a key. */
  readonly isKeyed: boolean
  /**
   * Emergency records have a second place on another disk. What strikes the first one spares it, but
   * for a full one: then both are full.
   */
  readonly hasSecondDisk: boolean
  /** How the venue treats connections. */
  readonly front: FrontManners
  /** The venue has builder dexes; null in worlds without. */
  readonly dexes: DexWorld | null
  /** A world of every account and every kind of order: all readings that matter to them are drawn. */
  readonly isOfAccounts: boolean
  readonly steps: readonly Step[]
}

/** How often something happens by the clock, in ms. */
interface Rhythm {
  /** What the venue's streams tell: all mids, each market's prices, the state of an account. */
  readonly allMids: number
  readonly contexts: number
  readonly account: number
  /** What must hold at any moment is looked at. */
  readonly looks: number
}

const usualRhythm: Rhythm = { allMids: 1_000, contexts: 1_000, account: 2_000, looks: 250 }

/** What the rules say of builder dexes in a world that has some. */
export interface DexWorld {
  /** The markets that they name. */
  readonly markets: readonly string[]
  /** `dex_stop_gap` and `max_book_share`; null leaves them as they are by default. */
  readonly stopGap: string | null
  readonly bookShare: string | null
}

/** A world in which nobody has a habit. */
export const withoutHabits = { habits: [], maxOpenOrders: null, takesTwins: false } as const

const dayMs = 86_400_000
const firstDay = 1_789_000_000_000 - (1_789_000_000_000 % dayMs)

const lastMs = 120_000
/** Every so many seeds are a drill. */
export const drillEvery = 4

/** The same seed, length and list of faults give the same plan, always. */
export function planOf(
  seed: number,
  stormMs: number,
  faults: readonly FaultKind[] = allFaults,
): Plan {
  const chance = new Chance(seed, 'plan')
  const isDrill = seed % drillEvery === 0
  // A seed favours some faults, so that the same one strikes often enough to meet its own effects.
  const isSteady = !isDrill && chance.is(0.35)
  const steps = isDrill
    ? drillSteps(seed / drillEvery, chance, faults)
    : chanceSteps(chance, stormMs, isSteady ? faults.filter((each) => !isUnsteady(each)) : faults)
  const day = firstDay + chance.whole(0, 30) * dayMs
  // Some worlds cross midnight, some an hour's funding.
  const within = chance.pick([0.3 * dayMs, dayMs - 20_000, 14 * 3_600_000 - 15_000])
  const isFrozen = isSteady || chance.is(0.6)
  const isUnified = chance.is(0.3)
  const isOwned = new Chance(seed, 'owned').is(0.2)
  return {
    ...{ seed, stormMs, startMs: day + Math.floor(within), isFrozen, isUnified },
    margin: 'isolated',
    isOwned,
    // A vault has no other mode than the plain one.
    isVault: isOwned && !isUnified && new Chance(seed, 'vault').is(0.4),
    isSteady,
    // A drill wants the reads that a stream which repeats itself makes needless.
    hasCadence: !isDrill && new Chance(seed, 'repeats').is(0.5),
    rhythm: usualRhythm,
    hasReader: new Chance(seed, 'reads').is(0.15),
    hasFollower: new Chance(seed, 'follows').is(0.05),
    hasAgent: new Chance(seed, 'agent').is(0.05),
    agentEveryMs: null,
    rests: [],
    streamLagMs: isDrill ? 0 : new Chance(seed, 'lag').pick([0, 3, 40, 400]),
    hasRealCurve: seed % 40 === 3,
    isPatient: seed % 10 === 1,
    ...withoutHabits,
    isKeyed: new Chance(seed, 'keyed').is(0.5),
    // A drill leads into a broken disk, and a second one would do what it cannot.
    hasSecondDisk: !isDrill && new Chance(seed, 'second disk').is(0.4),
    front: mannersOf(seed),
    ...{ dexes: null, isOfAccounts: false },
    steps: [...steps].sort((left, right) => left.at - right.at),
  }
}

function chanceSteps(
  chance: Chance,
  stormMs: number,
  faults: readonly FaultKind[],
): readonly Step[] {
  const steps: Step[] = []
  const dice = (): Dice => [chance.next(), chance.next(), chance.next(), chance.next()]
  const botEveryMs = chance.whole(300, 2_500)
  const faultEveryMs = chance.pick([900, 1_500, 3_000, 6_000, 20_000])
  const favourites = Array.from({ length: 6 }, () => chance.pick(faults))
  for (let at = 1_000; at < stormMs; at += 1 + Math.floor(2 * botEveryMs * chance.next())) {
    steps.push({ at, kind: 'bot', bot: chance.pick(botKinds), dice: dice() })
  }
  for (let at = 500; at < stormMs; at += 1 + Math.floor(2 * faultEveryMs * chance.next())) {
    const fault = chance.is(0.5) ? chance.pick(favourites) : chance.pick(faults)
    // A latch ends what can be learned: in a long world it comes late.
    const isEarly = at < stormMs - lastMs
    if (isLast(fault) && (isEarly || !chance.is(0.25))) continue
    steps.push({ at, kind: 'fault', fault, dice: dice() })
  }
  return steps
}

/** Moves a price, trades past Guard or changes a rule. */
export function isUnsteady(fault: FaultKind): boolean {
  return /^(price_|market_|outside_|rules_|day_of_loss|ruin)/.test(fault)
}

/** After these nothing opens any more. */
export function isLast(fault: FaultKind): boolean {
  return fault.startsWith('kill_') || fault === 'day_of_loss' || fault === 'ruin'
}
