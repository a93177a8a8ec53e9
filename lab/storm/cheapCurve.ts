import type { Crypto, Keccak256, Secp256k1, Signature } from '../../src/core/protocol/crypto.ts'
import { address } from '../../src/core/values/address.ts'
import type { Address } from '../../src/core/values/address.ts'
import { bytesToHex, hexToBytes } from '../../src/core/values/hex.ts'

/**
 * A stand-in for the curve in worlds that run by the thousand: a signature names its signer and is
 * sealed by a hash over the digest, so that whatever is changed recovers to a stranger. It proves
 * nothing against somebody who knows it; a share of the seeds runs with the real curve.
 */
export function cheapCrypto(keccak256: Keccak256): Crypto {
  const addressOf = (privateKey: Uint8Array): Address => addressIn(keccak256(privateKey))
  const sealOf = (signer: Address, digest: Uint8Array): string =>
    bytesToHex(keccak256(joined(hexToBytes(signer.slice(2)) ?? new Uint8Array(), digest)))
  const secp256k1: Secp256k1 = {
    addressOf,
    sign: (digest, privateKey): Signature => {
      const signer = addressOf(privateKey)
      const r = `0x${signer.slice(2).padStart(64, '1')}`
      return { r, s: `0x${sealOf(signer, digest)}`, v: 27 }
    },
    recover: (digest, { r, s, v }) => {
      const named = address(`0x${r.slice(2).padStart(64, '0').slice(24)}`)
      if (v === 27 && s.slice(2).padStart(64, '0') === sealOf(named, digest)) return named
      return addressIn(keccak256(joined(digest, keccak256(new TextEncoder().encode(r + s)))))
    },
  }
  return { keccak256, secp256k1, name: 'wasm' }
}

function addressIn(hash: Uint8Array): Address {
  return address(`0x${bytesToHex(hash.subarray(12))}`)
}

function joined(left: Uint8Array, right: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(left.length + right.length)
  bytes.set(left)
  bytes.set(right, left.length)
  return bytes
}
