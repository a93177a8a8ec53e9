import { randomBytes } from 'node:crypto'
import { formatPrivateKey, parsePrivateKey } from '../../config/privateKey.ts'
import type { Secp256k1 } from '../../core/protocol/crypto.ts'
import type { Address } from '../../core/values/address.ts'

export interface ClientKey {
  readonly address: Address
  /** `0x` and 64 hex digits; shown or written once, kept nowhere. */
  readonly text: string
}

/** A key that only says which bot it is: it is worth nothing on the venue. */
export function newClientKey(secp256k1: Secp256k1): ClientKey {
  while (true) {
    const text = formatPrivateKey(randomBytes(32))
    const key = parsePrivateKey(text)
    // About one draw in 2^128 lies outside the curve.
    if (key.ok) return { address: secp256k1.addressOf(key.value), text }
  }
}
