import type { Json } from '../../../../src/core/protocol/action.ts'
import type { Crypto } from '../../../../src/core/protocol/crypto.ts'
import { hashAction, phantomDigest } from '../../../../src/core/protocol/hashAction.ts'
import type { Network } from '../../../../src/core/protocol/hashAction.ts'
import { namedNetwork, sharedUserDigest } from '../../../../src/core/protocol/userSigned.ts'
import type { Address } from '../../../../src/core/values/address.ts'
import { parseAddress } from '../../../../src/core/values/address.ts'
import { err, ok } from '../../../../src/core/values/result.ts'
import type { Result } from '../../../../src/core/values/result.ts'
import type { MultiSigView } from '../../engine/views.ts'
import { readAction, readSignature } from './readEnvelope.ts'
import type { Envelope } from './readEnvelope.ts'
import { isObject } from './schema.ts'

/** An action that several have signed for one account, and the account. */
export interface SharedAction {
  readonly user: Address
  readonly envelope: Envelope
}

/** What the wrapper has to know of the venue. */
interface SharedAccounts {
  multiSig(user: Address): MultiSigView | null
  /** The account an address acts for: its own, or its master's where it is an agent. */
  actsFor(address: Address): Address | null
}

/**
 * Reads the wrapper of an action with several signatures: who may sign, whether enough of them did,
 * and the action inside. Its leader sent and signed the wrapper; only the leader's nonce counts.
 */
export function openMultiSig(
  crypto: Crypto,
  envelope: Envelope,
  leader: Address,
  network: Network,
  accounts: SharedAccounts,
): Result<SharedAction> | 'unfit' {
  const payload = envelope.sent['payload']
  const signatures = envelope.sent['signatures']
  if (!isObject(payload) || !Array.isArray(signatures)) return 'unfit'
  const user = parseAddress(payload['multiSigUser'])
  const outer = parseAddress(payload['outerSigner'])
  const inside = readAction(payload['action'])
  if (!user.ok || !outer.ok || inside === null || inside.scheme === 'multisig') return 'unfit'
  const shared = accounts.multiSig(user.value)
  if (shared === null) return err('Invalid multi-sig user')
  const leaderOf = accounts.actsFor(leader)
  if (outer.value !== leader || leaderOf === null || !shared.users.includes(leaderOf)) {
    return err('Invalid multi-sig outer signer')
  }
  const inner = { ...envelope, ...inside }
  const about = { user: user.value, leader, network, ...shared }
  const why = innerRefusal(crypto, inner, signatures, about)
  return why === null ? ok({ user: user.value, envelope: inner }) : err(why)
}

interface Shared extends MultiSigView {
  readonly user: Address
  readonly leader: Address
  readonly network: Network
}

/** Why the signatures inside are not enough, in the venue's words; null where they are. */
function innerRefusal(
  crypto: Crypto,
  inner: Envelope,
  signatures: readonly Json[],
  about: Shared,
): string | null {
  if (inner.scheme === 'user') {
    if (namedNetwork(inner.sent) !== about.network) {
      return 'Mainnet and testnet require different signature.'
    }
    if ((inner.sent['nonce'] ?? inner.sent['time']) !== inner.nonce) return 'Nonce mismatch.'
  }
  const signers = new Set<Address>()
  for (const each of signatures) {
    const signature = readSignature(each)
    const signer = signature === null ? null : innerSigner(crypto, inner, signature, about)
    if (signer === null || !about.users.includes(signer)) return 'Invalid multi-sig inner signer'
    signers.add(signer)
  }
  return signers.size < about.threshold ? 'Multi-sig threshold not met' : null
}

function innerSigner(
  { keccak256, secp256k1 }: Crypto,
  inner: Envelope,
  signature: Envelope['signature'],
  { user, leader, network }: Shared,
): Address | null {
  if (inner.scheme === 'user') {
    const digest = sharedUserDigest(keccak256, asSigned(inner.sent), user, leader)
    return digest === null ? null : secp256k1.recover(digest, signature)
  }
  const { nonce, vaultAddress, expiresAfter } = inner
  const hash = hashAction(
    keccak256,
    [user, leader, inner.canonical],
    nonce,
    vaultAddress,
    expiresAfter,
  )
  return secp256k1.recover(phantomDigest(keccak256, hash, network), signature)
}

/** A mode travels inside a wrapper by its letter, and is signed by its name. */
function asSigned(action: Envelope['sent']): Envelope['sent'] {
  const name = modeNames[String(action['abstraction'])]
  return name === undefined ? action : { ...action, abstraction: name }
}

const modeNames: { readonly [letter: string]: string } = {
  i: 'disabled',
  u: 'unifiedAccount',
  p: 'portfolioMargin',
}
