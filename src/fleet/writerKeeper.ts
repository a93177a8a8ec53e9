import { randomUUID } from 'node:crypto'
import type { FleetWriterStatus } from '../engine/fleetView.ts'
import type { Clock } from '../engine/ports.ts'
import { LeaseTerm } from './leaseTerm.ts'
import { writerTimes } from './leaseTimes.ts'
import { StoreError } from './storeSession.ts'
import type { StoreRow, StoreSession } from './storeSession.ts'

interface WriterDeps {
  readonly clock: Clock
  /** This home, in all of its runs. */
  readonly instance: string
  /** Another one has the right to act: this run must end. Called once. */
  readonly onLost: (reason: string) => void
}

/**
 * The right to act for the account: it is held for ten seconds from before it was asked for, by the
 * monotonic clock and by the venue's time, and renewed every two. Whether it is held is looked at in
 * the tick in which something that opens leaves.
 */
export class WriterKeeper {
  readonly #deps: WriterDeps
  readonly #run = randomUUID()
  #epoch = 0
  #term: LeaseTerm | null = null
  #askedMs = -Infinity
  /** Why it is not held; null where the last answer gave it. */
  #why: string | null =
    'the fleet’s store has not told since the start who may act for this account'
  #isOwn = false
  #lost: string | null = null

  constructor(deps: WriterDeps) {
    this.#deps = deps
  }

  /** Why nothing that opens may leave; null while this Guard has the right to act. */
  get missing(): string | null {
    if (this.#lost !== null) return this.#lost
    if (this.#term !== null && this.#term.ageMs < writerTimes.heldMs) return null
    const ageS = Math.floor((this.#term?.ageMs ?? 0) / 1_000)
    const why =
      this.#why ??
      `the right to act for this account was last given ${ageS} s ago by the fleet's store, and lasts ${writerTimes.heldMs / 1_000} s`
    return `${why}: nothing opens until it is held; exits and cancels pass`
  }

  /** Whether the store keeps the records of this home, and not another's. */
  get mayCopy(): boolean {
    return this.#isOwn
  }

  status(): FleetWriterStatus {
    const isHeld = this.missing === null
    const until = this.#term?.endsAt(writerTimes.heldMs) ?? null
    return { held: isHeld, epoch: this.#epoch === 0 ? null : this.#epoch, until_ms: until }
  }

  /** Asks where it is time. Rejects as the session does, but not where the store refuses. */
  async attend(session: StoreSession): Promise<void> {
    const { clock, instance } = this.#deps
    const nowMs = clock.monotonicMs()
    if (this.#lost !== null || nowMs - this.#askedMs < writerTimes.renewMs) return
    this.#askedMs = nowMs
    const term = new LeaseTerm(clock)
    try {
      const [row] = await session.query(holdWriter, [instance, this.#run, this.#epoch])
      this.#hear(row ?? {}, term)
    } catch (error) {
      if (!(error instanceof StoreError) || error.kind !== 'refused') throw error
      this.#why = `the fleet's store does not say who may act for this account (${error.message})`
      // A store of an earlier version knows of no other.
      this.#isOwn ||= error.code === '42883'
    }
  }

  /** This Guard opens nothing more: another may at once. Rejects as the session does. */
  async release(session: StoreSession): Promise<void> {
    const epoch = this.#epoch
    this.#lost ??= 'this Guard is leaving its fleet, so nothing opens'
    if (epoch > 0) await session.query(releaseWriter, [this.#run, epoch])
  }

  #hear(row: StoreRow, term: LeaseTerm): void {
    const outcome = row['outcome']
    const host = typeof row['host'] === 'string' ? row['host'] : 'another host'
    if (outcome === 'held') {
      this.#epoch = Number(row['epoch'])
      this.#term = term
      this.#why = null
      this.#isOwn = true
    } else if (outcome === 'lost') {
      this.#lost = `another Guard acts for this account (at ${host}, writer epoch ${String(row['epoch'])}; this one had ${this.#epoch})`
      this.#isOwn = false
      this.#deps.onLost(this.#lost)
    } else {
      const seconds = Math.ceil(Number(row['wait_ms'] ?? 0) / 1_000)
      const isSelf = row['is_own'] === true
      this.#isOwn = isSelf
      this.#why = isSelf
        ? `the right to act for this account is free in ${seconds} s`
        : `another Guard, at ${host}, has the right to act for this account`
    }
  }
}

const holdWriter =
  'select outcome, epoch::text, is_own, host, wait_ms::text from guard.hold_writer($1, $2, $3)'
const releaseWriter = 'select guard.release_writer($1, $2)'
