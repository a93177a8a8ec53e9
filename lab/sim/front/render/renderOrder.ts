import type { Json } from '../../../../src/core/protocol/action.ts'
import type { OrderRow, OrderView } from '../../engine/views.ts'
import { wireNumber } from './wireNumber.ts'

/** An order with the frontend's field set: `frontendOpenOrders`, `orderStatus`, the stream. */
export function renderFrontendOrder(order: OrderView): Json {
  return {
    coin: order.coin,
    side: order.isBuy ? 'B' : 'A',
    limitPx: wireNumber(order.limitPrice),
    sz: wireNumber(order.size),
    oid: order.oid,
    timestamp: order.timestamp,
    triggerCondition: order.trigger === null ? 'N/A' : order.trigger.condition,
    isTrigger: order.trigger !== null,
    triggerPx: order.trigger === null ? '0.0' : wireNumber(order.trigger.price),
    children: order.children.map(renderFrontendOrder),
    isPositionTpsl: order.isPositionTpsl,
    reduceOnly: order.isReduceOnly,
    orderType: order.orderType,
    origSz: wireNumber(order.originalSize),
    tif: order.tif,
    cloid: order.cloid,
  }
}

/** The short form of `openOrders` and `orderUpdates`: a trigger looks like a plain limit. */
export function renderOrder(order: OrderView): Json {
  return {
    coin: order.coin,
    side: order.isBuy ? 'B' : 'A',
    limitPx: wireNumber(order.limitPrice),
    sz: wireNumber(order.size),
    oid: order.oid,
    timestamp: order.timestamp,
    origSz: wireNumber(order.originalSize),
    ...(order.cloid === null ? {} : { cloid: order.cloid }),
    ...(order.isReduceOnly ? { reduceOnly: true } : {}),
  }
}

export function renderOrderRow(row: OrderRow): Json {
  return {
    order: renderFrontendOrder(row.order),
    status: row.status,
    statusTimestamp: row.statusTimestamp,
  }
}

export function renderOrderUpdate(order: OrderView, status: string, at: number): Json {
  return { order: renderOrder(order), status, statusTimestamp: at }
}
