import { Decimal } from '../../../src/core/values/decimal.ts'
import { countInterest, reducible } from './account.ts'
import type { OrderRow, OrderTypeText, OrderView } from './views.ts'
import type { Account, LiveOrder, World } from './world.ts'

/** How an order comes to rest, changes and ends, and what is told of it. */

export function orderView(order: LiveOrder): OrderView {
  const { oid, isBuy, size, originalSize, timestamp, cloid, isReduceOnly, tif } = order
  return {
    asset: order.market.asset,
    coin: order.market.coin,
    isBuy,
    limitPrice: order.price,
    size,
    originalSize,
    oid,
    timestamp,
    cloid,
    isReduceOnly,
    trigger:
      order.trigger === null
        ? null
        : { ...order.trigger, condition: triggerCondition(order, order.trigger.price) },
    isPositionTpsl: order.isPositionTpsl,
    tif,
    orderType: orderTypeText(order),
    children: order.children.filter((child) => child.phase === 'waitingForFill').map(orderView),
  }
}

/** A stop sells below and buys above; a profit is taken the other way round. */
export function firesAbove(order: LiveOrder): boolean {
  return (order.trigger?.tpsl === 'tp') !== order.isBuy
}

function triggerCondition(order: LiveOrder, price: Decimal): string {
  return `Price ${firesAbove(order) ? 'above' : 'below'} ${price.toString()}`
}

function orderTypeText(order: LiveOrder): OrderTypeText {
  const { trigger, tif } = order
  if (order.isVaultClose === true) return 'Vault Close'
  if (trigger === null) {
    return tif === 'FrontendMarket' || tif === 'LiquidationMarket' ? 'Market' : 'Limit'
  }
  if (trigger.tpsl === 'tp') return trigger.isMarket ? 'Take Profit Market' : 'Take Profit Limit'
  return trigger.isMarket ? 'Stop Market' : 'Stop Limit'
}

/** Tells the account's listeners and its history of an order's new status. */
export function tellOrder(world: World, order: LiveOrder, status: string): void {
  if (!order.account.isHouse) tellView(world, order.account, orderView(order), status)
}

/** The same for an order of any kind of market, as it is shown. */
export function tellView(world: World, account: Account, order: OrderView, status: string): void {
  remember(account, { order, status, statusTimestamp: world.nowMs })
  const user = account.address
  world.events.push({ kind: 'order', user, order, status, at: world.nowMs })
}

function remember(account: Account, row: OrderRow): void {
  const dropped = account.history.push(row)
  account.rows.set(row.order.oid, row)
  if (row.order.cloid !== null) account.rowsByCloid.set(row.order.cloid, row)
  if (dropped === undefined) return
  const { oid, cloid } = dropped.order
  if (account.rows.get(oid) === dropped) account.rows.delete(oid)
  if (cloid !== null && account.rowsByCloid.get(cloid) === dropped) {
    account.rowsByCloid.delete(cloid)
  }
}

/** Puts an order on the account's list of open ones. */
export function register(order: LiveOrder): void {
  const { account } = order
  // A trigger that fired and rests is on the list already, at its place among those of its cloid.
  if (account.isHouse || account.orders.has(order.oid)) return
  account.orders.set(order.oid, order)
  if (order.cloid === null) return
  const twin = account.byCloid.get(order.cloid)
  if (twin !== undefined && twin !== order) {
    account.twins.set(order.cloid, [...(account.twins.get(order.cloid) ?? []), twin])
  }
  account.byCloid.set(order.cloid, order)
}

/** Takes an order from the list of open ones. */
export function unregister(order: LiveOrder): void {
  const { account } = order
  if (account.isHouse) return
  account.orders.delete(order.oid)
  if (order.cloid === null) return
  const older = (account.twins.get(order.cloid) ?? []).filter((each) => each !== order)
  if (account.byCloid.get(order.cloid) === order) {
    const next = older.pop()
    if (next === undefined) account.byCloid.delete(order.cloid)
    else account.byCloid.set(order.cloid, next)
  }
  if (older.length === 0) account.twins.delete(order.cloid)
  else account.twins.set(order.cloid, older)
}

export function rest(order: LiveOrder): void {
  order.phase = 'resting'
  order.market.book.add(order)
  order.market.isTouched = true
  countInterest(order, order.size)
  register(order)
}

export function watch(order: LiveOrder): void {
  order.phase = 'waitingForTrigger'
  order.market.watching.add(order)
  order.market.needsTriggers = true
  register(order)
}

/** Takes an order from wherever it waits; it stays on the list of open ones. */
export function detach(order: LiveOrder): void {
  if (order.phase === 'resting') {
    order.market.book.remove(order)
    order.market.isTouched = true
    countInterest(order, order.size.negated())
  }
  if (order.phase === 'waitingForTrigger') order.market.watching.delete(order)
}

/** Changes what is left of an order that may be resting. */
export function resize(order: LiveOrder, size: Decimal): void {
  if (order.phase === 'resting') {
    order.market.book.resize(order, size)
    order.market.isTouched = true
    countInterest(order, size.minus(order.size))
  }
  order.size = size
}

/** Takes a part of an order as filled; tells nothing yet. */
export function takeFill(order: LiveOrder, size: Decimal): void {
  order.filled = order.filled.plus(size)
  resize(order, Decimal.max(Decimal.zero, order.size.minus(size)))
}

/** Ends an order with its last status. Children of a parent that did not fill go with it. */
export function endOrder(world: World, order: LiveOrder, status: string): void {
  if (order.phase === 'done') return
  detach(order)
  order.phase = 'done'
  unregister(order)
  tellOrder(world, order, status)
  if (!order.account.isHouse) world.events.push({ kind: 'openOrders', user: order.account.address })
  endFamily(world, order, status)
}

function endFamily(world: World, order: LiveOrder, status: string): void {
  if (status === 'filled') {
    endSiblings(world, order)
    for (const child of order.children) if (child.phase === 'waitingForFill') activate(world, child)
  } else if (status === 'marginCanceled' && order.filled.isPositive()) {
    for (const child of order.children) if (child.phase === 'waitingForFill') activate(world, child)
  } else {
    for (const child of order.children) {
      if (child.phase === 'waitingForFill') endOrder(world, child, 'canceled')
    }
  }
  order.children = []
  order.siblings = []
}

/** The other children of a group, when one of them has filled. */
export function endSiblings(world: World, filled: LiveOrder): void {
  for (const sibling of filled.siblings) {
    if (sibling !== filled) endOrder(world, sibling, 'siblingFilledCanceled')
  }
}

/** A child begins to watch the mark. */
function activate(world: World, child: LiveOrder): void {
  const { parent } = child
  child.parent = null
  if (parent !== null && parent.phase === 'done' && !parent.size.isZero()) {
    if (world.options.marginCanceledChildSize === 'filled') child.size = parent.filled
  }
  watch(child)
  world.events.push({ kind: 'openOrders', user: child.account.address })
  endIdleChild(world, child)
}

/** The parent may only have made an opposite position smaller: then its child can reduce nothing. */
export function endIdleChild(world: World, child: LiveOrder): void {
  const { account, market, isBuy } = child
  if (child.phase !== 'waitingForTrigger' || !reducible(account, market, isBuy).isZero()) return
  endOrder(world, child, 'reduceOnlyCanceled')
}
