import { orders, triggerOrder } from '../wireOrders.ts'
import type { HabitDesk } from './habitDesk.ts'

/** Looser stops are placed in steps, each beside the one before it, and then the tight ones go. */
export function looserSteps(desk: HabitDesk): void {
  const { chance } = desk
  desk.withPosition((held, market) => {
    const isLong = held.size.isPositive()
    const size = held.size.abs()
    let at = 0
    for (let nth = 1; nth <= chance.whole(1, 3); nth += 1) {
      const distance = 0.01 * nth + chance.next() * 0.02
      const part = chance.is(0.3) ? desk.partOf(market, size, 0.5) : size
      desk.later(at, () => {
        const trigger = desk.away(market, isLong, -distance)
        desk.ask(orders(triggerOrder(market, !isLong, trigger, part)))
      })
      at += desk.pauseMs()
    }
    desk.later(at, () => {
      dropTightest(desk, market.coin)
    })
  })
}

/** Cancels, or loosens by a modify, one or some of the tightest stops. */
function dropTightest(desk: HabitDesk, coin: Parameters<HabitDesk['positionOn']>[0]): void {
  const { chance } = desk
  const held = desk.positionOn(coin)
  if (held === null) return
  const market = desk.marketOf(coin)
  const stops = desk.stopsOf(held)
  const [tightest] = stops
  if (tightest === undefined) return
  if (chance.is(0.3)) {
    const isLong = held.size.isPositive()
    const order = triggerOrder(market, !isLong, desk.away(market, isLong, -0.03), held.size.abs())
    desk.ask({ type: 'modify', oid: tightest.oid, order })
    return
  }
  const some = stops.slice(0, chance.whole(1, Math.max(1, stops.length - 1)))
  desk.ask({ type: 'cancel', cancels: some.map(({ oid }) => ({ a: market.asset, o: oid })) })
}
