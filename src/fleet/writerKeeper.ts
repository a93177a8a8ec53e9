import { randomUUID } from 'node:crypto'
import type { JsonObject } from '../core/protocol/action.ts'
import { isObject } from '../core/protocol/fields.ts'
import type { FleetWriterStatus } from '../engine/fleetView.ts'
import type { Clock } from '../engine/ports.ts'
import { objectIn } from './objectIn.ts'
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
  /** The latch and the halts, for a standby: told with each renewal, and at once where they changed. */
  readonly word: () => JsonObject
  /**
   * Another home acted for the account before: called in the tick before this one has the right, once in a
   * run. Resolves when what that home left is heeded, on disk.
   */
  readonly onLeft?: (left: LeftWord) => Promise<void>
  /** As what this run has taken over already, where it was a standby. */
  readonly taken?: TakenOver | null
}

/** The run by which a standby took the right to act, and its epoch. */
export interface TakenOver {
  readonly run: string
  readonly epoch: number
}

/** What another home said last before this one took the account over. */
export interface LeftWord {
  /** Its latch and halts; null where it told none. */
  readonly word: JsonObject | null
  /** Whether that is as late as the last the store heard of it. */
  readonly isKnown: boolean
  readonly host: string | null
}

/** How the store is asked; one of an earlier version knows fewer ways. */
const ways = ['keep', 'tell', 'hold'] as const

/**
 * The right to act for the account: it is held for ten seconds from before it was asked for, by the
 * monotonic clock and by the venue's time, and renewed every two. Whether it is held is looked at in
 * the tick in which something that opens leaves.
 */
export class WriterKeeper {
  readonly #deps: WriterDeps
  readonly #run: string
  #epoch: number
  #term: LeaseTerm | null = null
  #askedMs = -Infinity
  /** Why it is not held; null where the last answer gave it. */
  #why: string | null =
    'the fleet’s store has not told since the start who may act for this account'
  #isOwn = false
  #lost: string | null = null
  #host: string | null = null
  /** What of the last word must not be told late. */
  #told = ''
  /** How this store is asked, of `ways`. */
  #way = 0
  /** Whether what another home left was told to this run, and is heeded. */
  #left: 'untold' | 'told' | 'heeded' = 'untold'
  /** The number of the last answer that gave it: a store that knows of none so high was put back. */
  #answer = 0

  constructor(deps: WriterDeps) {
    this.#deps = deps
    this.#run = deps.taken?.run ?? randomUUID()
    this.#epoch = deps.taken?.epoch ?? 0
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
    const state = isHeld ? 'held' : this.#lost === null ? 'waits' : 'lost'
    return {
      ...{ state, held: isHeld, epoch: this.#epoch === 0 ? null : this.#epoch, until_ms: until },
      at_host: isHeld ? null : this.#host,
    }
  }

  /** The connection is a new one: the store may have been brought up to date. */
  begin(): void {
    this.#way = 0
  }

  /** Asks where it is time. Rejects as the session does, but not where the store refuses. */
  async attend(session: StoreSession): Promise<void> {
    const { clock } = this.#deps
    const nowMs = clock.monotonicMs()
    const word = this.#deps.word()
    const urgent = urgentIn(word)
    const isTime = nowMs - this.#askedMs >= writerTimes.renewMs || urgent !== this.#told
    if (this.#lost !== null || !isTime) return
    this.#askedMs = nowMs
    this.#told = urgent
    const term = new LeaseTerm(clock)
    try {
      this.#hear(await this.#ask(session, word), term)
    } catch (error) {
      if (!(error instanceof StoreError) || error.kind !== 'refused') throw error
      this.#why = `the fleet's store does not say who may act for this account (${error.message})`
      // A store of an earlier version knows of no other.
      this.#isOwn ||= error.code === unknownFunction
    }
  }

  /** This Guard opens nothing more: another may at once. Rejects as the session does. */
  async release(session: StoreSession): Promise<void> {
    const epoch = this.#epoch
    this.#lost ??= 'this Guard is leaving its fleet, so nothing opens'
    if (epoch === 0) return
    if (!this.#isTelling) await session.query(releaseWriter, [this.#run, epoch])
    else await session.query(leaveWriter, [this.#run, epoch, JSON.stringify(this.#deps.word())])
  }

  /** Leaves with the store what a standby would carry over. Rejects as the session does. */
  async handOver(session: StoreSession, body: string): Promise<void> {
    if (this.#isTelling) await session.query(handOver, [this.#run, this.#epoch, body])
  }

  /** Whether the store takes a word. */
  get #isTelling(): boolean {
    return ways[this.#way] !== 'hold'
  }

  /** A store of an earlier version is asked as it was before. */
  async #ask(session: StoreSession, word: JsonObject): Promise<StoreRow> {
    for (;;) {
      try {
        return (await session.query(...this.#question(JSON.stringify(word))))[0] ?? {}
      } catch (error) {
        const isUnknown = error instanceof StoreError && error.code === unknownFunction
        if (!isUnknown || this.#way === ways.length - 1) throw error
        this.#way += 1
      }
    }
  }

  #question(word: string): Parameters<StoreSession['query']> {
    const asked = [this.#deps.instance, this.#run, this.#epoch]
    const way = ways[this.#way]
    if (way === 'hold') return [holdWriter, asked]
    if (way === 'tell') return [tellWriter, [...asked, word]]
    const isHeld = this.#epoch > 0 && this.missing === null
    return [keepWriter, [...asked, isHeld, this.#left === 'heeded', word, this.#answer]]
  }

  #hear(row: StoreRow, term: LeaseTerm): void {
    const outcome = row['outcome']
    this.#host = textIn(row['host'])
    const host = this.#host ?? 'another host'
    if (outcome === 'held') {
      this.#heed(row)
      this.#epoch = Number(row['epoch'])
      this.#answer = Number(row['answer'] ?? 0)
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

  /** Before it has the right: what the home before left counts in this tick. */
  #heed(row: StoreRow): void {
    const { onLeft } = this.#deps
    const isKnown = row['left_known']
    if (typeof isKnown !== 'boolean' || this.#left !== 'untold' || onLeft === undefined) return
    this.#left = 'told'
    const left = { word: objectIn(row['left_word']), isKnown, host: textIn(row['left_host']) }
    onLeft(left).then(
      () => (this.#left = 'heeded'),
      () => undefined,
    )
  }
}

const asks = 'select outcome, epoch::text, is_own, host, wait_ms::text from'
const holdWriter = `${asks} guard.hold_writer($1, $2, $3)`
export const tellWriter = `${asks} guard.tell_writer($1, $2, $3, $4)`
const keepWriter =
  'select outcome, epoch::text, is_own, host, wait_ms::text, answer::text, left_word, left_known, left_host from guard.keep_writer($1, $2, $3, $4, $5, $6, $7)'
const releaseWriter = 'select guard.release_writer($1, $2)'
const leaveWriter = 'select guard.leave_writer($1, $2, $3)'
const handOver = 'select guard.hand_over($1, $2, $3)'
/** What a server says of a function that it does not have. */
const unknownFunction = '42883'

function textIn(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** A latch, or a halt: the rest of the word may be two seconds old. */
function urgentIn({ latch, obeyed, risk }: JsonObject): string {
  const kept = isObject(risk) ? risk['risk'] : null
  return JSON.stringify([latch, obeyed, isObject(kept) ? (kept['state'] ?? null) : null])
}
