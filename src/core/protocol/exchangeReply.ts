import { parseAddress } from '../values/address.ts'
import type { Address } from '../values/address.ts'
import { parseCloid } from '../values/cloid.ts'
import type { Cloid } from '../values/cloid.ts'
import { Decimal } from '../values/decimal.ts'
import { unreachable } from '../values/unreachable.ts'
import type { Json, JsonObject } from './action.ts'
import { isObject } from './fields.ts'

/**
 * What became of one order or cancel, as the venue's reference has it. Anything else is `unknown`:
 * neither done nor refused, and kept as it came.
 */
export type ReplyStatus =
  | { readonly kind: 'resting'; readonly oid: number; readonly cloid: Cloid | null }
  | {
      readonly kind: 'filled'
      readonly oid: number
      readonly totalSize: Decimal
      readonly averagePrice: Decimal
      readonly cloid: Cloid | null
    }
  | { readonly kind: 'error'; readonly text: string }
  | { readonly kind: 'success' | 'waitingForFill' | 'waitingForTrigger' }
  /** A TWAP runs under this number. */
  | { readonly kind: 'running'; readonly twapId: number }
  | { readonly kind: 'unknown'; readonly json: Json }

/** Every shape in which the venue answers an action; whatever else came is `unknown`. */
export type ExchangeReply =
  | {
      readonly kind: 'statuses'
      readonly type: StatusType
      readonly statuses: readonly ReplyStatus[]
    }
  | { readonly kind: 'default' }
  | { readonly kind: 'twapRunning'; readonly twapId: number }
  | { readonly kind: 'twapCancelled' }
  | { readonly kind: 'twapError'; readonly type: 'twapOrder' | 'twapCancel'; readonly text: string }
  | { readonly kind: 'created'; readonly type: CreatedType; readonly address: Address }
  | { readonly kind: 'err'; readonly text: string }
  | { readonly kind: 'unknown'; readonly json: Json }

type StatusType = 'order' | 'cancel'
type CreatedType = 'createSubAccount' | 'createVault'

/** The statuses that the answer to an order may have, and those of a cancel. */
const kindsOf: { readonly [Type in StatusType]: ReadonlySet<ReplyStatus['kind']> } = {
  order: new Set(['resting', 'filled', 'error', 'waitingForFill', 'waitingForTrigger']),
  cancel: new Set(['success', 'error']),
}

/**
 * Reads an answer of `/exchange`; never throws, whatever came. A type, a status or a shape that the
 * reference does not have is unknown. A field more than the reference has is passed over: the venue
 * adds some now and then, and they take nothing back of what the known ones say.
 */
export function decodeReply(json: Json): ExchangeReply {
  return knownReply(json) ?? { kind: 'unknown', json }
}

function knownReply(json: Json): ExchangeReply | null {
  if (!isObject(json)) return null
  const { status, response } = json
  if (status === 'err') {
    return typeof response === 'string' ? { kind: 'err', text: response } : null
  }
  if (status !== 'ok' || !isObject(response)) return null
  const { type, data } = response
  switch (type) {
    case 'default':
      return data === undefined || data === null ? { kind: 'default' } : null
    case 'order':
    case 'cancel':
      return decodeStatuses(type, data)
    case 'twapOrder':
    case 'twapCancel':
      return isObject(data) ? decodeTwap(type, data) : null
    case 'createSubAccount':
    case 'createVault': {
      const address = parseAddress(data)
      return address.ok ? { kind: 'created', type, address: address.value } : null
    }
    default:
      return null
  }
}

function decodeStatuses(type: StatusType, data: Json | undefined): ExchangeReply | null {
  const list = isObject(data) ? data['statuses'] : undefined
  if (!Array.isArray(list)) return null
  const statuses = (list as readonly Json[]).map((json): ReplyStatus => {
    const status = knownStatus(json)
    return status !== null && kindsOf[type].has(status.kind) ? status : { kind: 'unknown', json }
  })
  return { kind: 'statuses', type, statuses }
}

