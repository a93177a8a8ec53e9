import { coinCalled } from '../values/coin.ts'
import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import type { Millis } from '../values/millis.ts'
import type { Result } from '../values/result.ts'
import type { Json, JsonObject } from './action.ts'
import {
  cloidOrNull,
  coinOf,
  decimalOf,
  decoding,
  eachOf,
  flagOf,
  isAbsent,
  isBuyOf,
  misfit,
  objectOf,
  textOf,
  timeOf,
  wholeOf,
} from './readJson.ts'
import type { OpenOrder, OpenTrigger, OrderUpdate } from './venueState.ts'

/** Orders and prices, as `/info` and the stream show them. */

export function decodeFrontendOpenOrders(json: Json): Result<readonly OpenOrder[]> {
  return decoding('frontendOpenOrders', () => readOpenOrders(json))
}

export function decodeOpenOrder(json: Json): Result<OpenOrder> {
  return decoding('order', () => readOpenOrder(objectOf(json)))
}

export function readOpenOrders(json: Json | undefined): readonly OpenOrder[] {
  return eachOf(json, 'orders', (each) => readOpenOrder(objectOf(each, 'order')))
}

function readOpenOrder(from: JsonObject): OpenOrder {
  const children = isAbsent(from['children'])
    ? []
    : eachOf(from['children'], 'children', (each) => wholeOf(objectOf(each, 'child'), 'oid'))
  return {
    ...readFacts(from),
    at: timeOf(from, 'timestamp'),
    isReduceOnly: flagOf(from, 'reduceOnly'),
    trigger: flagOf(from, 'isTrigger') ? readTrigger(from) : null,
    isPositionTpsl: flagOf(from, 'isPositionTpsl'),
    children,
  }
}

/** What every form in which the venue tells an order has in common. */
function readFacts(from: JsonObject) {
  return {
    coin: coinOf(from, 'coin'),
    isBuy: isBuyOf(from),
    price: decimalOf(from, 'limitPx'),
    size: decimalOf(from, 'sz'),
    originalSize: decimalOf(from, 'origSz'),
    oid: wholeOf(from, 'oid'),
    cloid: cloidOrNull(from, 'cloid'),
  }
}

/** A kind of trigger that is not known reads as a stop-limit: it never counts as cover. */
function readTrigger(from: JsonObject): OpenTrigger {
  const type = textOf(from, 'orderType')
  const price = decimalOf(from, 'triggerPx')
  if (type === 'Stop Market') return { price, isMarket: true, tpsl: 'sl' }
  if (type === 'Take Profit Market') return { price, isMarket: true, tpsl: 'tp' }
  return { price, isMarket: false, tpsl: type === 'Take Profit Limit' ? 'tp' : 'sl' }
}

/** An order as it was at a change of its status, and later if there was none. */
export interface OrderRow {
  readonly order: OpenOrder
  /** `open` and `triggered` are live; every other status, known or not, is terminal. */
  readonly status: string
  readonly at: Millis
}

export type OrderStatus = { readonly kind: 'unknown' } | ({ readonly kind: 'order' } & OrderRow)

export function decodeOrderStatus(json: Json): Result<OrderStatus> {
  return decoding('orderStatus', () => {
    const from = objectOf(json)
    const status = textOf(from, 'status')
    if (status === 'unknownOid') return { kind: 'unknown' }
    if (status !== 'order') return misfit('status', '"order" or "unknownOid"', status)
    return { kind: 'order', ...readRow(from['order']) }
  })
}

/** The newest first, one row for each change of an order. */
export function decodeHistoricalOrders(json: Json): Result<readonly OrderRow[]> {
  return decoding('historicalOrders', () => eachOf(json, 'orders', readRow))
}

function readRow(json: Json | undefined): OrderRow {
  const from = objectOf(json, 'order')
  return {
    order: readOpenOrder(objectOf(from['order'], 'order.order')),
    status: textOf(from, 'status'),
    at: timeOf(from, 'statusTimestamp'),
  }
}

export function readOrderUpdates(json: Json | undefined): readonly OrderUpdate[] {
  return eachOf(json, 'orderUpdates', (each) => {
    const outer = objectOf(each, 'update')
    const from = objectOf(outer['order'], 'order')
    return {
      ...readFacts(from),
      isReduceOnly: isAbsent(from['reduceOnly']) ? null : flagOf(from, 'reduceOnly'),
      status: textOf(outer, 'status'),
      at: timeOf(outer, 'statusTimestamp'),
    }
  })
}

export function decodeAllMids(json: Json): Result<ReadonlyMap<Coin, Decimal>> {
  return decoding('allMids', () => readMids(json))
}

export function readMids(json: Json | undefined): ReadonlyMap<Coin, Decimal> {
  const mids = new Map<Coin, Decimal>()
  for (const [name, value] of Object.entries(objectOf(json, 'mids'))) {
    const price = Decimal.parse(value)
    if (!price.ok) misfit(name, 'a plain decimal as a string', value)
    else mids.set(coinCalled(name), price.value)
  }
  return mids
}
