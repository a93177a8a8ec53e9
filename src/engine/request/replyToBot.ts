import type { JsonObject } from '../../core/protocol/action.ts'
import {
  encodeActionReply,
  itemCount,
  refusalIn,
  statusOf,
} from '../../core/protocol/actionReply.ts'
import { encodeStatus } from '../../core/protocol/exchangeReply.ts'
import type { ReplyStatus } from '../../core/protocol/exchangeReply.ts'
import type { ReasonCode } from '../../core/judge/codes.ts'
import { actionsOf } from '../../core/judge/decision.ts'
import { keptNamesIn } from '../../core/judge/keptName.ts'
import type { Decision, EntryDecision, ExitDecision, ReplySlot } from '../../core/judge/decision.ts'
import type { Cloid } from '../../core/values/cloid.ts'
import type { Reply } from '../guard.ts'
import { notKnown } from '../send/dispatcher.ts'
import { joinedStatus } from './joinedStatus.ts'
import type { ActionResult } from '../send/dispatcher.ts'

/** The venue's clients know this status; the gateway adds when to come again. */
export const shedReply: Reply = { status: 429, body: null }

/** `{"status":"err"}` with HTTP 200 is the one refusal every client of the venue shows to its bot. */
export function vetoReply(code: string, text: string): JsonObject {
  return { status: 'err', response: `Guard veto [${code}]: ${text}`, code, verdict: 'veto' }
}

export function paperReply(decision: Decision): JsonObject {
  const { verdict, code, text } = decision
  const said = `Guard paper mode: would ${verdict} [${code}]: ${text} (nothing was sent)`
  return { status: 'err', response: said, code, verdict, ...sizesOf(decision) }
}

/** The venue's answers, put together as the one answer to what the bot asked. */
export function forwardedReply(decision: Decision, results: readonly ActionResult[]): JsonObject {
  const failure = wholeFailure(decision, results)
  if (failure !== null) return failure
  const added = {
    code: decision.code,
    verdict: decision.verdict,
    ...sizesOf(decision),
  }
  const { reply } = decision
  if (reply.kind === 'pass') return { ...passed(decision, results), ...added }
  const from = lostFrom(decision, results)
  const statuses = reply.slots.map((slot) => {
    const status = slotStatus(decision, slot, results)
    if (slot.kind === 'veto' || slot.action < from || status.kind !== 'error') return status
    return results[slot.action]?.kind === 'answered' ? told(lost + status.text) : status
  })
  if (reply.kind === 'default') {
    const error = statuses.map(refusalIn).find((each) => each !== null)
    return error === undefined
      ? { status: 'ok', response: { type: 'default' }, ...added }
      : { status: 'err', response: error, ...added }
  }
  const refusal = from < Infinity ? null : wholeRefusal(reply.slots, results)
  if (refusal !== null) return { status: 'err', response: refusal, ...added }
  const names = keptNamesIn(decision.changeRecords)
  const own = statuses.map((status) => encodeStatus(asNamed(status, names, reply.stripCloids)))
  const data = { statuses: own }
  return { status: 'ok', response: { type: reply.responseType, data }, ...added }
}

/** In the venue's words: the old order of a modify is gone, and there is no new one. */
const lost = 'Error placing new order during modify: '

/** From which place of its actions on new orders come for old ones that are cancelled; Infinity where none do. */
function lostFrom(decision: Decision, results: readonly ActionResult[]): number {
  const place = actionsOf(decision).findIndex(({ type }) => type === 'cancel')
  const result = results[place]
  const isLost = result?.kind === 'answered' && refusalOf(result, 1) === null
  return isLost ? place : Infinity
}

