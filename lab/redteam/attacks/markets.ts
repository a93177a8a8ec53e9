import type { Json } from '../../../src/core/protocol/action.ts'
import { breach, NotHere } from '../breach.ts'
import type { Attack } from '../attack.ts'
import { staysWithinRules } from '../fromFlat.ts'
import { priceAt } from '../ground.ts'
import { vetoed, vetoedBothWays } from '../held.ts'
import { order, orders } from '../orders.ts'
import { held, sizeFor } from '../positions.ts'

function wrong(name: string, tries: string, asset: Json, ...codes: readonly string[]): Attack {
  return {
    group: 'markets',
    name,
    tries,
    venue: 'nothing',
    run: async (attacker) => {
      const field = attacker.ground()
      const action = orders([order(asset, true, priceAt(field, '0.4'), sizeFor(attacker, '0.1'))])
      return await vetoedBothWays(attacker, action, ...codes)
    },
  }
}

const ids: readonly Attack[] = [
  wrong('not-listed', 'an id that no market has', 9_998, 'unknown_market'),
  wrong('spot', 'a spot market', 10_000, 'unsupported_market'),
  wrong('last-spot', 'the last spot id', 99_999, 'unsupported_market'),
  wrong('reserved', 'an id between spot and the builder dexes', 100_000, 'unknown_market'),
  wrong('last-reserved', 'the last id before the builder dexes', 109_999, 'unknown_market'),
  wrong('builder-dex', 'a market of a builder dex', 110_000, 'dex_not_allowed'),
  wrong('outcome', 'an outcome market', 100_000_000, 'unsupported_market'),
  wrong(
    'largest',
    'the largest id of 32 bits',
    4_294_967_295,
    'unsupported_market',
    'unknown_market',
  ),
  wrong('wrap-around', 'an id that wraps around to the first market', 4_294_967_296, 'malformed'),
  wrong('below-zero', 'an id below zero', -1, 'malformed'),
  wrong('fraction', 'an id with a fraction', 0.5, 'malformed'),
  wrong('text', 'an id as a text', '0', 'malformed'),
  wrong('name', 'a name instead of an id', 'BTC', 'malformed'),
  wrong('true', 'true, which some readers take for 1', true, 'malformed'),
  wrong('list', 'an id in a list', [0], 'malformed'),
  wrong('null', 'no id', null, 'malformed'),
]

const notAllowed = staysWithinRules(
  'markets',
  'not-in-the-rules',
  'a market that the rules do not name, alone and in one action with one that they do',
  async (attacker) => {
    const { forbidden } = attacker
    if (forbidden === null) throw new NotHere('the rules allow every market')
    const field = attacker.ground()
    const bad = order(forbidden.asset, true, priceAt(forbidden, '0.4'), '100')
    const alone = vetoed((await attacker.send(orders([bad]))).json, 'market_not_allowed')
    const good = order(field.asset, true, priceAt(field, '0.4'), sizeFor(attacker, '0.1'))
    await attacker.send(orders([good, bad]))
    await attacker.send({
      type: 'updateLeverage',
      asset: forbidden.asset,
      isCross: false,
      leverage: 1,
    })
    if ((await held(attacker)).some(({ coin }) => coin === forbidden.coin))
      breach(`a position in ${forbidden.coin}`)
    return alone
  },
)

const long: Attack = {
  group: 'markets',
  name: 'too-many-orders',
  tries: 'sixty-five orders in one action, and none at all',
  venue: 'nothing',
  run: async (attacker) => {
    const field = attacker.ground()
    const one = order(field.asset, true, priceAt(field, '0.4'), sizeFor(attacker, '0.1'))
    const many = await vetoedBothWays(
      attacker,
      orders(Array.from({ length: 65 }, () => one)),
      'malformed',
    )
    return `${many}, ${await vetoedBothWays(attacker, orders([]), 'malformed')}`
  },
}

export const marketAttacks: readonly Attack[] = [...ids, notAllowed, long]
