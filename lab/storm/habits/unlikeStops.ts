import { group, triggerOrder } from '../wireOrders.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'
import { builderMarkets } from '../wholeAccount.ts'
import type { HabitDesk } from './habitDesk.ts'

/** The markets of the dex that most rules name. */
const firstDexSize = 3

/** Entries of one market whose stops are very unlike, a leverage that goes down beside them, and fills. */
export function unlikeStops(desk: HabitDesk): void {
  const { chance } = desk
  const onDexes = builderMarkets(desk.venue).slice(0, firstDexSize)
  const market = onDexes.length === 0 ? desk.anyMarket() : chance.pick(onDexes)
  const isBuy = chance.is(0.5)
  const stopsAt = [0.004 + chance.next() * 0.01, 0.15 + chance.next() * 0.2]
  if (chance.is(0.5)) stopsAt.reverse()
  let at = 0
  for (const distance of stopsAt) {
    const usd = chance.whole(50, 3_000)
    const isTaking = chance.is(0.3)
    desk.later(at, () => {
      const entry = isTaking
        ? desk.taking(market, isBuy, usd)
        : desk.resting(market, isBuy, usd, 0.004)
      const stop = desk.away(market, isBuy, -0.004 - distance)
      const size = Decimal.of(String(entry['s']))
      desk.ask(group(entry, triggerOrder(market, !isBuy, stop, size)))
    })
    at += desk.pauseMs()
  }
  desk.later(at, () => {
    const leverage = chance.whole(1, 2)
    desk.ask({ type: 'updateLeverage', asset: market.asset, isCross: false, leverage })
  })
  desk.later(at + desk.pauseMs(), () => {
    for (const order of desk.entries()) {
      if (order.coin === market.coin) desk.marketTakes(order, chance.pick([0.3, 1]))
    }
  })
}
