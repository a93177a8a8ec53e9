import { parseAddress } from '../values/address.ts'
import type { Address } from '../values/address.ts'
import { parseCloid } from '../values/cloid.ts'
import type { Cloid } from '../values/cloid.ts'
import { Decimal } from '../values/decimal.ts'
import { unreachable } from '../values/unreachable.ts'
import type { Json, JsonObject } from './action.ts'
import { isObject } from './fields.ts'

/** What became of one order or cancel. What cannot be read is its own state, never a failure. */
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
  | { readonly kind: 'unreadable'; readonly json: Json }

/** Every shape in which the venue answers an action. */
export type ExchangeReply =
  | { readonly kind: 'statuses'; readonly type: string; readonly statuses: readonly ReplyStatus[] }
  | { readonly kind: 'default' }
  | { readonly kind: 'twapRunning'; readonly twapId: number }
  | { readonly kind: 'twapCancelled' }
  | { readonly kind: 'twapError'; readonly type: string; readonly text: string }
  | { readonly kind: 'created'; readonly type: string; readonly address: Address }
  | { readonly kind: 'err'; readonly text: string }
  | { readonly kind: 'unreadable'; readonly json: Json }

/** Reads an answer of `/exchange`; never throws, whatever came. */
export function decodeReply(json: Json): ExchangeReply {
  const unreadable = { kind: 'unreadable', json } as const
  if (!isObject(json)) return unreadable
  const response = json['response']
  if (json['status'] === 'err') {
    return typeof response === 'string' ? { kind: 'err', text: response } : unreadable
  }
  if (json['status'] !== 'ok' || !isObject(response)) return unreadable
  const type = response['type']
  if (typeof type !== 'string') return unreadable
  if (type === 'default') return { kind: 'default' }
  const data = response['data']
  if (isObject(data) && Array.isArray(data['statuses'])) {
    const statuses = (data['statuses'] as readonly Json[]).map(decodeStatus)
    return { kind: 'statuses', type, statuses }
  }
  if (isObject(data) && type.startsWith('twap')) return decodeTwap(type, data) ?? unreadable
  const address = parseAddress(data)
  return address.ok ? { kind: 'created', type, address: address.value } : unreadable
}

function decodeTwap(type: string, data: JsonObject): ExchangeReply | null {
  const status = data['status']
  if (type === 'twapCancel' && status === 'success') return { kind: 'twapCancelled' }
  if (!isObject(status)) return null
  const { error, running } = status
  if (typeof error === 'string') return { kind: 'twapError', type, text: error }
  const twapId = isObject(running) ? running['twapId'] : null
  return type === 'twapOrder' && isId(twapId) ? { kind: 'twapRunning', twapId } : null
}

export function decodeStatus(json: Json): ReplyStatus {
  if (json === 'success' || json === 'waitingForFill' || json === 'waitingForTrigger') {
    return { kind: json }
  }
  if (!isObject(json)) return { kind: 'unreadable', json }
  const { error, resting, filled } = json
  if (typeof error === 'string') return { kind: 'error', text: error }
  if (isObject(resting)) return decodeResting(resting) ?? { kind: 'unreadable', json }
  if (isObject(filled)) return decodeFilled(filled) ?? { kind: 'unreadable', json }
  return { kind: 'unreadable', json }
}

function decodeResting(from: JsonObject): ReplyStatus | null {
  const { oid } = from
  const cloid = decodeCloid(from['cloid'])
  return isId(oid) && cloid !== undefined ? { kind: 'resting', oid, cloid } : null
}

function decodeFilled(from: JsonObject): ReplyStatus | null {
  const { oid } = from
  const cloid = decodeCloid(from['cloid'])
  const size = Decimal.parse(from['totalSz'])
  const price = Decimal.parse(from['avgPx'])
  if (!isId(oid) || cloid === undefined || !size.ok || !price.ok) return null
  return { kind: 'filled', oid, totalSize: size.value, averagePrice: price.value, cloid }
}

function decodeCloid(json: Json | undefined): Cloid | null | undefined {
  if (json === undefined || json === null) return null
  const parsed = parseCloid(json)
  return parsed.ok ? parsed.value : undefined
}

function isId(json: Json | undefined): json is number {
  return typeof json === 'number' && Number.isSafeInteger(json) && json >= 0
}

/** Writes an answer as the venue would; what could not be read goes back as it came. */
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
    case 'unreadable':
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
    case 'success':
    case 'waitingForFill':
    case 'waitingForTrigger':
      return status.kind
    case 'unreadable':
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
