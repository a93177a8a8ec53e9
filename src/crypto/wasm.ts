import { instantiateSecp256k1 } from '@bitauth/libauth'
import type { RecoveryId } from '@bitauth/libauth'
import type { Keccak256, Secp256k1 } from '../core/protocol/crypto.ts'
import { addressOfPublicKey, compactOf, signatureOf } from './ethereum.ts'

/** libsecp256k1 compiled to WASM: nothing to build, and the same on every machine. */
export async function loadWasm(keccak256: Keccak256): Promise<Secp256k1> {
  const curve = await instantiateSecp256k1()
  return {
    recover(digest, signature) {
      const compact = compactOf(signature)
      if (compact === null) return null
      const recoveryId = (signature.v - 27) as RecoveryId
      const key = curve.recoverPublicKeyUncompressed(compact, recoveryId, digest)
      return typeof key === 'string' ? null : addressOfPublicKey(keccak256, key)
    },
    sign(digest, privateKey) {
      checkLength(privateKey)
      const signed = curve.signMessageHashRecoverableCompact(privateKey, digest)
      if (typeof signed === 'string') throw new TypeError('the private key is not a valid key')
      return signatureOf(signed.signature, signed.recoveryId)
    },
    addressOf(privateKey) {
      checkLength(privateKey)
      const key = curve.derivePublicKeyUncompressed(privateKey)
      if (typeof key === 'string') throw new TypeError('the private key is not a valid key')
      return addressOfPublicKey(keccak256, key)
    },
  }
}

/** A short key would be completed with what the WASM memory held before. */
function checkLength(privateKey: Uint8Array): void {
  if (privateKey.length !== 32) throw new TypeError('the private key is not a valid key')
}
