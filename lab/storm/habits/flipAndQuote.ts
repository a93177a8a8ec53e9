import type { Market } from '../../../src/core/protocol/market.ts'
import { limitOrder, orders } from '../wireOrders.ts'
import type { HabitDesk } from './habitDesk.ts'

/** Orders that would turn a position around, and quotes on both sides of the price. */
export function flipAndQuote(desk: HabitDesk): void {
  const { chance } = desk
  if (chance.is(0.5)) quote(desk)
  else {
    desk.withPosition(({ size }, market) => {
      const isBuy = size.isNegative()
      const larger = desk.partOf(market, size.abs(), 1.1 + chance.next() * 2)
      const isTaking = chance.is(0.5)
      const price = isTaking ? desk.away(market, isBuy, 0.004) : desk.mid(market)
      const order = limitOrder(market, isBuy, price, larger, isTaking ? 'Ioc' : 'Gtc')
      desk.ask(orders(order))
      if (chance.is(0.4)) desk.ask(orders(order))
      desk.later(desk.pauseMs(), () => {
        takeAt(desk, market)
      })
    })
  }
}

/** Both sides, in one action or in two; the market takes some of it, and the bot quotes again. */
function quote(desk: HabitDesk): void {
  const { chance } = desk
  const market = desk.anyMarket()
  const usd = chance.whole(500, 15_000)
  const both = (): void => {
    const isInside = chance.is(0.5)
    const [one, other] = [true, false].map((isBuy) =>
      isInside && isBuy
        ? desk.inside(market, isBuy, usd)
        : desk.resting(market, isBuy, usd, 0.001 + chance.next() * 0.003),
    )
    if (one === undefined || other === undefined) return
    if (chance.is(0.5)) desk.ask(orders(one, other))
    else {
      desk.ask(orders(one))
      desk.ask(orders(other))
    }
  }
  let at = 0
  for (let left = chance.whole(1, 3); left > 0; left -= 1) {
    desk.later(at, both)
    at += desk.pauseMs()
    desk.later(at, () => {
      takeAt(desk, market)
    })
    at += desk.pauseMs()
  }
}

function takeAt(desk: HabitDesk, market: Market): void {
  for (const order of [...desk.entries(), ...desk.exits(market.coin)]) {
    if (order.coin === market.coin) desk.marketTakes(order, 0.3 + desk.chance.next() * 0.7)
  }
}
