import type { Action, WireAction } from '../../core/protocol/action.ts'
import { encodeAction } from '../../core/protocol/encodeAction.ts'
import { limits } from '../../core/values/limits.ts'
import { dayMs, millis, nonce } from '../../core/values/millis.ts'
import type { Millis } from '../../core/values/millis.ts'
import type {
  Clock,
  Durable,
  Urgency,
  SignedRequest,
  Signer,
  VenueAnswer,
  VenueHttp,
} from '../ports.ts'

/** Signed and still here. It can be sent once. */
export interface Prepared {
  readonly wire: WireAction
  readonly nonce: number
  /** After this the venue refuses it: from then on it can no longer happen. */
  readonly expiresAt: Millis
  /** The same moment by the monotonic clock: a step of the wall clock ends no action's life. */
  readonly expiresMonotonicMs: number
}

/**
 * The venue refuses nonces of more than a day ahead. Where the last one was further ahead than this,
 * in milliseconds, the venue cannot have taken it, and the next one starts at the clock again.
 */
const aheadMs = dayMs - 60_000

interface OutboxDeps {
  readonly clock: Clock
  readonly signer: Signer
  readonly venue: Pick<VenueHttp, 'exchange'>
  /** How long what is signed can happen at the venue. */
  readonly lifeMs?: number
}

/**
 * The one part of Guard that can sign and send. `send` needs a `Durable`, which only the journal
 * mints: the record is on disk, or the action lowers risk and no disk has answered in time.
 */
export class Outbox {
  private readonly deps: OutboxDeps
  private readonly unsent = new Map<Prepared, SignedRequest>()
  private lastNonce = 0

  constructor(deps: OutboxDeps) {
    this.deps = deps
  }

  /** The highest nonce that was signed with. */
  get highestNonce(): number {
    return this.lastNonce
  }

  /** Nonces that were used, in this run or an earlier one, are not used again. */
  startAfter(usedNonce: number): void {
    this.lastNonce = Math.max(this.lastNonce, usedNonce)
  }

  /** Signs; nothing leaves. It lives no longer than asked, and never longer than the bound. */
  prepare(action: Action, expiresBy: Millis | null): Prepared {
    return this.sign(action, expiresBy, this.deps.lifeMs ?? limits.sendLifeMs)
  }

  /**
   * Signs what the venue has refused by its clock once more, to end when it was to end before. Null
   * where its time is over.
   */
  again(action: Action, expiresBy: Millis | null, refused: Prepared): Prepared | null {
    const leftMs = Math.floor(refused.expiresMonotonicMs - this.deps.clock.monotonicMs())
    const isOver = expiresBy !== null && expiresBy <= this.deps.clock.now()
    return leftMs <= 0 || isOver ? null : this.sign(action, expiresBy, leftMs)
  }

  private sign(action: Action, expiresBy: Millis | null, lifeMs: number): Prepared {
    const { clock } = this.deps
    const now = clock.now()
    const next = Math.max(now, this.lastNonce + 1)
    this.lastNonce = next < now + aheadMs ? next : now
    const latest = now + lifeMs
    const expiresAt = millis(expiresBy === null ? latest : Math.min(expiresBy, latest))
    const wire = encodeAction(action)
    const request = this.deps.signer.sign(wire, nonce(this.lastNonce), expiresAt)
    const expiresMonotonicMs = clock.monotonicMs() + (expiresAt - now)
    const prepared = { wire, nonce: this.lastNonce, expiresAt, expiresMonotonicMs }
    this.unsent.set(prepared, request)
    return prepared
  }

  /** Signed, and then not needed: it will never be sent. */
  discard(prepared: Prepared): void {
    this.unsent.delete(prepared)
  }

  /** `heldBack`: asked again where it could not leave at once; a reason not to, or null. */
  async send(
    proof: Durable,
    prepared: Prepared,
    lane: Urgency,
    heldBack?: () => string | null,
  ): Promise<VenueAnswer> {
    const request = this.unsent.get(prepared)
    if (request === undefined) throw new Error('an action is sent once: this one already was')
    if (!Number.isSafeInteger(proof.seq))
      throw new Error('an action is sent only with the proof of the journal')
    this.unsent.delete(prepared)
    try {
      return await this.deps.venue.exchange(request, lane, heldBack)
    } catch (error) {
      return { kind: 'unknown', error: error instanceof Error ? error.message : String(error) }
    }
  }
}
