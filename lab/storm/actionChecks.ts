import type { Json, JsonObject } from '../../src/core/protocol/action.ts'
import { isObject } from '../../src/core/protocol/fields.ts'
import { Decimal } from '../../src/core/values/decimal.ts'
import { Violation } from './violation.ts'
import type { DiskRecord } from './watchedDisk.ts'

/** Whether an action can open or enlarge a position. */
export function opens(action: Json): boolean {
  return ordersIn(action).some(isEntry) || openingTwapIn(action) !== null
}

/** The TWAP of an action that may open a position; null where it has none. */
export function openingTwapIn(action: Json): JsonObject | null {
  if (!isObject(action) || action['type'] !== 'twapOrder') return null
  const twap = action['twap'] ?? null
  return isObject(twap) && isEntry(twap) ? twap : null
}

/** The orders an action places or puts in the place of others. */
export function ordersIn(action: Json): readonly JsonObject[] {
  if (!isObject(action)) return []
  if (action['type'] === 'order') return listOf(action['orders']).filter(isObject)
  if (action['type'] === 'modify') return [action['order'] ?? null].filter(isObject)
  if (action['type'] !== 'batchModify') return []
  return listOf(action['modifies']).flatMap((each) =>
    isObject(each) ? [each['order'] ?? null].filter(isObject) : [],
  )
}

export function isEntry(order: JsonObject): boolean {
  return order['r'] === false
}

/** The kinds of action that Guard judges or sends of its own accord; no other may ever leave. */
const knownActions: ReadonlySet<string> = new Set([
  ...['order', 'cancel', 'cancelByCloid', 'modify', 'batchModify'],
  ...['updateLeverage', 'updateIsolatedMargin', 'scheduleCancel', 'twapOrder', 'twapCancel'],
])

export function checkKnown(action: Json): void {
  const type = isObject(action) ? String(action['type']) : JSON.stringify(action)
  if (!knownActions.has(type)) throw new Violation('known_action', `${type} left for the venue`)
}

/** Reasons that may hold up an entry, and never an exit. */
const entryReasons: ReadonlySet<string> = new Set([
  ...['kill_switch', 'daily_loss_stop', 'drawdown_halt', 'journal', 'account_unknown'],
  ...['account_stale', 'no_price', 'order_rate', 'too_many_orders', 'market_not_allowed'],
  ...['open_risk', 'leverage', 'position_cap', 'liquidation_too_close', 'cross_margin', 'margin'],
  ...['below_minimum', 'unprotected_position', 'unprotected_order', 'stop_required'],
])

/** What can only reduce is never refused for what holds up entries. */
export function checkExit(action: Json, code: unknown): void {
  if (!entryReasons.has(String(code)) || !isExit(action)) return
  // At the bound on open orders nothing that rests is added; what fills at once or goes passes.
  if (code === 'too_many_orders' && mayRest(action)) return
  const text = `this was refused for ${String(code)}: ${JSON.stringify(action)}`
  throw new Violation('exit_held', text)
}

/** Cancels, and orders that are all reduce-only and fill or rest at once. */
function isExit(action: Json): boolean {
  if (!isObject(action)) return false
  if (action['type'] === 'cancel' || action['type'] === 'cancelByCloid') return true
  const orders = action['type'] === 'order' ? ordersIn(action) : []
  return orders.length > 0 && orders.every((order) => order['r'] === true && isLimit(order))
}

function mayRest(action: Json): boolean {
  return ordersIn(action).some((order) => {
    const { limit } = (order['t'] ?? {}) as JsonObject
    return (limit as JsonObject | undefined)?.['tif'] !== 'Ioc'
  })
}

function isLimit({ t }: JsonObject): boolean {
  return isObject(t ?? null) && (t as JsonObject)['limit'] !== undefined
}

/** Nothing forwarded is larger or lives longer than asked, and no entry may fill at a worse price. */
export function checkNotMore(record: DiskRecord): void {
  const asked = ordersIn((record['request'] ?? null) as Json).filter(isEntry)
  const sent = forwardedIn(record).flatMap(ordersIn).filter(isEntry)
  const where = `record ${record.seq}`
  for (const side of new Set(sent.map(sideOf))) {
    const total = (list: readonly JsonObject[]): Decimal =>
      list
        .filter((order) => sideOf(order) === side)
        .reduce((sum, order) => sum.plus(Decimal.of(String(order['s']))), Decimal.zero)
    if (total(sent).gt(total(asked))) {
      throw new Violation('not_larger', `${where} forwards more than was asked`)
    }
  }
  for (const order of sent) {
    const same = asked.filter((each) => sideOf(each) === sideOf(order))
    if (same.every((each) => isWorse(order, each))) {
      throw new Violation('not_worse', `${where} may fill at a worse price`)
    }
    if (same.every((each) => JSON.stringify(each['t']) !== JSON.stringify(order['t']))) {
      throw new Violation('not_longer', `${where} has another time in force than was asked`)
    }
  }
}

function isWorse(order: JsonObject, asked: JsonObject): boolean {
  const [price, limit] = [Decimal.of(String(order['p'])), Decimal.of(String(asked['p']))]
  return order['b'] === true ? price.gt(limit) : price.lt(limit)
}

/** The bot's own actions as they are forwarded. */
function forwardedIn(record: DiskRecord): readonly Json[] {
  return [
    ...(record['forward'] === null ? [] : [record['forward'] as Json]),
    ...listOf(record['forward_more']),
  ]
}

/** Everything a decision sends, in order. */
export function actionsIn(record: DiskRecord): readonly Json[] {
  return [...listOf(record['pre']), ...forwardedIn(record), ...listOf(record['post'])]
}

function sideOf(order: JsonObject): string {
  return `${String(order['a'])}:${String(order['b'])}`
}

export function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : []
}
