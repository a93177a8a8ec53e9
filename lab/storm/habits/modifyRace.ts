import type { JsonObject } from '../../../src/core/protocol/action.ts'
import type { OrderView } from '../../sim/engine/views.ts'
import { limitOrder, orders, times } from '../wireOrders.ts'
import type { HabitDesk } from './habitDesk.ts'

/** Resting entries are modified while the market takes a part of them. */
export function modifyRace(desk: HabitDesk): void {
  const { chance } = desk
  const market = desk.anyMarket()
  const isBuy = chance.is(0.5)
  const c = `0x${chance.whole(1, 1_000_000).toString(16).padStart(32, '0')}`
  const isNamed = chance.is(0.5)
  const entry = desk.inside(market, isBuy, chance.whole(4_000, 25_000))
  desk.ask(orders(isNamed ? { ...entry, c } : entry))
  let at = 250 + desk.pauseMs()
  for (let left = chance.whole(1, 3); left > 0; left -= 1) {
    desk.later(at, () => {
      race(desk)
    })
    at += desk.pauseMs()
  }
}

function race(desk: HabitDesk): void {
  const { chance } = desk
  const entries = desk.entries()
  if (entries.length === 0) return
  const one = chance.pick(entries)
  const slowMs = chance.is(0.4) ? chance.whole(30, 900) : 0
  if (slowMs > 0) desk.world.net.arm('request_slow', 1, 400, slowMs)
  const part = 0.2 + chance.next() * 0.75
  desk.later(chance.whole(0, 25 + slowMs), () => {
    desk.marketTakes(one, part)
  })
  const ref = (order: OrderView): number | string =>
    order.cloid !== null && chance.is(0.5) ? order.cloid : order.oid
  if (chance.is(0.6)) desk.ask({ type: 'modify', oid: ref(one), order: moved(desk, one) })
  else {
    const some = [one, ...entries.filter((each) => each !== one && chance.is(0.5))]
    const modifies = some.map((each) => ({ oid: ref(each), order: moved(desk, each) }))
    desk.ask({ type: 'batchModify', modifies })
  }
}

/** Somewhere near, as large or larger. */
function moved(desk: HabitDesk, order: OrderView): JsonObject {
  const { chance } = desk
  const market = desk.marketOf(order.coin)
  const passive = chance.next() * 0.01
  const price = times(market, desk.mid(market), order.isBuy ? 1 - passive : 1 + passive)
  const size = desk.partOf(market, order.size, chance.pick([1, 1, 1.5, 2, 0.7]))
  const plain = limitOrder(market, order.isBuy, price, size, 'Gtc')
  return order.cloid !== null && chance.is(0.7) ? { ...plain, c: order.cloid } : plain
}
