import type { Json, Order, OrderAction } from '../../../src/core/protocol/action.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'
import { positionSize } from './account.ts'
import { marketOf } from './marketOf.ts'
import { checkNumbers, checkStanding, preValidation } from './orderChecks.ts'
import { isBuilderAsset } from './dex/assetIds.ts'
import { endCrowdedTriggers } from './orderLimits.ts'
import { endIdleChild, endOrder, register, tellOrder, watch } from './orderLife.ts'
import { makeOrder, placeOrder, refused } from './placement.ts'
import type { Placed } from './placement.ts'
import { payPriority, priorityRefusal } from './priorityFee.ts'
import { placeSpot } from './spot/placeSpot.ts'
import { classOf, spotEarlyError } from './spot/spotActions.ts'
import { replyError, replyStatuses, texts, withAsset } from './texts.ts'
import { isFiredTooSoon } from './triggers.ts'
import type { ApplyContext } from './venueControl.ts'
import type { Account, LiveOrder, World } from './world.ts'

export const batchMax = 200
const childrenMax = 2

/** Executes an `order` action, whatever its grouping. */
export function applyOrders(
  world: World,
  account: Account,
  action: OrderAction,
  context: ApplyContext,
): Json {
  const { orders, grouping, builder } = action
  if (orders.length > batchMax) return replyError(texts.overWeight)
  const shape = shapeError(world, action)
  if (shape !== null) return replyError(shape)
  if (builder !== null && (account.builders.get(builder.address) ?? 0) < builder.fee) {
    return replyError(texts.builderNotApproved)
  }
  const kind = classOf(orders)
  const early =
    kind === 'spot' ? spotEarlyError(world, account, action) : earlyError(world, account, action)
  if (early !== null) {
    return world.options.prevalidation === 'err'
      ? replyError(early)
      : replyStatuses('order', [{ error: early }])
  }
  const unpaid = priorityRefusal(account, action)
  if (unpaid !== null) {
    return replyStatuses(
      'order',
      orders.map(() => ({ error: unpaid })),
    )
  }
  const statuses =
    grouping === 'normalTpsl'
      ? placeGroup(world, account, action, context)
      : orders.map(
          (order) =>
            refusedByFault(order, context) ??
            (kind === 'spot'
              ? placeSpot(world, account, order, builder).status
              : placeOrder(world, account, order, builder, grouping === 'positionTpsl').status),
        )
  endCrowdedTriggers(world, account)
  payPriority(account, action, statuses)
  return replyStatuses('order', statuses)
}

/** What a test armed for this order; null when nothing. */
export function refusedByFault(order: Order, context: ApplyContext): Json | null {
  const { refuse } = context
  if (refuse === undefined) return null
  if (refuse.only === 'triggers' && order.type.kind !== 'trigger') return null
  if (refuse.asset !== undefined && order.asset !== refuse.asset) return null
  return { error: refuse.text }
}

function shapeError({ options }: World, { orders, grouping }: OrderAction): string | null {
  const [first] = orders
  if (first === undefined || grouping === 'na') return null
  if (grouping === 'normalTpsl' && first.type.kind === 'trigger') return texts.mainIsTrigger
  const triggers = grouping === 'normalTpsl' ? orders.slice(1) : orders
  const areTriggers = triggers.every((order) => order.type.kind === 'trigger')
  const isCountRight = triggers.length >= 1 && triggers.length <= childrenMax
  // The venue is not known to have a text of its own for two assets, or for two of one kind.
  const isOneAsset = orders.every(({ asset }) => asset === first.asset)
  const kinds = triggers.map(({ type }) => (type.kind === 'trigger' ? type.tpsl : null))
  const areKindsRight = options.tpslPerBatch === 'any' || new Set(kinds).size === kinds.length
  const isRight = areTriggers && isCountRight && isOneAsset && areKindsRight
  return isRight ? null : texts.triggerCount
}

