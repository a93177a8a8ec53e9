import type { Action, Json, JsonObject, Order } from './action.ts'
import { decodeReply, encodeStatus } from './exchangeReply.ts'
import type { ExchangeReply, ReplyStatus } from './exchangeReply.ts'

/** What the venue's answer says of the action it answers. */
export type ActionReply =
  /** The whole action was refused, with the venue's words: nothing of it was done. */
  | { readonly kind: 'refused'; readonly text: string }
  /** One status for each item of the action, in the action's order; some may be unknown, not all. */
  | { readonly kind: 'items'; readonly statuses: readonly ReplyStatus[] }
  /** Nothing can be told from it: the action may have been done, in part or whole, or refused. */
  | { readonly kind: 'unknown' }

/** How the venue answers an action that it takes. */
type AnswerType = 'order' | 'cancel' | 'default' | 'twapOrder' | 'twapCancel'

/**
 * Reads the venue's answer to an action that was sent. An answer that fits another action is as
 * unknown as one that fits none.
 */
export function readActionReply(action: Action, json: Json): ActionReply {
  const reply = decodeReply(json)
  if (reply.kind === 'err') return { kind: 'refused', text: reply.text }
  const type = answerTypeOf(action)
  if (reply.kind === 'default' && type === 'default') {
    return { kind: 'items', statuses: [{ kind: 'success' }] }
  }
  if (type === 'twapOrder' || type === 'twapCancel') return readTwapReply(type, reply)
  if (reply.kind !== 'statuses' || reply.type !== type) return { kind: 'unknown' }
  const statuses = matched(action, reply.statuses)
  return statuses.every((status) => status.kind === 'unknown')
    ? { kind: 'unknown' }
    : { kind: 'items', statuses }
}

/** One status, which is no list: a TWAP is answered by itself. */
function readTwapReply(type: 'twapOrder' | 'twapCancel', reply: ExchangeReply): ActionReply {
  if (reply.kind === 'twapCancelled' && type === 'twapCancel') {
    return { kind: 'items', statuses: [{ kind: 'success' }] }
  }
  if (reply.kind === 'twapRunning' && type === 'twapOrder') {
    return { kind: 'items', statuses: [{ kind: 'running', twapId: reply.twapId }] }
  }
  if (reply.kind !== 'twapError' || reply.type !== type) return { kind: 'unknown' }
  return { kind: 'items', statuses: [{ kind: 'error', text: reply.text }] }
}

/** How many statuses the answer to an action has. */
export function itemCount(action: Action): number {
  switch (action.type) {
    case 'order':
      return action.orders.length
    case 'cancel':
    case 'cancelByCloid':
      return action.cancels.length
    case 'batchModify':
      return action.modifies.length
    case 'modify':
    case 'updateLeverage':
    case 'updateIsolatedMargin':
    case 'scheduleCancel':
    case 'twapOrder':
    case 'twapCancel':
      return 1
  }
}

/** The orders an action places, or changes an order into, as its answer's statuses are numbered. */
export function ordersOf(action: Action): readonly Order[] {
  switch (action.type) {
    case 'order':
      return action.orders
    case 'modify':
      return [action.modify.order]
    case 'batchModify':
      return action.modifies.map(({ order }) => order)
    default:
      return []
  }
}

/** The status of one item of an action; a refusal of the whole is the refusal of each item. */
export function statusOf(reply: ActionReply, item: number): ReplyStatus {
  if (reply.kind === 'refused') return { kind: 'error', text: reply.text }
  const status = reply.kind === 'items' ? reply.statuses[item] : undefined
  return status ?? { kind: 'unknown', json: null }
}

/** The venue's words where it refused an item; null where it did not. */
export function refusalIn(status: ReplyStatus): string | null {
  return status.kind === 'error' ? status.text : null
}

/** Accepted whole: every item of it, and none of them in doubt. */
export function isAcceptedWhole(reply: ActionReply): boolean {
  if (reply.kind !== 'items') return false
  return reply.statuses.every(({ kind }) => kind !== 'error' && kind !== 'unknown')
}

/** Nothing of it was accepted. */
export function isRefusedWhole(reply: ActionReply): boolean {
  if (reply.kind === 'refused') return true
  return reply.kind === 'items' && reply.statuses.every(({ kind }) => kind === 'error')
}

/** The answer as the venue writes it; `unknown` is written in the place of an item in doubt. */
export function encodeActionReply(action: Action, reply: ActionReply, unknown: Json): JsonObject {
  if (reply.kind === 'refused') return { status: 'err', response: reply.text }
  const type = answerTypeOf(action)
  if (type === 'default') return { status: 'ok', response: { type } }
  if (type === 'twapOrder' || type === 'twapCancel') {
    const status = statusOf(reply, 0)
    const told = status.kind === 'unknown' ? unknown : encodeStatus(status)
    return { status: 'ok', response: { type, data: { status: told } } }
  }
  const statuses = Array.from({ length: itemCount(action) }, (_, item) => {
    const status = statusOf(reply, item)
    return status.kind === 'unknown' ? unknown : encodeStatus(status)
  })
  return { status: 'ok', response: { type, data: { statuses } } }
}

function answerTypeOf(action: Action): AnswerType {
  switch (action.type) {
    case 'order':
    case 'batchModify':
      return 'order'
    case 'cancel':
    case 'cancelByCloid':
      return 'cancel'
    case 'modify':
    case 'updateLeverage':
    case 'updateIsolatedMargin':
    case 'scheduleCancel':
      return 'default'
    case 'twapOrder':
    case 'twapCancel':
      return action.type
  }
}

/**
 * One status for each item. What depends on the payload alone is refused once for the whole batch.
 * In any other answer that is too short or too long, only what names its order by a client id can
 * be told to be that order's.
 */
function matched(action: Action, statuses: readonly ReplyStatus[]): readonly ReplyStatus[] {
  const count = itemCount(action)
  if (statuses.length === count) return statuses
  const [only] = statuses
  if (statuses.length === 1 && only?.kind === 'error') {
    return Array.from({ length: count }, () => only)
  }
  const orders = ordersOf(action)
  return Array.from({ length: count }, (_, item): ReplyStatus => {
    const cloid = orders[item]?.cloid ?? null
    const named = statuses.filter((status) => 'cloid' in status && status.cloid === cloid)
    const isTold = cloid !== null && orders.filter((each) => each.cloid === cloid).length === 1
    const [own, other] = isTold ? named : []
    return own === undefined || other !== undefined ? { kind: 'unknown', json: null } : own
  })
}
