import { unreachable } from '../values/unreachable.ts'
import type {
  Action,
  Modify,
  Order,
  OrderRef,
  OrderType,
  TwapOrderAction,
  WireAction,
} from './action.ts'

/** An action as the venue wants it: keys in its schema's order, decimals in their shortest form. */
export function encodeAction(action: Action): WireAction {
  switch (action.type) {
    case 'order': {
      const orders = action.orders.map(encodeOrder)
      const { type, builder } = action
      const grouping =
        action.priorityFee === undefined ? action.grouping : { p: action.priorityFee }
      return builder === null
        ? { type, orders, grouping }
        : { type, orders, grouping, builder: { b: builder.address, f: builder.fee } }
    }
    case 'cancel':
      return { type: action.type, cancels: action.cancels.map((c) => ({ a: c.asset, o: c.oid })) }
    case 'cancelByCloid': {
      const cancels = action.cancels.map((each) => ({ asset: each.asset, cloid: each.cloid }))
      return { type: action.type, cancels }
    }
    case 'modify':
      return { type: action.type, ...encodeModify(action.modify), ...encodeFlag(action) }
    case 'batchModify': {
      const modifies = action.modifies.map(encodeModify)
      return { type: action.type, modifies, ...encodeFlag(action) }
    }
    case 'updateLeverage': {
      const { type, asset, isCross, leverage } = action
      return { type, asset, isCross, leverage }
    }
    case 'updateIsolatedMargin': {
      const { type, asset, isBuy, ntli } = action
      return { type, asset, isBuy, ntli }
    }
    case 'twapOrder':
      return encodeTwap(action)
    case 'twapCancel':
      return { type: action.type, a: action.asset, t: action.twapId }
    case 'scheduleCancel':
      return action.time === null ? { type: action.type } : { type: action.type, time: action.time }
    default:
      return unreachable(action)
  }
}

function encodeTwap(action: TwapOrderAction): WireAction {
  const { type, asset: a, isBuy: b, isReduceOnly: r, minutes: m, isRandomized: t, details } = action
  const twap = { a, b, s: action.size.toString(), r, m, t }
  if (details === null) return { type, twap }
  const { trigger, endPrice } = details
  const start = trigger === null ? null : { p: trigger.price.toString(), a: trigger.isAbove }
  return { type, twap, details: { t: start, s: endPrice === null ? null : endPrice.toString() } }
}

type WireOrder = {
  readonly a: number
  readonly b: boolean
  readonly p: string
  readonly s: string
  readonly r: boolean
  readonly t: WireOrderType
  readonly c?: string
}

type WireOrderType =
  | { readonly limit: { readonly tif: string } }
  | {
      readonly trigger: {
        readonly isMarket: boolean
        readonly triggerPx: string
        readonly tpsl: string
      }
    }

/** One order in the venue's short keys. */
function encodeOrder(order: Order): { [Key in keyof WireOrder]: WireOrder[Key] } {
  const { asset: a, isBuy: b, isReduceOnly: r, cloid: c } = order
  const p = order.price.toString()
  const s = order.size.toString()
  const t = encodeType(order.type)
  return c === null ? { a, b, p, s, r, t } : { a, b, p, s, r, t, c }
}

function encodeType(type: OrderType): WireOrderType {
  if (type.kind === 'limit') return { limit: { tif: type.tif } }
  const { isMarket, triggerPrice, tpsl } = type
  return { trigger: { isMarket, triggerPx: triggerPrice.toString(), tpsl } }
}

function encodeFlag({ alwaysPlace }: { readonly alwaysPlace?: true }): { a?: true } {
  return alwaysPlace === true ? { a: true } : {}
}

function encodeModify(modify: Modify): { oid: number | string; order: WireOrder } {
  return { oid: encodeRef(modify.ref), order: encodeOrder(modify.order) }
}

function encodeRef(ref: OrderRef): number | string {
  return 'oid' in ref ? ref.oid : ref.cloid
}
