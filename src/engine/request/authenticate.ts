import type { ReasonCode } from '../../core/judge/codes.ts'
import type { Refusal } from '../../core/judge/refusal.ts'
import { actionEntry } from '../../core/protocol/actionCatalog.ts'
import type { Action, Json } from '../../core/protocol/action.ts'
import type { Crypto } from '../../core/protocol/crypto.ts'
import { decodeEnvelope } from '../../core/protocol/decodeEnvelope.ts'
import type { SignedEnvelope } from '../../core/protocol/decodeEnvelope.ts'
import type { Network } from '../../core/protocol/hashAction.ts'
import { signerCandidates } from '../../core/protocol/recoverSigner.ts'
import type { Recovered } from '../../core/protocol/recoverSigner.ts'
import type { Address } from '../../core/values/address.ts'
import { limits } from '../../core/values/limits.ts'
import { quotedText } from '../../core/values/shownText.ts'
import type { Nonce } from '../../core/values/millis.ts'
import type { VenueClock } from '../venueClock.ts'
import { byVenueTime } from './signingClocks.ts'
import type { SigningClocks } from './signingClocks.ts'
import type { NonceDoubt, RefusedNonce, UsedNonces } from './usedNonces.ts'

/** Who asks, as far as it is known; goes into the decision as it is. */
export interface Asker {
  readonly client: Address | null
  readonly signedAs: Network | null
  readonly nonce: Nonce | null
  /** Whether this request was the one that used its nonce up. */
  readonly hasUsedNonce: boolean
  /** Why its nonce may have been used before: then nothing opens with it. Null where it was not. */
  readonly doubt: NonceDoubt | null
  /** The action's type; null when it could not be read. */
  readonly type: string | null
  /** The action as received; null when it could not be decoded. */
  readonly request: Json
}

type Authenticated =
  | {
      readonly ok: true
      readonly asker: Asker
      /** As it was sent, but for `expiresAfter`, which is in the venue's time. */
      readonly envelope: SignedEnvelope
    }
  | {
      readonly ok: false
      readonly asker: Asker
      readonly code: ReasonCode
      readonly text: string
    }

interface AuthenticateDeps {
  readonly crypto: Crypto
  readonly nonces: UsedNonces
  readonly clock: Pick<VenueClock, 'now' | 'machineAheadMs'>
  readonly clients: () => ReadonlySet<Address>
}

export const nobody: Asker = {
  client: null,
  signedAs: null,
  nonce: null,
  hasUsedNonce: false,
  doubt: null,
  type: null,
  request: null,
}

/**
 * Tells who signed a request, before anything is said about its action. A signature recovers to
 * some address under either network, so the clients decide which one it was. Once it checks out the
 * nonce is used up, whatever follows.
 */
export class Authenticator {
  private readonly deps: AuthenticateDeps
  private likely: Network = 'testnet'

  constructor(deps: AuthenticateDeps) {
    this.deps = deps
  }

  authenticate(body: Uint8Array): Authenticated {
    const decoded = decodeEnvelope(body)
    if (!decoded.ok) {
      return { ok: false, asker: nobody, code: 'malformed', text: decoded.error.join('; ') }
    }
    const envelope = decoded.value
    const { signer, isRecovered } = this.recover(envelope)
    const asker = askerOf(envelope, signer)
    if (isUserSigned(asker.type)) return this.refuseUserSigned(asker)
    if (signer === null) return refuseStranger(asker, isRecovered)
    this.remember(signer)
    return this.checkUse(envelope, asker, signer.address)
  }

  private checkUse(envelope: SignedEnvelope, asker: Asker, client: Address): Authenticated {
    const { nonce } = envelope
    const clocks = this.clocks()
    const use = this.deps.nonces.check(client, nonce, clocks)
    // What is too old opens nothing later either: only what could is remembered.
    const hasUsedNonce = use.isNew || use.code === 'auth_nonce_too_new'
    if (hasUsedNonce) this.deps.nonces.consume(client, nonce)
    const named = { ...asker, hasUsedNonce, doubt: use.isNew ? use.doubt : null }
    if (!use.isNew) {
      return { ok: false, asker: named, code: use.code, text: nonceText(use, nonce, clocks) }
    }
    const dated = use.doubt === 'clock' ? datedByVenue(envelope, clocks) : envelope
    if (dated.expiresAfter !== null && dated.expiresAfter <= clocks.now) {
      const text = `expiresAfter ${String(envelope.expiresAfter)} passed ${clocks.now - dated.expiresAfter} ms ago`
      return { ok: false, asker: named, code: 'auth_expired', text }
    }
    return { ok: true, asker: named, envelope: dated }
  }

  private clocks(): SigningClocks {
    const { clock } = this.deps
    return { now: clock.now(), machineAheadMs: clock.machineAheadMs() }
  }

