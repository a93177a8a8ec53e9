import { group, limitOrder, triggerOrder } from '../wireOrders.ts'
import type { HabitDesk } from './habitDesk.ts'

/** A close in a group: a reduce-only order with a stop and a target that wait for its fill. */
export function exitGroups(desk: HabitDesk): void {
  const { chance } = desk
  desk.withPosition((held, market) => {
    const isLong = held.size.isPositive()
    const size = desk.partOf(market, held.size.abs(), chance.pick([0.3, 0.6, 1]))
    const price = chance.is(0.7) ? desk.away(market, isLong, 0.01) : desk.mid(market)
    const exit = { ...limitOrder(market, !isLong, price, size, 'Gtc'), r: true }
    const stop = triggerOrder(market, !isLong, desk.away(market, isLong, -0.003), size)
    const target = triggerOrder(market, !isLong, desk.away(market, isLong, 0.02), size, 'tp')
    desk.ask(group(exit, stop, ...(chance.is(0.5) ? [target] : [])))
    desk.later(desk.pauseMs(), () => {
      for (const order of desk.exits(market.coin)) {
        if (chance.is(0.5)) desk.marketTakes(order, 0.2 + chance.next())
      }
      const now = desk.positionOn(market.coin)
      const [tightest] = now === null ? [] : desk.stopsOf(now)
      if (tightest === undefined || chance.is(0.5)) return
      desk.ask({ type: 'cancel', cancels: [{ a: market.asset, o: tightest.oid }] })
    })
  })
}