/** Nothing that the bot asked for reached the venue, or nobody knows whether it did. */
function wholeFailure(decision: Decision, results: readonly ActionResult[]): JsonObject | null {
  const places = askedPlaces(decision)
  const asked = places.map((place) => results[place])
  if (isAllUnknown(decision, results)) return unreachable(notKnown, true)
  if (asked.length === 0 || asked.some((result) => result?.kind === 'answered')) return null
  const held = asked.find((result) => result?.kind === 'not_sent' && result.held !== null)
  if (held?.kind === 'not_sent' && held.held !== null) {
    return vetoReply(held.held.code, held.held.text)
  }
  const unknown = asked.find((result) => result?.kind === 'unknown')
  if (unknown?.kind === 'unknown') return unreachable(unknown.error, true)
  const unsent = asked.find((result) => result?.kind === 'not_sent')
  if (unsent?.kind === 'not_sent') return unreachable(unsent.error, false)
  return skippedReply(decision, results)
}

/** The answers came, and of nothing that the bot asked for they say what became of it. */
function isAllUnknown({ reply }: Decision, results: readonly ActionResult[]): boolean {
  const asked = reply.slots.flatMap((slot) => (slot.kind === 'status' ? [slot] : []))
  return (
    asked.length > 0 &&
    asked.every(({ action, index }) => {
      const result = results[action]
      return result?.kind === 'answered' && statusOf(result.reply, index).kind === 'unknown'
    })
  )
}

function unreachable(error: string, mayHaveArrived: boolean): JsonObject {
  const whether = mayHaveArrived
    ? 'it may have arrived: read the open orders and TWAPs before sending again'
    : 'it did not arrive'
  const response = `Guard [venue_unreachable]: ${error}; ${whether}`
  return { status: 'err', response, code: 'venue_unreachable' }
}

/** What had to come first was not accepted: the leverage an entry needs, or the cancel of what it replaces. */
function skippedReply(decision: Decision, results: readonly ActionResult[]): JsonObject {
  const { code, text } = skippedText(decision, results)
  return { status: 'err', response: `Guard [${code}]: ${text}`, code }
}

interface Skipped {
  readonly code: ReasonCode
  readonly text: string
}

function skippedText(decision: Decision, results: readonly ActionResult[]): Skipped {
  const actions = actionsOf(decision)
  const isCancel = (place: number): boolean => actions[place]?.type === 'cancel'
  for (const [place, result] of results.entries()) {
    const action = actions[place]
    if (action === undefined || result.kind !== 'answered') continue
    const refusal = refusalOf(result, itemCount(action))
    if (refusal === null) continue
    if (!isCancel(place)) {
      const text = `the venue refused the leverage the entry needs: ${refusal}`
      return { code: 'venue_refused_leverage', text }
    }
    const text = `the order that it replaces could not be cancelled (${refusal}), so the new one was not sent`
    return { code: 'unknown_order', text }
  }
  const place = results.findIndex(({ kind }) => kind === 'unknown' || kind === 'not_sent')
  const unsent = results[place]
  if (unsent?.kind === 'not_sent' && unsent.held !== null) return unsent.held
  const why = unsent === undefined || !('error' in unsent) ? 'no answer came' : unsent.error
  if (isCancel(place) && unsent?.kind === 'unknown') {
    const text = `${why}; the order that it replaces may be cancelled, and the new one was not sent: read the open orders`
    return { code: 'venue_unreachable', text }
  }
  const what = isCancel(place) ? 'the cancel of what it replaces' : 'the leverage the entry needs'
  const text = `${why}; ${what} is not confirmed, so the entry was not sent`
  return { code: 'venue_unreachable', text }
}

/** The first refusal among the items of an answer. */
function refusalOf(result: ActionResult & { kind: 'answered' }, items: number): string | null {
  for (let at = 0; at < items; at += 1) {
    const refusal = refusalIn(statusOf(result.reply, at))
    if (refusal !== null) return refusal
  }
  return null
}

