import type { Json, JsonObject } from '../../src/core/protocol/action.ts'

/** Orders and actions in the venue's words. */

const ioc: Json = { limit: { tif: 'Ioc' } }
export const gtc: Json = { limit: { tif: 'Gtc' } }

export function order(
  asset: Json,
  isBuy: boolean,
  price: Json,
  size: Json,
  more: JsonObject = {},
): JsonObject {
  return { a: asset, b: isBuy, p: price, s: size, r: false, t: ioc, ...more }
}

export function stop(
  asset: number,
  isBuy: boolean,
  trigger: string,
  limit: string,
  size: string,
  more: JsonObject = {},
): JsonObject {
  const t = { trigger: { isMarket: true, triggerPx: trigger, tpsl: 'sl' } }
  return { a: asset, b: isBuy, p: limit, s: size, r: true, t, ...more }
}

export function orders(list: readonly Json[], grouping: Json = 'na'): JsonObject {
  return { type: 'order', orders: list, grouping }
}

export function cancel(asset: number, ...oids: readonly number[]): JsonObject {
  return { type: 'cancel', cancels: oids.map((o) => ({ a: asset, o })) }
}
