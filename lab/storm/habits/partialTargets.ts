import { group, triggerOrder } from '../wireOrders.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'
import type { HabitDesk } from './habitDesk.ts'

/** Groups whose take profits are smaller than their entry; the price then reaches one of them. */
export function partialTargets(desk: HabitDesk): void {
  const { chance } = desk
  const market = desk.anyMarket()
  const isBuy = chance.is(0.5)
  const usd = chance.whole(1_000, 8_000)
  const entry = chance.is(0.6) ? desk.taking(market, isBuy, usd) : desk.inside(market, isBuy, usd)
  const size = Decimal.of(String(entry['s']))
  const stop = triggerOrder(market, !isBuy, desk.away(market, isBuy, -0.008), size)
  const targets = Array.from({ length: chance.whole(1, 3) }, (_, nth) => {
    const part = desk.partOf(market, size, chance.pick([0.01, 0.3, 0.5, 1]))
    return triggerOrder(market, !isBuy, desk.away(market, isBuy, 0.004 * (nth + 1)), part, 'tp')
  })
  desk.ask(group(entry, stop, ...targets))
  desk.thenWith(market, (held) => {
    // What was refused in the group is sent once the entry has filled.
    const isLong = held.size.isPositive()
    const part = desk.partOf(market, held.size.abs(), 0.3)
    const target = desk.away(market, isLong, 0.004)
    desk.ask({
      ...{ type: 'order', grouping: 'na' },
      orders: [triggerOrder(market, !isLong, target, part, 'tp')],
    })
    if (chance.is(0.3)) desk.down(chance.whole(500, 2_000))
    desk.later(desk.pauseMs(), () => {
      desk.movePrice(market, isLong ? 1.006 : 0.994)
    })
  })
}
