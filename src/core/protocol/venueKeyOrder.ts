import type { Json, JsonObject } from './action.ts'
import { isObject } from './fields.ts'

/**
 * The action with its keys in the venue's own order and its addresses in lower case, which is what
 * the venue hashes: it re-serialises an action before it looks at the signature, and some clients
 * (the official Rust SDK) sign that and post their keys sorted. Null for an action that is in this
 * order already, or that has a key which the venue does not know.
 */
export function inVenueOrder(action: JsonObject): JsonObject | null {
  const { type } = action
  const order = typeof type === 'string' && Object.hasOwn(actions, type) ? actions[type] : undefined
  if (order === undefined) return null
  const ordered = arranged(action, order)
  if (ordered === null) return null
  return JSON.stringify(ordered) === JSON.stringify(action) ? null : ordered
}

/** The keys of one object in their order; beside a key what stands below it. */
interface KeyOrder {
  readonly [key: string]: KeyOrder | 'as sent' | 'address'
}

const asSent = 'as sent'
const orderType: KeyOrder = {
  limit: { tif: asSent },
  trigger: { isMarket: asSent, triggerPx: asSent, tpsl: asSent },
}
const order: KeyOrder = {
  ...{ a: asSent, b: asSent, p: asSent, s: asSent, r: asSent, t: orderType, c: asSent },
}
const actions: { readonly [type: string]: KeyOrder } = {
  order: {
    ...{ type: asSent, orders: order, grouping: asSent },
    builder: { b: 'address', f: asSent },
  },
  cancel: { type: asSent, cancels: { a: asSent, o: asSent }, f: asSent },
  cancelByCloid: { type: asSent, cancels: { asset: asSent, cloid: asSent }, f: asSent },
  modify: { type: asSent, oid: asSent, order, a: asSent },
  batchModify: { type: asSent, modifies: { oid: asSent, order }, a: asSent },
  updateLeverage: { type: asSent, asset: asSent, isCross: asSent, leverage: asSent },
  updateIsolatedMargin: { type: asSent, asset: asSent, isBuy: asSent, ntli: asSent },
  scheduleCancel: { type: asSent, time: asSent },
  twapOrder: {
    type: asSent,
    twap: { ...{ a: asSent, b: asSent, s: asSent, r: asSent, m: asSent, t: asSent } },
    details: { t: { p: asSent, a: asSent }, s: asSent },
  },
  twapCancel: { type: asSent, a: asSent, t: asSent },
  guardKill: { type: asSent, reason: asSent },
  // Refused whoever asks; in this order it is known who did.
  spotUser: { type: asSent, classTransfer: { usdc: asSent, toPerp: asSent } },
  vaultTransfer: { type: asSent, vaultAddress: 'address', isDeposit: asSent, usd: asSent },
  setReferrer: { type: asSent, code: asSent },
}

/** An object's keys in order; a list's elements each. Null where a key is not known. */
function arranged(value: JsonObject, keys: KeyOrder): JsonObject | null {
  if (!Object.keys(value).every((key) => Object.hasOwn(keys, key))) return null
  const ordered: { [key: string]: Json } = {}
  for (const [key, below] of Object.entries(keys)) {
    const item = value[key]
    if (item === undefined) continue
    const placed = arrangedItem(item, below)
    if (placed === undefined) return null
    ordered[key] = placed
  }
  return ordered
}

function arrangedItem(item: Json, below: KeyOrder[string]): Json | undefined {
  if (below === 'as sent') return item
  if (below === 'address') return typeof item === 'string' ? item.toLowerCase() : item
  if (isObject(item)) return arranged(item, below) ?? undefined
  if (!Array.isArray(item)) return item
  const list = (item as readonly Json[]).map((each) => arrangedItem(each, below))
  return list.some((each) => each === undefined) ? undefined : (list as readonly Json[] as Json)
}
