import type { Address } from '../values/address.ts'
import { actionEntry } from './actionCatalog.ts'
import type { SigningScheme } from './actionCatalog.ts'
import type { Crypto } from './crypto.ts'
import type { SignedEnvelope } from './decodeEnvelope.ts'
import { hashAction, phantomDigest } from './hashAction.ts'
import type { Network } from './hashAction.ts'
import { inVenueOrder } from './venueKeyOrder.ts'
import { multiSigDigest, namedNetwork, userSignedDigest } from './userSigned.ts'

/** Who a signature recovers to when it is read as one for that network. */
export interface Recovered {
  readonly address: Address
  readonly signedAs: Network
}

/**
 * The addresses a request may have been signed by, one for each network it can be read for: over the
 * action as sent, then over the action in the venue's own key order, where that is another. A
 * signature recovers to some address under either network, so only the caller, who knows the
 * clients, can tell the right one. A recovery is the dearest step of a request: they are computed
 * one at a time, `first` before the other, so that a caller who stops at a client pays for one.
 */
export function* signerCandidates(
  crypto: Crypto,
  envelope: SignedEnvelope,
  first: Network = 'mainnet',
): Generator<Recovered, void, undefined> {
  const scheme = schemeOf(envelope)
  yield* candidatesOf(crypto, envelope, first, scheme)
  if (scheme !== 'l1') {
    // A client that signs such an action as it signs everything else is still that client.
    yield* candidatesOf(crypto, envelope, first, 'l1')
    return
  }
  // Only once the action as it was sent has named nobody the caller knows.
  const action = inVenueOrder(envelope.action)
  if (action !== null) yield* candidatesOf(crypto, { ...envelope, action }, first, scheme)
}

function* candidatesOf(
  crypto: Crypto,
  envelope: SignedEnvelope,
  first: Network,
  scheme: SigningScheme,
): Generator<Recovered, void, undefined> {
  const digestOf = digests(crypto, envelope, scheme)
  for (const signedAs of networksOf(envelope, first, scheme)) {
    const digest = digestOf(signedAs)
    if (digest === null) continue
    const address = crypto.secp256k1.recover(digest, envelope.signature)
    if (address !== null) yield { address, signedAs }
  }
}

/** All candidates at once; empty when the signature recovers no key. */
export function recoverSigner(
  crypto: Crypto,
  envelope: SignedEnvelope,
  first: Network = 'mainnet',
): Recovered[] {
  return [...signerCandidates(crypto, envelope, first)]
}

function networksOf(
  envelope: SignedEnvelope,
  first: Network,
  scheme: SigningScheme,
): readonly Network[] {
  if (scheme === 'user') {
    const named = namedNetwork(envelope.action)
    return named === null ? [] : [named]
  }
  return first === 'mainnet' ? ['mainnet', 'testnet'] : ['testnet', 'mainnet']
}

function digests(
  crypto: Crypto,
  envelope: SignedEnvelope,
  scheme: SigningScheme,
): (on: Network) => Uint8Array | null {
  const { keccak256 } = crypto
  const { action, nonce, vaultAddress, expiresAfter } = envelope
  if (scheme === 'user') return () => userSignedDigest(keccak256, action)
  if (scheme === 'multisig') {
    return (on) => multiSigDigest(keccak256, action, nonce, vaultAddress, expiresAfter, on)
  }
  const hash = hashAction(keccak256, action, nonce, vaultAddress, expiresAfter)
  return (on) => phantomDigest(keccak256, hash, on)
}

function schemeOf(envelope: SignedEnvelope): SigningScheme {
  const type = envelope.action['type']
  return typeof type === 'string' ? actionEntry(type).scheme : 'l1'
}
