import type { Json } from '../../../src/core/protocol/action.ts'
import type { Market } from '../../../src/core/protocol/market.ts'
import { user } from '../keys.ts'
import type { HabitDesk } from './habitDesk.ts'

/** Positions that are built and left slice by slice, which the venue goes on with whoever is there. */
export function twaps(desk: HabitDesk): void {
  const { chance } = desk
  const market = desk.anyMarket()
  const isBuy = chance.is(0.5)
  desk.ask(twapFor(desk, market, isBuy))
  if (chance.is(0.2)) desk.ask(twapFor(desk, market, !isBuy))
  let at = 200 + desk.pauseMs()
  for (let left = chance.whole(1, 3); left > 0; left -= 1) {
    desk.later(at, () => {
      goOn(desk, market)
    })
    at += desk.pauseMs()
  }
}

/** At once or from a price on, with an end of its own or none. */
function twapFor(desk: HabitDesk, market: Market, isBuy: boolean): Json {
  const { chance } = desk
  const size = desk.sizeOf(market, chance.whole(150, 6_000)).toString()
  const twap = {
    ...{ a: market.asset, b: isBuy, s: size, r: false },
    ...{ m: chance.whole(5, 9), t: chance.is(0.3) },
  }
  const isAbove = chance.is(0.5)
  const p = desk.away(market, isAbove, chance.pick([0.002, 0.008, 0.02])).toString()
  const end = desk.away(market, isBuy, chance.pick([0.025, 0.06])).toString()
  const details = {
    t: chance.is(0.3) ? { p, a: isAbove } : null,
    s: chance.is(0.4) ? end : null,
  }
  return details.t === null && details.s === null
    ? { type: 'twapOrder', twap }
    : { type: 'twapOrder', twap, details }
}

/** What becomes of those that run: cancelled, reduced, met by a price, or Guard dies. */
function goOn(desk: HabitDesk, market: Market): void {
  const { chance } = desk
  const running = desk.venue.twaps(user)
  const way = chance.next()
  if (way < 0.35) {
    if (chance.is(0.3)) desk.down(chance.whole(500, 3_000))
    desk.later(chance.whole(0, 300), () => {
      desk.movePrice(market, 1 + chance.pick([-0.024, -0.009, 0.009, 0.024]))
    })
  } else if (way < 0.6 && running.length > 0) {
    const { coin, twapId } = chance.pick(running)
    const market = chance.is(0.25) ? desk.anyMarket() : desk.marketOf(coin)
    desk.ask({ type: 'twapCancel', a: market.asset, t: twapId })
  } else desk.ask(reducing(desk, market))
}

/** Out of what is held, or of what may be. */
function reducing(desk: HabitDesk, market: Market): Json {
  const { chance } = desk
  const held = desk.positionOn(market.coin)
  const size = held?.size.abs() ?? desk.sizeOf(market, 500)
  const b = held === null ? chance.is(0.5) : held.size.isNegative()
  const twap = { a: market.asset, b, s: size.toString(), r: chance.is(0.8), m: 5, t: false }
  return { type: 'twapOrder', twap }
}
