import type { WireAction } from '../core/protocol/action.ts'
import type { Crypto } from '../core/protocol/crypto.ts'
import { hashAction, phantomDigest } from '../core/protocol/hashAction.ts'
import type { Address } from '../core/values/address.ts'
import type { Nonce } from '../core/values/millis.ts'
import { secretBytes } from '../crypto/secretBytes.ts'
import type { SignedRequest, Signer } from '../engine/ports.ts'

/**
 * The one place that holds the API wallet key. It lives in this closure: no field, no getter, no
 * text ever shows it. Everything it signs is for `vaultAddress`, where the account is a sub-account
 * or a vault: what the venue would do for the wallet's own account cannot be signed then.
 */
export function createSigner(
  crypto: Crypto,
  network: 'mainnet' | 'testnet',
  privateKey: Uint8Array,
  vaultAddress: Address | null = null,
): Signer {
  const key = secretBytes(privateKey.length)
  key.set(privateKey)
  return {
    address: crypto.secp256k1.addressOf(key),
    sign: (action: WireAction, nonce: Nonce, expiresAfter: number): SignedRequest => {
      const connectionId = hashAction(crypto.keccak256, action, nonce, vaultAddress, expiresAfter)
      const digest = phantomDigest(crypto.keccak256, connectionId, network)
      const signature = crypto.secp256k1.sign(digest, key)
      return { action, nonce, signature, vaultAddress, expiresAfter }
    },
  }
}
