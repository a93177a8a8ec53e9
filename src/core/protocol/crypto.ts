import type { Address } from '../values/address.ts'

/** The two primitives the wire language needs; `src/crypto` implements them. */

export type Keccak256 = (bytes: Uint8Array) => Uint8Array

export interface Signature {
  readonly r: string
  readonly s: string
  /** 27 or 28. */
  readonly v: number
}

export interface Secp256k1 {
  /** The address that signed, or null when the signature recovers no key. */
  recover(digest: Uint8Array, signature: Signature): Address | null
  sign(digest: Uint8Array, privateKey: Uint8Array): Signature
  addressOf(privateKey: Uint8Array): Address
}

export interface Crypto {
  readonly keccak256: Keccak256
  readonly secp256k1: Secp256k1
  /** Which curve is in use, for the start-up line. */
  readonly name: 'native' | 'wasm'
}
