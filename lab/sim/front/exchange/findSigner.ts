import type { Crypto } from '../../../../src/core/protocol/crypto.ts'
import { hashAction, phantomDigest } from '../../../../src/core/protocol/hashAction.ts'
import type { Network } from '../../../../src/core/protocol/hashAction.ts'
import {
  multiSigDigest,
  namedNetwork,
  userSignedDigest,
} from '../../../../src/core/protocol/userSigned.ts'
import type { Address } from '../../../../src/core/values/address.ts'
import { err, ok } from '../../../../src/core/values/result.ts'
import type { Result } from '../../../../src/core/values/result.ts'
import type { Envelope } from './readEnvelope.ts'

/** Who signed, or the venue's words why nobody did. */
export function findSigner(
  crypto: Crypto,
  envelope: Envelope,
  network: Network,
  hashing: 'canonical' | 'asSent',
): Result<Address> {
  if (envelope.scheme === 'user') {
    if (namedNetwork(envelope.sent) !== network) {
      return err('Mainnet and testnet require different signature.')
    }
    const inner = envelope.sent['nonce'] ?? envelope.sent['time']
    if (inner !== envelope.nonce) return err('Nonce mismatch.')
  }
  const digest = digestOf(crypto, envelope, network, hashing)
  const signer = digest === null ? null : crypto.secp256k1.recover(digest, envelope.signature)
  return signer === null ? err('Unable to recover signer.') : ok(signer)
}

function digestOf(
  crypto: Crypto,
  envelope: Envelope,
  network: Network,
  hashing: 'canonical' | 'asSent',
): Uint8Array | null {
  const { keccak256 } = crypto
  const { nonce, vaultAddress, expiresAfter, sent } = envelope
  if (envelope.scheme === 'user') return userSignedDigest(keccak256, sent)
  if (envelope.scheme === 'multisig') {
    return multiSigDigest(keccak256, sent, nonce, vaultAddress, expiresAfter, network)
  }
  const action = hashing === 'asSent' ? sent : envelope.canonical
  const connectionId = hashAction(keccak256, action, nonce, vaultAddress, expiresAfter)
  return phantomDigest(keccak256, connectionId, network)
}
