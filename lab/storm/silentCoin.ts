import type { Address } from '../../src/core/values/address.ts'
import type { Venue } from '../sim/engine/venue.ts'
import { pickAt } from './chance.ts'
import { clearFaults } from './faultDesk.ts'
import { user } from './keys.ts'
import { openCoins } from './venueOracle.ts'
import { Violation } from './violation.ts'
import type { World } from './world.ts'

const ways = ['http_500', 'drop_request', 'delay', 'http_429'] as const

/**
 * From now on no action that names one coin is answered, of several on which something is open; null
 * where there are not several, and in every other world. Which coin and how, the seed says: no other
 * step of the world is another one for it.
 */
export function silenceOneCoin(world: World): string | null {
  const { seed } = world.plan
  const coins = openCoins(world.sim.venue, user)
  if (coins.length < 2 || seed % 2 === 0) return null
  const coin = pickAt(coins, (seed * 0.618) % 1)
  const kind = pickAt(ways, ((seed >> 1) % ways.length) / ways.length)
  const lasting = kind === 'delay' ? { ms: 60_000 } : {}
  world.trace.say(`no action that names ${coin} is answered: ${kind}`)
  world.control('fault', { where: 'exchange', kind, match: { coin }, count: 0, ...lasting })
  return coin
}

/** Lets the venue answer what is sent about the coin again. */
export function answerAgain(world: World): void {
  world.trace.say('every action is answered again')
  clearFaults(world)
}

/** Nothing is open but on the coin of which nothing is answered. */
export function checkFlatBut(venue: Venue, account: Address, coin: string): void {
  const others = openCoins(venue, account).filter((each) => each !== coin)
  if (others.length === 0) return
  const text = `${coin} gets no answer, and the venue still shows ${others.join(', ')}`
  throw new Violation('flat_apart', text)
}