function earlyError(
  world: World,
  account: Account,
  { orders, grouping }: OrderAction,
): string | null {
  if (orders.length === 0) return texts.emptyBatch
  const isVault = account.owner?.kind === 'vault'
  if (isVault && orders.some(({ asset }) => isBuilderAsset(asset))) return texts.vaultAction
  if (classOf(orders) === 'mixed') return texts.mixedClasses
  for (const [index, order] of orders.entries()) {
    const isChild = grouping === 'positionTpsl' || (grouping === 'normalTpsl' && index > 0)
    const found = preValidation(world, order, isChild)
    if (found !== null) {
      return found.hasSuffix ? withAsset(found.text, order.asset) : found.text
    }
    if (isChild && isOnWrongSide(world, account, orders, order, grouping)) {
      return withAsset(texts.childSide, order.asset)
    }
    const market = marketOf(world, order.asset)
    if (grouping === 'normalTpsl' && market !== undefined) {
      // A group is one thing: a child that could never exist refuses its parent too.
      const bad = checkNumbers(world, market, order, false)
      if (bad !== null) return withAsset(bad.text, order.asset)
    }
  }
  return null
}

/** Whether a trigger of a group or of a position is on the side of what it is to close. */
function isOnWrongSide(
  world: World,
  account: Account,
  [first]: readonly Order[],
  { asset, isBuy }: Order,
  grouping: OrderAction['grouping'],
): boolean {
  if (world.options.child_side === 'any') return false
  if (grouping === 'normalTpsl') return first?.isBuy === isBuy
  const market = marketOf(world, asset)
  const held = market === undefined ? Decimal.zero : positionSize(account, market)
  return isBuy ? held.isPositive() : held.isNegative()
}

function placeGroup(
  world: World,
  account: Account,
  { orders, builder }: OrderAction,
  context: ApplyContext,
): Json[] {
  const [first, ...rest] = orders
  if (first === undefined) return []
  const byFault = refusedByFault(first, context)
  if (byFault !== null) return orders.map(() => byFault)
  const parent = placeOrder(world, account, first, builder)
  if (parent.order === null) {
    const text = parent.error ?? ''
    return [parent.status, ...rest.map((order) => refused(order.asset, text).status)]
  }
  const main = parent.order
  const placed = rest.map((order) => {
    const fault = refusedByFault(order, context)
    if (fault !== null) return { status: fault, order: null, error: null }
    return placeChild(world, account, main, order)
  })
  linkFamily(world, main, placed)
  return [parent.status, ...placed.map(({ status }) => status)]
}

function placeChild(world: World, account: Account, parent: LiveOrder, order: Order): Placed {
  const { market, builder } = parent
  const child = makeOrder(world, account, market, order, builder, false)
  const why = checkStanding(world, account, market, order, true)
  const isActive = isComplete(parent)
  if (why !== null || (isActive && isFiredTooSoon(world, child))) {
    endOrder(world, child, why?.status ?? 'badTriggerPxRejected')
    return refused(market.asset, why?.text ?? texts.badTrigger)
  }
  if (isActive) watch(child)
  else {
    child.phase = 'waitingForFill'
    child.parent = parent
    register(child)
  }
  tellOrder(world, child, 'open')
  world.events.push({ kind: 'openOrders', user: account.address })
  return { status: isActive ? 'waitingForTrigger' : 'waitingForFill', order: child, error: null }
}

/** Children work once the parent filled, or kept what it filled when margin ran out. */
function isComplete(parent: LiveOrder): boolean {
  return parent.phase === 'done' && parent.size.isZero()
}

function linkFamily(world: World, parent: LiveOrder, placed: readonly Placed[]): void {
  const children = placed.flatMap(({ order }) => (order === null ? [] : [order]))
  for (const child of children) child.siblings = children
  if (parent.phase === 'resting') parent.children = children
  else if (isComplete(parent)) for (const child of children) endIdleChild(world, child)
  else endOrphans(world, parent, children)
}

/** A parent that took a part and then dropped the rest never fills: its children end with it. */
function endOrphans(world: World, parent: LiveOrder, children: readonly LiveOrder[]): void {
  const lastStatus = parent.account.rows.get(parent.oid)?.status
  for (const child of children) {
    if (lastStatus === 'marginCanceled') {
      if (world.options.marginCanceledChildSize === 'filled') child.size = parent.filled
      child.parent = null
      watch(child)
      endIdleChild(world, child)
    } else endOrder(world, child, 'canceled')
  }
}
