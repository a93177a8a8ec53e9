import type { Crypto } from '../../src/core/protocol/crypto.ts'
import type { Json } from '../../src/core/protocol/action.ts'
import { focusedPlan } from '../storm/focus.ts'
import { plainManners } from '../storm/httpFront.ts'
import { keys, user } from '../storm/keys.ts'
import { venueCallerIp } from '../storm/latency.ts'
import { markets } from '../storm/markets.ts'
import { passStep } from '../storm/passStep.ts'
import type { Plan } from '../storm/plan.ts'
import { drained } from '../storm/turns.ts'
import { World } from '../storm/world.ts'

interface Weighing {
  /** How many builder dexes the venue lists. */
  readonly listed: number
  /** On how many of them the account holds a position; the rules name these. */
  readonly used: number
  readonly minutes: number
}

/** What an account on so many builder dexes costs. */
export interface Weighed extends Pick<Weighing, 'listed' | 'used'> {
  /** Request weight a minute, as the venue counts it. */
  readonly perMinute: number
}

/** The ids of a perp of the main dex, and of the first of each builder dex. */
const solana = 2
const [firstDex, dexStep] = [110_000, 10_000]
const minuteMs = 60_000
/** Weight is counted only after this long: a start reads more than what follows it. */
const warmUpMs = 3 * minuteMs

/** A Guard that nobody trades through, in a world of fake time, weighed by the venue's own count. */
export async function weigh(crypto: Crypto, weighing: Weighing): Promise<Weighed> {
  const { listed, used, minutes } = weighing
  const names = Array.from({ length: listed }, (_, at) => `d${String.fromCharCode(97 + at)}`)
  const inUse = names.slice(0, used)
  const world = new World(planWith(inUse, minutes), crypto, {})
  world.control('reset', {
    ...{ frozen: true, seed: 1, markets, dexes: names.map(dexNamed) },
    accounts: [accountOn(inUse, crypto)],
  })
  hold(world, solana, '220')
  for (const at of inUse.keys()) hold(world, firstDex + at * dexStep, '110')
  world.start()
  await passUntil(world, warmUpMs)
  let weight = 0
  for (let minute = 1; minute <= minutes; minute += 1) {
    await passUntil(world, warmUpMs + minute * minuteMs)
    weight += world.sim.weightUsed(venueCallerIp)
  }
  const positions = world.life?.guard?.status().positions ?? []
  const covered = positions.filter((each) => each.covered)
  if (covered.length !== used + 1) throw new Error(`${covered.length} positions are covered`)
  if (world.life !== null) world.end(world.life)
  return { listed, used, perMinute: weight / minutes }
}

/** The venue counts weight where a bot reads; here none does. */
function planWith(inUse: readonly string[], minutes: number): Plan {
  return {
    ...focusedPlan(1, warmUpMs + minutes * minuteMs, []),
    ...{ isFrozen: true, isUnified: false, isOwned: false, isVault: false, isKeyed: false },
    ...{ hasReader: true, hasFollower: false, hasAgent: false, hasCadence: true },
    ...{ hasSecondDisk: false, streamLagMs: 3, front: plainManners, steps: [] },
    dexes: {
      markets: ['*', ...inUse.map((name) => `${name}:*`)],
      ...{ stopGap: null, bookShare: null },
    },
  }
}

function dexNamed(name: string): Json {
  return { name, markets: [{ name: 'COIN', szDecimals: 2, maxLeverage: 10, mid: '100' }] }
}

function accountOn(inUse: readonly string[], { secp256k1 }: Crypto): Json {
  const agents = [secp256k1.addressOf(keys.api)]
  const dexEquity = Object.fromEntries(inUse.map((name) => [name, '500']))
  return { address: user, equity: '10000', mode: 'disabled', agents, dex_equity: dexEquity }
}

/** Opens a position of one unit on a market, as a person would at the venue, not through Guard. */
function hold(world: World, asset: number, price: string): void {
  const order = { a: asset, b: true, p: price, s: '1', r: false, t: { limit: { tif: 'Ioc' } } }
  const actions: Json[] = [
    { type: 'updateLeverage', asset, isCross: false, leverage: 5 },
    { type: 'order', orders: [order], grouping: 'na' },
  ]
  for (const action of actions) world.control('act', { user, action })
}

/** Lets the world's time pass, from task to task. */
async function passUntil(world: World, elapsed: number): Promise<void> {
  do await drained()
  while (passStep(world, elapsed) !== null)
  world.time.moveTo(elapsed)
}
