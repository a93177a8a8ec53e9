import type { Json, JsonObject } from '../../../src/core/protocol/action.ts'
import type { Market } from '../../../src/core/protocol/market.ts'
import type { Decimal } from '../../../src/core/values/decimal.ts'
import type { OrderView } from '../../sim/engine/views.ts'
import { user } from '../keys.ts'
import { perpOrders } from '../wholeAccount.ts'
import { group, orders, times, triggerOrder } from '../wireOrders.ts'
import type { HabitDesk } from './habitDesk.ts'

/** Breakouts and bought dips: entries that wait for a trigger, which the price then reaches or not. */
export function triggerEntries(desk: HabitDesk): void {
  const { chance } = desk
  const market = desk.anyMarket()
  const isBuy = chance.is(0.5)
  desk.ask(entryFor(desk, market, isBuy))
  if (chance.is(0.3)) desk.ask(entryFor(desk, market, !isBuy))
  let at = 200 + desk.pauseMs()
  for (let left = chance.whole(1, 3); left > 0; left -= 1) {
    desk.later(at, () => {
      goOn(desk, market)
    })
    at += desk.pauseMs()
  }
}

/** One that waits some way from the price: alone, with a stop beside it, or as the head of a group. */
function entryFor(desk: HabitDesk, market: Market, isBuy: boolean): Json {
  const { chance } = desk
  const tpsl = chance.is(0.7) ? 'sl' : 'tp'
  const isAbove = isBuy === (tpsl === 'sl')
  const distance = chance.pick([0.002, 0.007, 0.012, 0.03])
  const trigger = desk.away(market, isAbove, distance)
  const size = desk.sizeOf(market, chance.whole(300, 9_000))
  const entry = waiting(desk, market, isBuy, trigger, size, tpsl)
  if (chance.is(0.5)) return orders(entry)
  const stop = times(market, trigger, isBuy ? 0.985 : 1.015)
  const protecting = triggerOrder(market, !isBuy, stop, size)
  return chance.is(0.5) ? orders(entry, protecting) : group(entry, protecting)
}

function waiting(
  { chance }: HabitDesk,
  market: Market,
  isBuy: boolean,
  trigger: Decimal,
  size: Decimal,
  tpsl: 'sl' | 'tp',
): JsonObject {
  const room = chance.pick([0.001, 0.004, 0.05])
  const price = times(market, trigger, isBuy ? 1 + room : 1 - room)
  const isMarket = chance.is(0.8)
  const t = { trigger: { isMarket, triggerPx: trigger.toString(), tpsl } }
  const c = `0x${chance.whole(1, 1_000_000).toString(16).padStart(32, '0')}`
  const order = { a: market.asset, b: isBuy, p: price.toString(), s: size.toString(), r: false, t }
  return chance.is(0.4) ? { ...order, c } : order
}

/** What becomes of those that wait: the price comes, they are moved or cancelled, or Guard dies. */
function goOn(desk: HabitDesk, market: Market): void {
  const { chance } = desk
  const waits = perpOrders(desk.venue, user).filter(
    ({ isReduceOnly, trigger }) => !isReduceOnly && trigger !== null,
  )
  const way = chance.next()
  if (way < 0.5) {
    if (chance.is(0.15)) desk.down(chance.whole(500, 3_000))
    desk.later(chance.whole(0, 300), () => {
      desk.movePrice(market, 1 + chance.pick([-0.014, -0.008, 0.008, 0.014]))
    })
  } else if (waits.length > 0) {
    const one = chance.pick(waits)
    if (way < 0.7) cancel(desk, one)
    else desk.ask({ type: 'modify', oid: one.oid, order: moved(desk, one) })
  }
}

function cancel(desk: HabitDesk, { coin, oid }: OrderView): void {
  desk.ask({ type: 'cancel', cancels: [{ a: desk.marketOf(coin).asset, o: oid }] })
}

/** Somewhere else on the same side of the price. */
function moved(desk: HabitDesk, { coin, isBuy, size, trigger }: OrderView): JsonObject {
  const market = desk.marketOf(coin)
  const at = trigger?.price ?? desk.mid(market)
  const further = at.gt(desk.mid(market)) ? 1.004 : 0.996
  return waiting(desk, market, isBuy, times(market, at, further), size, trigger?.tpsl ?? 'sl')
}
