import type { Keccak256, Signature } from '../core/protocol/crypto.ts'
import { bytesToHex, hexToBytes } from '../core/values/hex.ts'
import type { Address } from '../core/values/address.ts'

/** What both curves share: the forms in which Ethereum writes keys and signatures. */

/** The last 20 bytes of the hash of an uncompressed public key without its leading 4. */
export function addressOfPublicKey(keccak256: Keccak256, key: Uint8Array): Address {
  return `0x${bytesToHex(keccak256(key.subarray(1)).subarray(12))}` as Address
}

/** `r` and `s` in 64 bytes, left-padded; null when they or `v` are not a signature's. */
export function compactOf(signature: Signature): Uint8Array | null {
  if (signature.v !== 27 && signature.v !== 28) return null
  const r = signature.r.slice(2)
  const s = signature.s.slice(2)
  if (r.length > 64 || s.length > 64) return null
  return hexToBytes(`${r.padStart(64, '0')}${s.padStart(64, '0')}`)
}

/** A compact signature as the wire writes it, both numbers in 64 digits. */
export function signatureOf(compact: Uint8Array, recoveryId: number): Signature {
  const hex = bytesToHex(compact)
  return { r: `0x${hex.slice(0, 64)}`, s: `0x${hex.slice(64)}`, v: 27 + recoveryId }
}
