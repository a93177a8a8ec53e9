import { randomBytes } from 'node:crypto'
import type { Json } from '../../src/core/protocol/action.ts'
import type { Crypto, Signature } from '../../src/core/protocol/crypto.ts'
import { hashAction, phantomDigest } from '../../src/core/protocol/hashAction.ts'

export interface SignOptions {
  readonly nonce?: number
  readonly expiresAfter?: number
  readonly vaultAddress?: string
  readonly key?: Uint8Array
  readonly network?: 'mainnet' | 'testnet'
}

/** A signed request, ready to be tampered with. */
export interface Signed {
  action: Json
  nonce: number
  signature: { r: string; s: string; v: number }
  vaultAddress?: string
  expiresAfter?: number
}

/** Signs as a bot does, with the client key or any other. */
export class Pen {
  readonly crypto: Crypto
  readonly key: Uint8Array
  private lastNonce = 0

  constructor(crypto: Crypto, key: Uint8Array) {
    this.crypto = crypto
    this.key = key
  }

  nonce(): number {
    this.lastNonce = Math.max(Date.now(), this.lastNonce + 1)
    return this.lastNonce
  }

  sign(action: Json, options: SignOptions = {}): Signed {
    const { keccak256 } = this.crypto
    const nonce = options.nonce ?? this.nonce()
    const vault = options.vaultAddress ?? null
    const hash = hashAction(keccak256, action, nonce, vault, options.expiresAfter ?? null)
    const digest = phantomDigest(keccak256, hash, options.network ?? 'testnet')
    const { r, s, v } = this.signDigest(digest, options.key)
    return {
      action,
      nonce,
      signature: { r, s, v },
      ...(options.vaultAddress === undefined ? {} : { vaultAddress: options.vaultAddress }),
      ...(options.expiresAfter === undefined ? {} : { expiresAfter: options.expiresAfter }),
    }
  }

  signDigest(digest: Uint8Array, key = this.key): Signature {
    return this.crypto.secp256k1.sign(digest, key)
  }
}

/** A key nobody knows. */
export function strangerKey(): Uint8Array {
  const key = Uint8Array.from(randomBytes(32))
  // Below the curve's order for sure.
  key[0] = (key[0] ?? 0) & 0x7f
  return key
}

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** The other signature that recovers the same key. */
export function malleated({ r, s, v }: Signature): Signature {
  const other = (order - BigInt(s)).toString(16).padStart(64, '0')
  return { r, s: `0x${other}`, v: v === 27 ? 28 : 27 }
}
