import type { JsonObject } from '../../../src/core/protocol/action.ts'
import type { Market } from '../../../src/core/protocol/market.ts'
import { bringBack, takeAway } from '../accounts/accountMoney.ts'
import { orders, times, triggerOrder } from '../wireOrders.ts'
import type { HabitDesk } from './habitDesk.ts'

/** Entries wait on both sides of a price, which breaks to one of them and then to the other. */
export function breakouts(desk: HabitDesk): void {
  const { chance } = desk
  const market = desk.anyMarket()
  const distance = chance.pick([0.007, 0.011, 0.02])
  for (const isBuy of [true, false]) {
    const entry = entryAt(desk, market, isBuy, distance)
    if (chance.is(0.4)) desk.ask(orders(entry))
    else desk.ask(orders(entry, stopOf(desk, market, isBuy, distance, String(entry['s']))))
  }
  let at = 250 + desk.pauseMs()
  desk.later(at, () => {
    trouble(desk)
  })
  const isUpFirst = chance.is(0.5)
  const far = distance * (1.05 + chance.next())
  for (const isUp of [isUpFirst, !isUpFirst]) {
    at += chance.is(0.3) ? 0 : chance.whole(0, 700)
    desk.later(at, () => {
      desk.movePrice(market, isUp ? (1 + far) / (isUpFirst ? 1 : 1 - far) : 1 - far)
    })
  }
}

/** Just before the price breaks out Guard dies, or the margin goes, or nothing happens. */
function trouble(desk: HabitDesk): void {
  const { chance, world } = desk
  const way = chance.next()
  if (way < 0.25) desk.down(chance.whole(300, 3_000))
  else if (way < 0.5) {
    world.touched('margin_gone')
    const taken = takeAway(world, chance.next())
    if (taken !== null) {
      world.time.after(chance.whole(200, 4_000), () => {
        bringBack(world, taken)
      })
    }
  }
}

function entryAt(desk: HabitDesk, market: Market, isBuy: boolean, distance: number): JsonObject {
  const trigger = desk.away(market, isBuy, distance)
  const limit = times(market, trigger, isBuy ? 1.004 : 0.996)
  const size = desk.sizeOf(market, desk.chance.whole(300, 9_000))
  return {
    ...{ a: market.asset, b: isBuy, p: limit.toString(), s: size.toString(), r: false },
    t: { trigger: { isMarket: true, triggerPx: trigger.toString(), tpsl: 'sl' } },
  }
}

function stopOf(
  desk: HabitDesk,
  market: Market,
  isBuy: boolean,
  distance: number,
  size: string,
): JsonObject {
  const stop = times(market, desk.away(market, isBuy, distance), isBuy ? 0.985 : 1.015)
  return { ...triggerOrder(market, !isBuy, stop, desk.sizeOf(market, 100)), s: size }
}
