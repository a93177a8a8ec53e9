import type { Json, JsonObject, WireAction } from '../core/protocol/action.ts'
import { decodeReply } from '../core/protocol/exchangeReply.ts'
import type { ReplyStatus } from '../core/protocol/exchangeReply.ts'
import { isObject } from '../core/protocol/fields.ts'
import type { DecisionReply } from '../client/client.ts'
import type { Delivery } from './guardPort.ts'

/** What became of a signed request, from Guard's answer or, later, from its record. */
export interface Outcome {
  /**
   * `done`: the venue took it. `would`: paper mode, nothing was sent. `refused`: by a rule of Guard's.
   * `venue_refused`: the venue did. `not_sent`: it did not leave. `unknown`: nobody can tell yet.
   */
  readonly state: 'done' | 'would' | 'refused' | 'venue_refused' | 'not_sent' | 'unknown'
  readonly verdict: 'allow' | 'resize' | 'veto' | null
  readonly code: string | null
  /** Guard's own sentence about this client's own request. */
  readonly reason: string | null
  readonly changes: readonly string[]
  /** Of each order or cancel that was asked for, in that order; empty where none came. */
  readonly statuses: readonly ReplyStatus[]
  /** It was looked up, by which the average price of a fill is not told. */
  readonly isPriceUnknown?: true
  /** The venue's own words. */
  readonly venueWords: readonly string[]
}

const paperWords = 'Guard paper mode: '
const ownWords = /^Guard (?:veto|paper mode: would \w+)? ?\[\w+\]: /

/** Reads Guard's answer; the record adds why and what was changed, once it can be read. */
export function outcomeOf(delivery: Delivery, record: DecisionReply | null): Outcome {
  const decision = record?.decision
  const told = {
    verdict: decision?.verdict ?? null,
    code: decision?.code ?? null,
    reason: decision?.text ?? null,
    changes: decision?.changes ?? [],
    statuses: [],
    venueWords: [],
  }
  if (delivery.kind !== 'answered') return { ...told, state: delivery.kind, reason: delivery.why }
  const { reply } = delivery
  const code = typeof reply['code'] === 'string' ? reply['code'] : told.code
  const verdict = verdictOf(reply['verdict']) ?? told.verdict
  const words = typeof reply['response'] === 'string' ? reply['response'] : null
  const own = {
    ...told,
    code,
    verdict,
    reason: told.reason ?? words?.replace(ownWords, '') ?? null,
  }
  if (code === 'venue_unreachable') {
    return { ...own, state: words?.includes('it did not arrive') === true ? 'not_sent' : 'unknown' }
  }
  if (words?.startsWith(paperWords) === true) {
    return { ...own, state: verdict === 'veto' ? 'refused' : 'would' }
  }
  if (verdict === 'veto') return { ...own, state: 'refused' }
  return { ...own, ...venuePart(reply) }
}

/** What a decision on record says, for a request whose answer is not at hand any more. */
export function recordedOutcome(
  record: DecisionReply,
  place: { readonly index: number; readonly at: number } | null,
  isPaper: boolean,
): Outcome {
  const { verdict, code, text, changes } = record.decision
  const told = { verdict, code, reason: text, changes, statuses: [], venueWords: [] }
  if (verdict === 'veto') return { ...told, state: 'refused' }
  const sent = record.sent.find(({ index }) => index === (place?.index ?? -1))
  if (sent === undefined) return { ...told, state: isPaper ? 'would' : 'unknown' }
  const { reply } = sent
  if (isObject(reply) && 'may_have_arrived' in reply) {
    return { ...told, state: reply['may_have_arrived'] === true ? 'unknown' : 'not_sent' }
  }
  const part = venuePart(reply)
  const own = part.statuses[place?.at ?? 0]
  if (own === undefined) return { ...told, ...part }
  return {
    ...told,
    ...part,
    state: own.kind === 'error' ? 'venue_refused' : part.state,
    statuses: [own],
  }
}

/** Whether the venue took a sent action whole; null where nobody can tell. */
export function wasTaken({ ok, reply }: DecisionReply['sent'][number]): boolean | null {
  if (isObject(reply) && 'may_have_arrived' in reply) {
    return reply['may_have_arrived'] === true ? null : ok
  }
  return venuePart(reply).state === 'unknown' ? null : ok
}

function venuePart(reply: Json): Pick<Outcome, 'state' | 'statuses' | 'venueWords'> {
  const decoded = decodeReply(reply)
  switch (decoded.kind) {
    case 'statuses': {
      const { statuses } = decoded
      const venueWords = statuses.flatMap((each) => (each.kind === 'error' ? [each.text] : []))
      const isUnknown = statuses.some(({ kind }) => kind === 'unknown')
      const isRefused = statuses.length > 0 && venueWords.length === statuses.length
      return {
        state: isUnknown ? 'unknown' : isRefused ? 'venue_refused' : 'done',
        statuses,
        venueWords,
      }
    }
    case 'default':
      return { state: 'done', statuses: [], venueWords: [] }
    case 'err':
      return { state: 'venue_refused', statuses: [], venueWords: [decoded.text] }
    default:
      return { state: 'unknown', statuses: [], venueWords: [] }
  }
}

function verdictOf(value: Json | undefined): Outcome['verdict'] {
  return value === 'allow' || value === 'resize' || value === 'veto' ? value : null
}

/** An order within what Guard sent for a decision: the action's index, its place there, and itself. */
export interface PlacedOrder {
  readonly index: number
  readonly at: number
  readonly action: WireAction
  readonly order: JsonObject
  /** What the venue said of each order of the action; empty where that is not on record. */
  readonly statuses: readonly ReplyStatus[]
}

/** The order with this id among what a decision sends; null where it sends none. */
export function placedOrder({ decision, sent }: DecisionReply, cloid: string): PlacedOrder | null {
  const { pre, forward, forward_more: more } = decision
  const actions = [...pre, ...(forward === null ? [] : [forward]), ...more]
  for (const [index, action] of actions.entries()) {
    const orders = ordersOf(action)
    const at = orders.findIndex((order) => order['c'] === cloid)
    const order = orders[at]
    if (order === undefined) continue
    const reply = sent.find((each) => each.index === index)?.reply ?? null
    return { index, at, action, order, statuses: venuePart(reply).statuses }
  }
  return null
}

/** The orders that an action places: of `order`, and the new one of a `modify`. */
export function ordersOf(action: Json): readonly JsonObject[] {
  if (!isObject(action)) return []
  const { orders, order, modifies } = action
  if (Array.isArray(orders)) return (orders as readonly Json[]).filter(isObject)
  if (isObject(order)) return [order]
  if (!Array.isArray(modifies)) return []
  return (modifies as readonly Json[]).flatMap((each) =>
    isObject(each) && isObject(each['order']) ? [each['order']] : [],
  )
}