function slotStatus(
  decision: Decision,
  slot: ReplySlot,
  results: readonly ActionResult[],
): ReplyStatus {
  if (slot.kind === 'veto') return told(slot.text)
  if (slot.kind === 'waiting') {
    const { action, index } = slot
    const entry = slotStatus(decision, { kind: 'status', action, index }, results)
    return refusalIn(entry) === null ? { kind: 'waitingForFill' } : entry
  }
  const result = results[slot.action]
  switch (result?.kind) {
    case 'answered': {
      const { reply } = result
      const pieces = Array.from({ length: slot.pieces ?? 1 }, (_, piece) =>
        statusOf(reply, slot.index + piece),
      )
      const status = joinedStatus(pieces)
      return status.kind === 'unknown' ? told(mayHaveArrived(notKnown)) : status
    }
    case 'unknown':
      return told(mayHaveArrived(result.error))
    case 'not_sent':
      if (result.held !== null) return told(`Guard veto [${result.held.code}]: ${result.held.text}`)
      return told(`Guard [venue_unreachable]: ${result.error}; it did not arrive`)
    case 'skipped':
    case undefined: {
      const { code, text } = skippedText(decision, results)
      return told(`Guard [${code}]: ${text}`)
    }
  }
}

/** What stands in the place of a status of the venue. */
function told(text: string): ReplyStatus {
  return { kind: 'error', text }
}

function mayHaveArrived(error: string): string {
  return `Guard [venue_unreachable]: ${error}; it may have arrived`
}

/** The venue refused the one action the bot's request became: its answer has no statuses. */
function wholeRefusal(
  slots: readonly ReplySlot[],
  results: readonly ActionResult[],
): string | null {
  const texts = slots.map((slot) => {
    const result = slot.kind === 'veto' ? undefined : results[slot.action]
    return result?.kind === 'answered' && result.reply.kind === 'refused' ? result.reply.text : null
  })
  const [first] = texts
  return first !== undefined && texts.every((text) => text === first) ? first : null
}

/** The status with the bot's own id in the place of one that Guard gave to its order, or with none. */
function asNamed(
  status: ReplyStatus,
  names: ReadonlyMap<string, Cloid>,
  stripCloids: readonly string[],
): ReplyStatus {
  if (!('cloid' in status) || status.cloid === null) return status
  const name = names.get(status.cloid)
  if (name !== undefined) return { ...status, cloid: name }
  return stripCloids.includes(status.cloid) ? { ...status, cloid: null } : status
}

/** The venue's own answer; an item of which it says nothing is told as one that may have arrived. */
function passed({ forward, pre }: Decision, results: readonly ActionResult[]): JsonObject {
  const result = results[pre.length]
  if (forward === null || result?.kind !== 'answered') return {}
  const inDoubt = encodeStatus(told(mayHaveArrived(notKnown)))
  return encodeActionReply(forward, result.reply, inDoubt)
}

/** The places of the actions that carry what the bot asked for. */
function askedPlaces(decision: Decision): readonly number[] {
  const { kind, slots } = decision.reply
  if (kind === 'pass') return decision.forward === null ? [] : [decision.pre.length]
  const places = slots.flatMap((slot) => (slot.kind === 'status' ? [slot.action] : []))
  return [...new Set(places)].filter((place) => place < actionsOf(decision).length)
}

/** What became of the sizes that Guard judged: two fields for one order, a list for several. */
function sizesOf({ entries, exits }: Decision): JsonObject {
  // Exits that all go as they were sent are told of only where one is all there is.
  const isCut = exits.some(({ requestedSize, size }) => !size.eq(requestedSize))
  const judged = isCut || entries.length + exits.length === 1 ? exits : []
  const sized = [...entries, ...judged].sort((left, right) => left.at - right.at)
  const [only, ...others] = sized
  if (only === undefined) return {}
  return others.length === 0 ? sizeOf(only) : { entries: sized.map(sizeAndCode) }
}

function sizeOf(order: EntryDecision | ExitDecision): JsonObject {
  return { requested_size: order.requestedSize.toString(), size: order.size.toString() }
}

function sizeAndCode(entry: EntryDecision | ExitDecision): JsonObject {
  return { ...sizeOf(entry), code: entry.code }
}
