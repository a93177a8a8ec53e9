import type { Json } from '../../src/core/protocol/action.ts'
import { roundSizeDown } from '../../src/core/protocol/grid.ts'
import type { Market } from '../../src/core/protocol/market.ts'
import { Decimal } from '../../src/core/values/decimal.ts'
import { pickAt } from './chance.ts'
import type { FaultKind } from './faultKinds.ts'
import type { Dice } from './step.ts'
import { limitOrder, orders, times, triggerOrder } from './wireOrders.ts'
import { user } from './keys.ts'
import type { World } from './world.ts'

/** Beside so many open orders the venue takes no stop and no close. */
const crowdOf = 1_000
const ordersInAction = 100
/** The requests that the venue gives an address before it has traded anything. */
const allowanceAtFirst = 10_000
/** What somebody opens at once by hand, in USD, and how often: more than one order may be worth. */
const largePart = 1_500_000
const largeParts = 2

/** The venue's own limits, each met from outside; true when it was one of these. */
export function strikeLimits(world: World, fault: FaultKind, dice: Dice): boolean {
  const [place, first, second] = dice
  const market = pickAt(world.sim.venue.markets(), place)
  const forMs = Math.floor(1_000 + second * 8_000)
  switch (fault) {
    case 'outside_crowd':
      return crowd(world, market)
    case 'outside_large':
      return openLarge(world, first < 0.5)
    case 'price_band':
      return partBand(world, market, first < 0.5 ? 0.15 : 8, forMs)
    case 'allowance_spent':
      world.control('allowance', { user, cap: 0, used: 1_000_000_000 })
      return later(world, fault, forMs, () => {
        world.control('allowance', { user, cap: allowanceAtFirst, used: 0 })
      })
    case 'day_spent':
      world.control('allowance', { user, daily_actions: 50_000 })
      return later(world, fault, forMs, () => {
        world.control('allowance', { user, daily_actions: 0 })
      })
    default:
      return false
  }
}

/** Take profits of a position, or entries far away, until the venue takes no stop any more. */
function crowd(world: World, market: Market): boolean {
  const { venue } = world.sim
  const [position] = venue.perpState(user).positions
  const held = position === undefined ? null : venue.market(position.coin)
  const missing = crowdOf - venue.openOrders(user).length
  for (let left = missing; left > 0; left -= ordersInAction) {
    const count = Math.min(left, ordersInAction)
    const one =
      position === undefined || held === null
        ? farEntry(world, market)
        : takeProfit(world, held, position.size)
    act(world, orders(...Array.from({ length: count }, () => one)))
  }
  return true
}

function farEntry(world: World, market: Market): ReturnType<typeof limitOrder> {
  const price = times(market, midOf(world, market), 0.6)
  const size = roundSizeDown(market, Decimal.whole(11).over(price, 8, 'up'))
  return limitOrder(market, true, price, size, 'Gtc')
}

function takeProfit(world: World, market: Market, size: Decimal): ReturnType<typeof triggerOrder> {
  const isLong = size.isPositive()
  const trigger = times(market, midOf(world, market), isLong ? 1.5 : 0.5)
  return triggerOrder(market, !isLong, trigger, size.abs(), 'tp')
}

/** With a deposit, a position on the market whose orders may be worth least. */
function openLarge(world: World, isBuy: boolean): boolean {
  const { venue } = world.sim
  const [market] = [...venue.markets()].sort((one, two) => one.maxLeverage - two.maxLeverage)
  if (market === undefined) return true
  world.control('flow', { user, amount: '2000000' })
  const mid = midOf(world, market)
  const size = roundSizeDown(market, Decimal.whole(largePart).over(mid, 8, 'down'))
  const limit = times(market, mid, isBuy ? 1.05 : 0.95)
  for (let at = 0; at < largeParts; at += 1) {
    act(world, orders(limitOrder(market, isBuy, limit, size, 'Ioc')))
  }
  return true
}

/** The oracle parts from the mark, which a venue may measure its band from, and comes back. */
function partBand(world: World, market: Market, factor: number, forMs: number): boolean {
  const mid = midOf(world, market)
  const oracle = times(market, mid, factor)
  if (!oracle.isPositive()) return true
  world.control('price', {
    ...{ coin: market.coin, mid: mid.toString(), mark: mid.toString(), oracle: oracle.toString() },
  })
  return later(world, 'price_band', forMs, () => {
    const now = midOf(world, market).toString()
    world.control('price', { coin: market.coin, mid: now })
  })
}

function midOf(world: World, market: Market): Decimal {
  return world.sim.venue.mids().get(market.coin) ?? Decimal.one
}

/** Ends a fault; only from then on the world is calm again. */
function later(world: World, fault: string, forMs: number, end: () => void): boolean {
  world.limitedUntil = Math.max(world.limitedUntil, world.time.elapsed + forMs)
  world.time.after(forMs, () => {
    world.trace.say(`${fault} ends`)
    end()
  })
  return true
}

function act(world: World, action: Json): void {
  world.venueSide.byHand(() => {
    world.control('act', { user, action })
  })
}
