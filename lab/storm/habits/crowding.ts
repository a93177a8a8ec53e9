import type { JsonObject } from '../../../src/core/protocol/action.ts'
import { orders, triggerOrder } from '../wireOrders.ts'
import type { HabitDesk } from './habitDesk.ts'

/** Many small orders at once, of every kind that rests, until no more may be open. */
export function crowding(desk: HabitDesk): void {
  const { chance } = desk
  const market = desk.anyMarket()
  const isBuy = chance.is(0.5)
  const many = (count: number, one: (nth: number) => JsonObject): void => {
    const list = Array.from({ length: count }, (_, nth) => one(nth))
    if (chance.is(0.5)) desk.ask(orders(...list))
    else for (const each of list) desk.ask(orders(each))
  }
  const kind = chance.whole(0, 2)
  if (kind === 0) {
    many(chance.whole(4, 10), (nth) => desk.resting(market, isBuy, 40, 0.002 + nth * 0.001))
    return
  }
  desk.withPosition((held, on) => {
    const isLong = held.size.isPositive()
    const part = desk.partOf(on, held.size.abs(), 0.2)
    many(chance.whole(4, 10), (nth) => {
      const distance = 0.01 + nth * 0.001
      return kind === 1
        ? triggerOrder(on, !isLong, desk.away(on, isLong, distance), part, 'tp')
        : triggerOrder(on, !isLong, desk.away(on, isLong, -distance), part)
    })
    desk.later(desk.pauseMs(), () => {
      desk.ask(orders(desk.taking(on, isLong, 2_000)))
    })
  })
}
