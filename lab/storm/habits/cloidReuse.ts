import type { JsonObject } from '../../../src/core/protocol/action.ts'
import type { Market } from '../../../src/core/protocol/market.ts'
import { orders } from '../wireOrders.ts'
import type { HabitDesk } from './habitDesk.ts'

const ids = ['a1', 'a2'].map((tail) => `0x${tail.padStart(32, '0')}`)

/** One client order id on several orders, in every way that there is. */
export function cloidReuse(desk: HabitDesk): void {
  const { chance } = desk
  const c = chance.pick(ids)
  const market = desk.anyMarket()
  const isBuy = chance.is(0.5)
  const named = (): JsonObject => ({ ...entry(desk, market, isBuy), c })
  const way = chance.whole(0, 4)
  // One of them is on its way for long, while the others with its id come and go.
  if (chance.is(0.5)) desk.world.net.arm('request_slow', 1, 300, chance.whole(100, 1_900))
  if (way === 0) for (let left = chance.whole(2, 5); left > 0; left -= 1) desk.ask(orders(named()))
  if (way === 1) desk.ask(orders(...Array.from({ length: chance.whole(2, 4) }, named)))
  if (way === 2) oneAfterTheOther(desk, named)
  if (way === 3) {
    const other = desk.anyMarket()
    desk.ask(orders(named()))
    desk.ask(orders({ ...entry(desk, other, chance.is(0.5)), c }))
  }
  if (way === 4) byItsId(desk, market, c, named)
  desk.later(chance.whole(30, 900), () => {
    useRoom(desk)
  })
}

function entry(desk: HabitDesk, market: Market, isBuy: boolean): JsonObject {
  const { chance } = desk
  const usd = chance.whole(1_000, 25_000)
  const kind = chance.whole(0, 2)
  if (kind === 0) return desk.taking(market, isBuy, usd)
  if (kind === 1) return desk.inside(market, isBuy, usd)
  return desk.resting(market, isBuy, usd, 0.002 + chance.next() * 0.02)
}

/** Beside the first that rests, or after it has ended. */
function oneAfterTheOther(desk: HabitDesk, named: () => JsonObject): void {
  let at = 0
  for (let left = desk.chance.whole(2, 4); left > 0; left -= 1) {
    desk.later(at, () => {
      desk.ask(orders(named()))
    })
    at += desk.pauseMs()
  }
}

/** Cancels or modifies by the id, while several may have it. */
function byItsId(desk: HabitDesk, market: Market, c: string, named: () => JsonObject): void {
  desk.ask(orders(named()))
  desk.ask(orders(named()))
  desk.later(desk.pauseMs(), () => {
    if (desk.chance.is(0.5)) {
      desk.ask({ type: 'cancelByCloid', cancels: [{ asset: market.asset, cloid: c }] })
    } else desk.ask({ type: 'modify', oid: c, order: named() })
    desk.ask(orders(named()))
  })
}

/** The market takes a part of whatever rests where it can, and a bot asks for all that is left. */
function useRoom(desk: HabitDesk): void {
  const { chance } = desk
  for (const order of desk.entries()) {
    if (chance.is(0.6)) desk.marketTakes(order, 0.2 + chance.next())
  }
  for (let left = chance.whole(0, 3); left > 0; left -= 1) {
    desk.ask(orders(desk.taking(desk.anyMarket(), chance.is(0.5), 25_000)))
  }
}