  /** Why an order of an agent must not go, though its nonce is new: it went before. Null when it may. */
  replayedOrder({ client }: Asker, action: Action): Refusal | null {
    return this.deps.nonces.agentOrders.refusalOf(client, action)
  }

  /** The action was decided to go: no order of an agent in it goes again. */
  letThrough({ client, nonce }: Asker, action: Action): void {
    this.deps.nonces.agentOrders.letThrough(client, nonce, action)
  }

  /** A request that was shed leaves no trace: its nonce may be used after all. */
  forget({ client, nonce, hasUsedNonce }: Asker): void {
    if (hasUsedNonce && client !== null && nonce !== null) this.deps.nonces.release(client, nonce)
  }

  private recover(envelope: SignedEnvelope): { signer: Recovered | null; isRecovered: boolean } {
    const clients = this.deps.clients()
    let isRecovered = false
    for (const candidate of signerCandidates(this.deps.crypto, envelope, this.likely)) {
      isRecovered = true
      if (clients.has(candidate.address)) return { signer: candidate, isRecovered }
    }
    return { signer: null, isRecovered }
  }

  /** Whoever signed it: such an action is never forwarded. The client is named where it is one. */
  private refuseUserSigned(asker: Asker): Authenticated {
    const { client, nonce } = asker
    const hasUsedNonce =
      client !== null &&
      nonce !== null &&
      this.deps.nonces.check(client, nonce, this.clocks()).isNew
    if (hasUsedNonce) this.deps.nonces.consume(client, nonce)
    const name = asker.type === null ? 'this action' : `the action ${quotedText(asker.type)}`
    const text = `${name} moves funds or grants rights; Guard never forwards it`
    const named = { ...asker, hasUsedNonce }
    return { ok: false, asker: named, code: 'funds_or_permissions', text }
  }

  /** Clients rarely change network: the last one tried first saves the dearest step. */
  private remember(signer: Recovered): void {
    this.likely = signer.signedAs
  }
}

function isUserSigned(type: string | null): boolean {
  return type !== null && actionEntry(type).scheme !== 'l1'
}

function askerOf(envelope: SignedEnvelope, signer: Recovered | null): Asker {
  const { type } = envelope.action
  return {
    client: signer?.address ?? null,
    signedAs: signer?.signedAs ?? null,
    nonce: signer === null ? null : envelope.nonce,
    hasUsedNonce: false,
    doubt: null,
    type: typeof type === 'string' && type.length <= 64 ? type : null,
    request: envelope.action,
  }
}

function refuseStranger(asker: Asker, isRecovered: boolean): Authenticated {
  if (!isRecovered) {
    const text = 'the signature recovers no key; sign with a client key by the L1-action scheme'
    return { ok: false, asker, code: 'auth_bad_signature', text }
  }
  const text =
    "the signature recovers no client's key for either network; a changed action, nonce or expiry " +
    'changes the key it recovers'
  return { ok: false, asker, code: 'auth_unknown_signer', text }
}

const signedBefore =
  'it was signed before this Guard took over from the one before it: what became of it is on the ' +
  'record of that one; look at the account, and sign it again with a new nonce'

/** A request whose times were made by this machine's clock, with its `expiresAfter` in the venue's time. */
function datedByVenue(envelope: SignedEnvelope, clocks: SigningClocks): SignedEnvelope {
  const { expiresAfter } = envelope
  if (expiresAfter === null) return envelope
  return { ...envelope, expiresAfter: byVenueTime(expiresAfter, clocks) }
}

function nonceText({ code, why }: RefusedNonce, nonce: number, clocks: SigningClocks): string {
  const { now, machineAheadMs } = clocks
  if (why === 'used') return `nonce ${nonce} was used before by this client`
  if (why === 'taken_over') return signedBefore
  if (why === 'forgotten') {
    return `nonce ${nonce} is below those that Guard still remembers of this client, so nobody can say whether it was used; sign it again with a higher one`
  }
  const machine =
    Math.abs(machineAheadMs) < limits.nonceAheadMsMax ? '' : machineText(machineAheadMs)
  return code === 'auth_nonce_too_new'
    ? `nonce ${nonce} is ${nonce - now} ms ahead of the venue's time${machine}, at most ${limits.nonceAheadMsMax} ms is allowed`
    : `nonce ${nonce} is ${now - nonce} ms old by the venue's time${machine}, at most ${limits.nonceAgeMsMax} ms is allowed`
}

/** Said where the machine's clock is so wrong that a bot on it could be meant. */
function machineText(aheadMs: number): string {
  const way = aheadMs < 0 ? 'behind' : 'ahead of'
  return ` (this machine's clock is ${Math.abs(aheadMs)} ms ${way} it, and the nonce fits neither)`
}
