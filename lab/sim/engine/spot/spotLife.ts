import { Decimal } from '../../../../src/core/values/decimal.ts'
import { tellView } from '../orderLife.ts'
import type { OrderTypeText, OrderView } from '../views.ts'
import type { Account, SpotOrder, World } from '../world.ts'

/** How a spot order comes to rest, changes and ends, and what is told of it. */

export function spotOrderView(order: SpotOrder): OrderView {
  const { market, trigger } = order
  return {
    ...{ asset: market.asset, coin: market.coin, isBuy: order.isBuy, limitPrice: order.price },
    ...{ size: order.size, originalSize: order.originalSize, oid: order.oid },
    ...{ timestamp: order.timestamp, cloid: order.cloid, isReduceOnly: order.isReduceOnly },
    trigger:
      trigger === null
        ? null
        : {
            ...trigger,
            condition: `Price ${waitsForRise(order) ? 'above' : 'below'} ${trigger.price.toString()}`,
          },
    ...{ isPositionTpsl: false, tif: order.tif, orderType: typeText(order), children: [] },
  }
}

function typeText({ trigger, tif }: SpotOrder): OrderTypeText {
  if (trigger === null) return tif === 'FrontendMarket' ? 'Market' : 'Limit'
  if (trigger.tpsl === 'tp') return trigger.isMarket ? 'Take Profit Market' : 'Take Profit Limit'
  return trigger.isMarket ? 'Stop Market' : 'Stop Limit'
}

/** A stop sells when the price falls and buys when it rises; a profit is taken the other way. */
export function waitsForRise({ trigger, isBuy }: SpotOrder): boolean {
  return trigger?.tpsl === 'sl' ? isBuy : !isBuy
}

export function tellSpot(world: World, order: SpotOrder, status: string): void {
  if (!order.account.isHouse) tellView(world, order.account, spotOrderView(order), status)
}

export function restSpot(world: World, order: SpotOrder): void {
  order.phase = 'resting'
  order.market.book.add(order)
  list(world, order)
}

export function watchSpot(world: World, order: SpotOrder): void {
  order.phase = 'waitingForTrigger'
  order.market.watching.add(order)
  list(world, order)
}

function list(world: World, order: SpotOrder): void {
  const { account, market } = order
  market.isTouched = true
  account.spotOrders.set(order.oid, order)
  tellSpot(world, order, 'open')
  tellChanged(world, account)
}

/** Takes it from wherever it waits; it stays on the list of open ones. */
export function detachSpot(order: SpotOrder): void {
  const { market } = order
  if (order.phase === 'resting') market.book.remove(order)
  market.watching.delete(order)
  market.isTouched = true
}

export function endSpot(world: World, order: SpotOrder, status: string): void {
  if (order.phase === 'done') return
  detachSpot(order)
  order.phase = 'done'
  if (order.account.isHouse) return
  order.account.spotOrders.delete(order.oid)
  tellSpot(world, order, status)
  tellChanged(world, order.account)
}

/** What rests holds a balance back, so a change of it is one of the account. */
function tellChanged(world: World, { address: user }: Account): void {
  world.events.push({ kind: 'openOrders', user }, { kind: 'account', user })
}

/** Takes a part of an order as filled; tells nothing yet. */
export function takeSpotFill(order: SpotOrder, size: Decimal): void {
  const left = Decimal.max(Decimal.zero, order.size.minus(size))
  if (order.phase === 'resting') order.market.book.resize(order, left)
  order.filled = order.filled.plus(size)
  order.size = left
  order.market.isTouched = true
}

/** The open order that a number or a client's id names, the newest of several. */
export function openSpotOrder(
  account: Account,
  ref: { readonly oid: number } | { readonly cloid: string },
): SpotOrder | undefined {
  if ('oid' in ref) return account.spotOrders.get(ref.oid)
  return [...account.spotOrders.values()].filter(({ cloid }) => cloid === ref.cloid).at(-1)
}

/** Ends every spot order of an account, each with this status. */
export function endAllSpot(world: World, account: Account, status: string): void {
  for (const order of [...account.spotOrders.values()].reverse()) endSpot(world, order, status)
}
