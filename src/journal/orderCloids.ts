import type { EventBody } from '../core/events/guardEvent.ts'
import type { Json } from '../core/protocol/action.ts'
import { parseCloid } from '../core/values/cloid.ts'
import type { Cloid } from '../core/values/cloid.ts'

/**
 * The ids of all orders that a decision is about, each once: those that the bot asked for, whatever
 * became of them, and those that Guard sends for it. Orders that are only cancelled do not count.
 */
export function orderCloids(body: EventBody): readonly Cloid[] {
  if (body.kind !== 'decision') return []
  const { request, pre, forward, forward_more: more, post } = body
  const actions = [request, ...pre, forward, ...more, ...post] as readonly Json[]
  return [...new Set(actions.flatMap(placedIn))]
}

/** The ids of the orders that an action places: in `order`, `modify` and `batchModify`. */
function placedIn(action: Json): readonly Cloid[] {
  const { orders, order, modifies } = membersOf(action)
  const placed = [
    ...listOf(orders),
    order ?? null,
    ...listOf(modifies).map((one) => membersOf(one)['order'] ?? null),
  ]
  return placed.flatMap((one) => {
    const cloid = parseCloid(membersOf(one)['c'])
    return cloid.ok ? [cloid.value] : []
  })
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : []
}

function membersOf(value: Json): { readonly [key: string]: Json | undefined } {
  const isObject = value !== null && typeof value === 'object' && !Array.isArray(value)
  return isObject ? (value as { readonly [key: string]: Json }) : {}
}
