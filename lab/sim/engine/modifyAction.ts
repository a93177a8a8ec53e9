import { Decimal } from '../../../src/core/values/decimal.ts'
import type { Json, Modify, Order, OrderRef } from '../../../src/core/protocol/action.ts'
import { batchMax, refusedByFault } from './orderAction.ts'
import { preValidation } from './orderChecks.ts'
import { endOrder } from './orderLife.ts'
import { placeOrder } from './placement.ts'
import { placeSpot, spotBandError } from './spot/placeSpot.ts'
import { endSpot, openSpotOrder } from './spot/spotLife.ts'
import { isSpotAsset } from './spot/spotMarket.ts'
import { replyDefault, replyError, replyStatuses, texts, withAsset } from './texts.ts'
import type { AlwaysPlaceBatchModifyAction, AlwaysPlaceModifyAction } from './venueAction.ts'
import type { ApplyContext } from './venueControl.ts'
import type { Account, LiveOrder, World } from './world.ts'

type Modified =
  { readonly ok: true; readonly status: Json } | { readonly ok: false; readonly text: string }

/** Executes `modify`: its answer names no new order, only whether there is one. */
export function applyModify(
  world: World,
  account: Account,
  action: AlwaysPlaceModifyAction,
  context: ApplyContext,
): Json {
  if (refusedByFault(action.modify.order, context) !== null) {
    return replyError(context.refuse?.text ?? '')
  }
  const done = modify(world, account, action.modify, action.alwaysPlace === true)
  return done.ok ? replyDefault : replyError(done.text)
}

/** Executes `batchModify`, answered like orders. */
export function applyBatchModify(
  world: World,
  account: Account,
  action: AlwaysPlaceBatchModifyAction,
  context: ApplyContext,
): Json {
  if (action.modifies.length > batchMax) return replyError(texts.overWeight)
  const statuses = action.modifies.map((each): Json => {
    const fault = refusedByFault(each.order, context)
    if (fault !== null) return fault
    const done = modify(world, account, each, action.alwaysPlace === true)
    return done.ok ? done.status : { error: done.text }
  })
  return replyStatuses('order', statuses)
}

function modify(world: World, account: Account, each: Modify, alwaysPlace: boolean): Modified {
  const { order } = each
  const isSpot = isSpotAsset(order.asset)
  const old = find(account, each.ref)
  const oldSpot = openSpotOrder(account, each.ref)
  const found = isSpot ? oldSpot : old
  if (found === undefined && !alwaysPlace) return { ok: false, text: texts.modifyDead }
  const early = isSpot ? spotBandError(world, order) : preValidated(world, order)
  if (early !== null) return { ok: false, text: early }
  const isRestricted = !alwaysPlace && world.options.modifyRule === 'post-only'
  if (isRestricted && !isPassive(order)) return { ok: false, text: texts.modifyRule }
  if (old !== undefined) endOrder(world, old, 'canceled')
  if (oldSpot !== undefined) endSpot(world, oldSpot, 'canceled')
  const next = sized(world, order, found?.filled ?? Decimal.zero, isRestricted)
  const placed = isSpot
    ? placeSpot(world, account, next, null)
    : placeOrder(world, account, next, null)
  if (placed.error === null) return { ok: true, status: placed.status }
  const reason = withAsset(placed.error, order.asset)
  return { ok: false, text: `Error placing new order during modify: ${reason}` }
}

function preValidated(world: World, order: Order): string | null {
  const early = preValidation(world, order, false)
  if (early === null) return null
  return early.hasSuffix ? withAsset(early.text, order.asset) : early.text
}

function find(account: Account, ref: OrderRef): LiveOrder | undefined {
  return 'oid' in ref ? account.orders.get(ref.oid) : account.byCloid.get(ref.cloid)
}

function isPassive(order: Order): boolean {
  return order.type.kind === 'limit' && (order.type.tif === 'Gtc' || order.type.tif === 'Alo')
}

function sized(world: World, order: Order, filled: Decimal, isRestricted: boolean): Order {
  const size = world.options.modifySize === 'total' ? order.size.minus(filled) : order.size
  return isRestricted ? { ...order, size, type: { kind: 'limit', tif: 'Alo' } } : { ...order, size }
}
