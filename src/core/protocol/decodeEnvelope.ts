import type { Address } from '../values/address.ts'
import { parseAddress } from '../values/address.ts'
import { limits } from '../values/limits.ts'
import type { Nonce } from '../values/millis.ts'
import { err, ok } from '../values/result.ts'
import type { Result } from '../values/result.ts'
import type { Json, JsonObject } from './action.ts'
import type { Signature } from './crypto.ts'
import { Fields, isObject } from './fields.ts'
import { parseJson } from './strictJson.ts'

/** A signed request before anything is said about its action, which is kept as it was sent. */
export interface SignedEnvelope {
  readonly action: JsonObject
  readonly nonce: Nonce
  /** `r` and `s` in 64 digits each: clients may send them without leading zeros. */
  readonly signature: Signature
  readonly vaultAddress: Address | null
  readonly expiresAfter: number | null
}

/** Reads a request's body: one JSON object with exactly the known keys, each once, in any order. */
export function decodeEnvelope(body: Uint8Array | string): Result<SignedEnvelope, string[]> {
  const json = parseJson(body)
  return json.ok ? decodeEnvelopeJson(json.value) : err([json.error])
}

/** The same for a body that was already read strictly, such as the payload of a socket's post. */
export function decodeEnvelopeJson(json: Json): Result<SignedEnvelope, string[]> {
  const fields = new Fields()
  const from = fields.object(json, 'the request', required, optional)
  if (from === null) return err(fields.listed())
  const action = from['action']
  if (action !== undefined && !isObject(action)) fields.problem('', 'action', 'an object', action)
  const nonce = fields.whole(from, 'nonce', '', 0, Number.MAX_SAFE_INTEGER)
  const signature = decodeSignature(fields, from['signature'])
  const vaultAddress = decodeVault(fields, from['vaultAddress'])
  const expiresAfter =
    from['expiresAfter'] === undefined || from['expiresAfter'] === null
      ? null
      : fields.whole(from, 'expiresAfter', '', 0, Number.MAX_SAFE_INTEGER)
  if (fields.problems.length > 0) return err(fields.listed())
  return ok({
    action: action as JsonObject,
    nonce: nonce as Nonce,
    signature,
    vaultAddress,
    expiresAfter,
  })
}

/** What a kill request asks for; its envelope is that of any signed request. */
interface KillRequest {
  readonly reason: string
}

/** Reads the action of a kill request: its type and a reason that a person can read. */
export function decodeKill(action: Json): Result<KillRequest, string[]> {
  const fields = new Fields()
  const from = fields.object(action, 'the action', ['type', 'reason'])
  if (from === null) return err(fields.listed())
  fields.word(from, 'type', '', ['guardKill'])
  const reason = from['reason']
  if (reason !== undefined && (typeof reason !== 'string' || !printable.test(reason))) {
    const expected = `a text of 1 to ${limits.killReasonCharsMax} printable characters`
    fields.problem('', 'reason', expected, reason)
  }
  if (fields.problems.length > 0) return err(fields.listed())
  // Who asks for the end of everything gets it, whatever he says of why.
  return ok({ reason: (reason as string).trim() === '' ? 'no reason given' : (reason as string) })
}

const required = ['action', 'nonce', 'signature'] as const
const optional = ['vaultAddress', 'expiresAfter'] as const
const scalar = /^0x[0-9a-fA-F]{1,64}$/
const bareAddress = /^[0-9a-fA-F]{40}$/
const printable = new RegExp(
  `^[^\\p{Cc}\\p{Cf}\\p{Cs}\\p{Co}\\p{Zl}\\p{Zp}]{1,${limits.killReasonCharsMax}}$`,
  'u',
)

const noSignature: Signature = { r: '0x', s: '0x', v: 0 }

function decodeSignature(fields: Fields, value: Json | undefined): Signature {
  if (value === undefined) return noSignature
  const from = fields.object(value, 'signature', ['r', 's', 'v'])
  if (from === null) return noSignature
  const v = fields.whole(from, 'v', 'signature', 0, 255)
  return { r: decodeScalar(fields, from, 'r'), s: decodeScalar(fields, from, 's'), v }
}

function decodeScalar(fields: Fields, from: JsonObject, key: 'r' | 's'): string {
  const value = from[key]
  if (typeof value === 'string' && scalar.test(value)) {
    return `0x${value.slice(2).toLowerCase().padStart(64, '0')}`
  }
  if (value !== undefined) fields.problem('signature', key, '0x and 1 to 64 hex digits', value)
  return '0x'
}

function decodeVault(fields: Fields, value: Json | undefined): Address | null {
  if (value === undefined || value === null) return null
  // One common client sends the twenty bytes without their prefix.
  const isBare = typeof value === 'string' && bareAddress.test(value)
  const parsed = parseAddress(isBare ? `0x${value}` : value)
  if (parsed.ok) return parsed.value
  fields.problem('', 'vaultAddress', 'an address, or null', value)
  return null
}
