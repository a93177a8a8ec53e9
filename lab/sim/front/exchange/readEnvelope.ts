import type { Json } from '../../../../src/core/protocol/action.ts'
import { actionEntry } from '../../../../src/core/protocol/actionCatalog.ts'
import type { SigningScheme } from '../../../../src/core/protocol/actionCatalog.ts'
import type { Signature } from '../../../../src/core/protocol/crypto.ts'
import { parseAddress } from '../../../../src/core/values/address.ts'
import type { Address } from '../../../../src/core/values/address.ts'
import { l1Schemas } from './actionSchemas.ts'
import { isObject } from './schema.ts'

/** A request that fits the venue's types. */
export interface Envelope {
  readonly type: string
  readonly scheme: SigningScheme
  /** As it was sent. */
  readonly sent: { readonly [key: string]: Json }
  /** Rebuilt from its schema; for user-signed actions as it was sent. */
  readonly canonical: Json
  readonly nonce: number
  readonly signature: Signature
  readonly vaultAddress: Address | null
  readonly expiresAfter: number | null
}

const hexPattern = /^0x[0-9a-fA-F]{1,64}$/

/** Reads `{action, nonce, signature, vaultAddress?, expiresAfter?}`; null where it does not fit. */
export function readEnvelope(json: Json): Envelope | null {
  if (!isObject(json)) return null
  const action = json['action']
  const nonce = json['nonce']
  const signature = readSignature(json['signature'])
  const vault = readVault(json['vaultAddress'])
  const expiresAfter = json['expiresAfter'] ?? null
  const read = readAction(action)
  if (read === null) return null
  if (!isCount(nonce) || signature === null || vault === 'unfit') return null
  if (expiresAfter !== null && !isCount(expiresAfter)) return null
  return { ...read, nonce, signature, vaultAddress: vault, expiresAfter }
}

/** Reads an action by its own schema; null where it does not fit. */
export function readAction(
  action: Json | undefined,
): Pick<Envelope, 'type' | 'scheme' | 'sent' | 'canonical'> | null {
  if (!isObject(action) || typeof action['type'] !== 'string') return null
  const { scheme } = actionEntry(action['type'])
  const schema = l1Schemas.get(action['type'])
  const canonical = scheme === 'user' ? action : schema?.(action)
  if (canonical === undefined) return null
  return { type: action['type'], scheme, sent: action, canonical }
}

function isCount(json: Json | undefined): json is number {
  return typeof json === 'number' && Number.isSafeInteger(json) && json >= 0
}

export function readSignature(json: Json | undefined): Signature | null {
  if (!isObject(json)) return null
  const { r, s, v } = json
  if (typeof r !== 'string' || typeof s !== 'string' || !isCount(v)) return null
  return hexPattern.test(r) && hexPattern.test(s) ? { r, s, v } : null
}

/** One client leaves out the `0x`; the bytes are the same. */
function readVault(json: Json | undefined): Address | null | 'unfit' {
  if (json === undefined || json === null) return null
  if (typeof json !== 'string') return 'unfit'
  const parsed = parseAddress(json.startsWith('0x') ? json : `0x${json}`)
  return parsed.ok ? parsed.value : 'unfit'
}
