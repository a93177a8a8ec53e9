import type { Action, Json, Order } from '../core/protocol/action.ts'
import { isObject } from '../core/protocol/fields.ts'
import type { Markets } from '../core/protocol/market.ts'
import type { Address } from '../core/values/address.ts'
import type { Millis } from '../core/values/millis.ts'
import type { Lane, VenueHttp } from './ports.ts'

/** What the venue says became of an action. `absent` is only final once it has expired. */
export type Found =
  | { readonly kind: 'happened'; readonly evidence: string }
  | { readonly kind: 'absent'; readonly evidence: string }
  /** The venue keeps nothing by which it could be told. */
  | { readonly kind: 'untold'; readonly evidence: string }
  | { readonly kind: 'unreachable'; readonly error: string }

export interface LookupDeps {
  readonly venue: Pick<VenueHttp, 'info'>
  readonly account: Address
  readonly markets: () => Markets
}

type UpdateLeverage = Extract<Action, { type: 'updateLeverage' }>

/** Clocks differ: an order this much older than the intent may still be the intent's. */
const skewMs = 5_000

/** Asks the venue what became of an action that was written down at `at`. */
export async function lookUp(
  deps: LookupDeps,
  action: Action,
  at: Millis,
  lane: Lane,
): Promise<Found> {
  const ask: Ask = (ref) => orderStatus(deps, ref, lane)
  switch (action.type) {
    case 'order':
      return await lookUpOrders(ask, action.orders, at)
    case 'modify':
      return await lookUpOrders(ask, [action.modify.order], at)
    case 'batchModify':
      return await lookUpOrders(
        ask,
        action.modifies.map((each) => each.order),
        at,
      )
    case 'cancel':
      return await lookUpCancels(
        ask,
        action.cancels.map((each) => each.oid),
      )
    case 'cancelByCloid':
      return await lookUpCancels(
        ask,
        action.cancels.map((each) => each.cloid),
      )
    case 'updateLeverage':
      return leverageFound(await readLeverage(deps, action.asset, lane), action)
    case 'updateIsolatedMargin':
    case 'scheduleCancel':
      return { kind: 'untold', evidence: `the venue keeps no record of a single ${action.type}` }
  }
}

/** The orders of an action arrive together: one that is known shows that all of them arrived. */
async function lookUpOrders(ask: Ask, orders: readonly Order[], at: Millis): Promise<Found> {
  const cloids = new Set(orders.flatMap((order) => (order.cloid === null ? [] : [order.cloid])))
  if (cloids.size === 0) return { kind: 'untold', evidence: 'its orders have no client id' }
  for (const cloid of cloids) {
    const status = await ask(cloid)
    if (status.kind === 'error') return { kind: 'unreachable', error: status.error }
    if (status.kind === 'known' && status.placedAt >= at - skewMs) {
      return { kind: 'happened', evidence: `order ${cloid} is ${status.status}` }
    }
  }
  return { kind: 'absent', evidence: `the venue knows no order ${[...cloids].join(', ')}` }
}

async function lookUpCancels(ask: Ask, refs: readonly (number | string)[]): Promise<Found> {
  for (const ref of refs) {
    const status = await ask(ref)
    if (status.kind === 'error') return { kind: 'unreachable', error: status.error }
    if (status.kind === 'known' && status.status === 'open') {
      return { kind: 'absent', evidence: `order ${ref} is still open` }
    }
  }
  return { kind: 'happened', evidence: `no order of ${refs.join(', ')} is open` }
}

/** What is set for an asset, or why that cannot be told. */
export type LeverageSetting =
  | { readonly kind: 'set'; readonly coin: string; readonly type: string; readonly value: number }
  | Extract<Found, { kind: 'untold' | 'unreachable' }>

/** Asks what leverage is set for an asset. */
export async function readLeverage(
  deps: LookupDeps,
  asset: number,
  lane: Lane,
): Promise<LeverageSetting> {
  const coin = deps.markets().byAsset.get(asset)?.coin
  if (coin === undefined) return { kind: 'untold', evidence: `asset ${asset} is not listed` }
  const request = { type: 'activeAssetData', user: deps.account, coin }
  const answer = await deps.venue.info(request, lane)
  if (!answer.ok) return { kind: 'unreachable', error: answer.error.text }
  const set = isObject(answer.value.body) ? answer.value.body['leverage'] : undefined
  const { type, value } = isObject(set) ? set : {}
  if (typeof type !== 'string' || typeof value !== 'number') {
    return { kind: 'unreachable', error: 'the leverage could not be read' }
  }
  return { kind: 'set', coin, type, value }
}

/** What a setting says of an action that was to make it. */
export function leverageFound(setting: LeverageSetting, action: UpdateLeverage): Found {
  if (setting.kind !== 'set') return setting
  const { coin, type, value } = setting
  const isSame = type === (action.isCross ? 'cross' : 'isolated') && value === action.leverage
  return { kind: isSame ? 'happened' : 'absent', evidence: `${coin} is ${type} ${value}` }
}

type OrderStatus =
  | { readonly kind: 'known'; readonly status: string; readonly placedAt: number }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'error'; readonly error: string }

type Ask = (ref: number | string) => Promise<OrderStatus>

async function orderStatus(
  deps: LookupDeps,
  ref: number | string,
  lane: Lane,
): Promise<OrderStatus> {
  const request = { type: 'orderStatus', user: deps.account, oid: ref }
  const answer = await deps.venue.info(request, lane)
  if (!answer.ok) return { kind: 'error', error: answer.error.text }
  return readOrderStatus(answer.value.body)
}

function readOrderStatus(body: Json): OrderStatus {
  if (!isObject(body)) return { kind: 'error', error: 'the order status could not be read' }
  if (body['status'] === 'unknownOid') return { kind: 'unknown' }
  const outer = body['order']
  const inner = isObject(outer) ? outer['order'] : undefined
  if (!isObject(outer) || !isObject(inner)) {
    return { kind: 'error', error: 'the order status could not be read' }
  }
  const { status } = outer
  const placedAt = inner['timestamp']
  return typeof status === 'string' && typeof placedAt === 'number'
    ? { kind: 'known', status, placedAt }
    : { kind: 'error', error: 'the order status could not be read' }
}
