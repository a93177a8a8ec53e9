import type { Json, JsonObject } from '../../../src/core/protocol/action.ts'
import { roundPrice, roundSizeDown } from '../../../src/core/protocol/grid.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'
import type { SpotPairView } from '../../sim/engine/spot/spotViews.ts'
import { tokenDecimals } from '../../sim/engine/spotPairs.ts'
import type { OrderView } from '../../sim/engine/views.ts'
import { user } from '../keys.ts'
import { orders, share } from '../wireOrders.ts'
import type { HabitDesk } from './habitDesk.ts'

/** Spot pairs are numbered from here on. */
const firstAsset = 10_000

/** Tokens that are held are sold, too much of them asked for, and what rests of it is changed or goes. */
export function spotSells(desk: HabitDesk): void {
  const { chance } = desk
  let at = 0
  for (let left = chance.whole(1, 4); left > 0; left -= 1) {
    desk.later(at, () => {
      desk.ask(nextOf(desk))
    })
    at += desk.pauseMs()
  }
}

function nextOf(desk: HabitDesk): Json {
  const { chance } = desk
  const resting = chance.is(0.45) ? restingSells(desk) : []
  if (resting.length === 0) {
    const pair = anyPair(desk)
    const count = chance.is(0.2) ? 2 : 1
    return orders(...Array.from({ length: count }, () => sellOf(desk, pair)))
  }
  const order = chance.pick(resting)
  const pair = pairOf(desk, order)
  if (chance.is(0.5)) return { type: 'cancel', cancels: [{ a: assetOf(pair), o: order.oid }] }
  return { type: 'modify', oid: order.oid, order: sellOf(desk, pair) }
}

/** A sell of a part of what is held, or of more; a few are what may not pass. */
function sellOf(desk: HabitDesk, pair: SpotPairView): JsonObject {
  const { chance } = desk
  const { base } = pair.pair
  const grid = { sizeDecimals: tokenDecimals[base], kind: 'spot' as const }
  const held = desk.venue.spotState(user).tokens.get(base) ?? Decimal.one
  const part = chance.pick([0.05, 0.2, 0.5, 1, 1.5])
  const size = roundSizeDown(grid, held.times(share(part)))
  const away = chance.pick([0.97, 0.99, 1.01, 1.04])
  const price = roundPrice(grid, pair.price.times(share(away)), 'floor')
  return {
    ...{ a: assetOf(pair), b: chance.is(0.1), p: price.toString(), s: size.toString() },
    ...{ r: chance.is(0.05), t: { limit: { tif: chance.pick(['Gtc', 'Gtc', 'Ioc', 'Alo']) } } },
  }
}

function restingSells(desk: HabitDesk): readonly OrderView[] {
  return desk.venue
    .openOrders(user)
    .filter(({ coin, isBuy }) => !isBuy && desk.venue.market(coin) === null)
}

function anyPair(desk: HabitDesk): SpotPairView {
  const { tokens } = desk.venue.spotState(user)
  const held = desk.venue.spotPairs().filter(({ pair }) => tokens.has(pair.base))
  return desk.chance.pick(held.length > 0 ? held : desk.venue.spotPairs())
}

function pairOf(desk: HabitDesk, { coin }: OrderView): SpotPairView {
  const found = desk.venue.spotPairs().find(({ pair }) => pair.name === coin)
  return found ?? anyPair(desk)
}

function assetOf({ pair }: SpotPairView): number {
  return firstAsset + pair.index
}