function decodeTwap(type: 'twapOrder' | 'twapCancel', data: JsonObject): ExchangeReply | null {
  const { status } = data
  if (type === 'twapCancel' && status === 'success') return { kind: 'twapCancelled' }
  if (!isObject(status)) return null
  const { error, running } = status
  if (error !== undefined && running !== undefined) return null
  if (typeof error === 'string') return { kind: 'twapError', type, text: error }
  const twapId = isObject(running) ? running['twapId'] : null
  return type === 'twapOrder' && isId(twapId) ? { kind: 'twapRunning', twapId } : null
}

const outcomes = ['error', 'resting', 'filled'] as const

function knownStatus(json: Json): ReplyStatus | null {
  if (json === 'success' || json === 'waitingForFill' || json === 'waitingForTrigger') {
    return { kind: json }
  }
  if (!isObject(json)) return null
  // One that says two things at once says nothing.
  const [outcome, second] = outcomes.filter((name) => Object.hasOwn(json, name))
  if (outcome === undefined || second !== undefined) return null
  const said = json[outcome]
  if (outcome === 'error') return typeof said === 'string' ? { kind: 'error', text: said } : null
  if (!isObject(said)) return null
  return outcome === 'resting' ? decodeResting(said) : decodeFilled(said)
}

function decodeResting(from: JsonObject): ReplyStatus | null {
  const { oid } = from
  const cloid = decodeCloid(from['cloid'])
  return isId(oid) && cloid !== undefined ? { kind: 'resting', oid, cloid } : null
}

function decodeFilled(from: JsonObject): ReplyStatus | null {
  const { oid } = from
  const cloid = decodeCloid(from['cloid'])
  const totalSize = decodeAmount(from['totalSz'])
  const averagePrice = decodeAmount(from['avgPx'])
  if (!isId(oid) || cloid === undefined || totalSize === null || averagePrice === null) return null
  return { kind: 'filled', oid, totalSize, averagePrice, cloid }
}

/** A size or a price has no sign. */
function decodeAmount(json: Json | undefined): Decimal | null {
  const parsed = Decimal.parse(json)
  return parsed.ok && !(json as string).startsWith('-') ? parsed.value : null
}

function decodeCloid(json: Json | undefined): Cloid | null | undefined {
  if (json === undefined || json === null) return null
  const parsed = parseCloid(json)
  return parsed.ok ? parsed.value : undefined
}

function isId(json: Json | undefined): json is number {
  return typeof json === 'number' && Number.isSafeInteger(json) && json >= 0
}

/** Writes an answer as the venue would; what is unknown goes back as it came. */
export function encodeReply(reply: ExchangeReply): Json {
  switch (reply.kind) {
    case 'statuses':
      return success({ type: reply.type, data: { statuses: reply.statuses.map(encodeStatus) } })
    case 'default':
      return success({ type: 'default' })
    case 'twapRunning': {
      const data = { status: { running: { twapId: reply.twapId } } }
      return success({ type: 'twapOrder', data })
    }
    case 'twapCancelled':
      return success({ type: 'twapCancel', data: { status: 'success' } })
    case 'twapError':
      return success({ type: reply.type, data: { status: { error: reply.text } } })
    case 'created':
      return success({ type: reply.type, data: reply.address })
    case 'err':
      return { status: 'err', response: reply.text }
    case 'unknown':
      return reply.json
    default:
      return unreachable(reply)
  }
}

function success(response: Json): Json {
  return { status: 'ok', response }
}

export function encodeStatus(status: ReplyStatus): Json {
  switch (status.kind) {
    case 'resting':
      return { resting: { oid: status.oid, ...encodeCloid(status.cloid) } }
    case 'filled': {
      const totalSz = venueText(status.totalSize)
      const avgPx = venueText(status.averagePrice)
      return { filled: { totalSz, avgPx, oid: status.oid, ...encodeCloid(status.cloid) } }
    }
    case 'error':
      return { error: status.text }
    case 'running':
      return { running: { twapId: status.twapId } }
    case 'success':
    case 'waitingForFill':
    case 'waitingForTrigger':
      return status.kind
    case 'unknown':
      return status.json
    default:
      return unreachable(status)
  }
}

function encodeCloid(cloid: Cloid | null): { cloid?: string } {
  return cloid === null ? {} : { cloid }
}

/** The venue's answers keep at least one decimal: `136.0`, `0.00015`. */
export function venueText(value: Decimal): string {
  const text = value.toString()
  return text.includes('.') ? text : `${text}.0`
}
