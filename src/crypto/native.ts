import { createRequire } from 'node:module'
import type { Keccak256, Secp256k1 } from '../core/protocol/crypto.ts'
import { addressOfPublicKey, compactOf, signatureOf } from './ethereum.ts'

/** The part of the package's binding that is used here; the package has no types. */
interface Binding {
  ecdsaRecover(
    signature: Uint8Array,
    recid: number,
    digest: Uint8Array,
    compressed: boolean,
  ): Uint8Array
  ecdsaSign(digest: Uint8Array, key: Uint8Array): { signature: Uint8Array; recid: number }
  publicKeyCreate(key: Uint8Array, compressed: boolean): Uint8Array
}

/**
 * The native curve, or null where its binding is absent. The binding is loaded by its own path: the
 * package's entry would fall back in silence to a JavaScript curve, sixteen times slower.
 */
export function loadNative(keccak256: Keccak256): Secp256k1 | null {
  const binding = loadBinding()
  if (binding === null) return null
  return {
    recover(digest, signature) {
      const compact = compactOf(signature)
      if (compact === null) return null
      try {
        const key = binding.ecdsaRecover(compact, signature.v - 27, digest, false)
        return addressOfPublicKey(keccak256, key)
      } catch {
        // The binding throws where no key recovers, and has no other way to say so.
        return null
      }
    },
    sign(digest, privateKey) {
      const signed = withKey(() => binding.ecdsaSign(digest, privateKey))
      return signatureOf(signed.signature, signed.recid)
    },
    addressOf(privateKey) {
      return addressOfPublicKey(
        keccak256,
        withKey(() => binding.publicKeyCreate(privateKey, false)),
      )
    },
  }
}

function loadBinding(): Binding | null {
  try {
    return createRequire(import.meta.url)('secp256k1/bindings.js') as Binding
  } catch {
    return null
  }
}

/** The binding's own errors are replaced, so that nothing of a key can reach a message. */
function withKey<T>(use: () => T): T {
  try {
    return use()
  } catch {
    throw new TypeError('the private key is not a valid key')
  }
}
