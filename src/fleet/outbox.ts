import { limits } from '../core/values/limits.ts'
import { Backoff } from '../engine/backoff.ts'
import type { Clock, Log, Timers } from '../engine/ports.ts'
import type { OpenedJournal } from '../journal/opened.ts'
import type { SealedLine } from '../journal/recordStore.ts'
import type { OpenSession, StoreSession } from './storeSession.ts'
import type { StoreAddress } from './storeUrl.ts'

/** What the outbox needs of the journal: its lines as they are on disk, and a place for its cursor. */
export type CopiedJournal = Pick<
  OpenedJournal,
  'lines' | 'saveSnapshot' | 'loadSnapshot' | 'reader'
>

interface OutboxDeps {
  readonly address: StoreAddress
  readonly open: OpenSession
  readonly timers: Timers
  readonly clock: Clock
  readonly log: Log
  readonly journal: CopiedJournal
  readonly identity: {
    readonly network: string
    readonly account: string
    /** This home: the store keeps the records of the one that has the right to act. */
    readonly instance: string
  }
  /** Whether the store would keep these records as this account's; missing: always. */
  readonly mayCopy?: () => boolean
}

/** How far the journal is copied; kept with the journal itself. */
const snapshotName = 'fleet'
const everyMs = 500
/** The cursor is kept that often: what is copied again is compared, and not written again. */
const keepEveryMs = 5_000
const answerMs = 10_000
const restMs = 10
const retryMs = { first: 1_000, most: 10_000 } as const
const copying = 'copy'

/**
 * Copies the journal into the store: in order, over a connection of its own, one batch at a time, so
 * that what it holds in memory is one batch. The store says what it has; what it has is compared, never
 * written twice, so that an answer that was lost costs a repetition and nothing else.
 */
export class Outbox {
  readonly #deps: OutboxDeps
  #session: StoreSession | null = null
  #copied: number | null = null
  #kept = 0
  #keptMs = -Infinity
  readonly #backoff: Backoff
  #isBusy = false
  #isStopped = false
  #isTold = false
  #fork: string | null = null
  readonly #cancel: () => void

  constructor(deps: OutboxDeps) {
    this.#deps = deps
    this.#backoff = new Backoff(deps.clock, retryMs.most, retryMs.first)
    this.#cancel = deps.timers.every(everyMs, () => {
      void this.#work()
    })
  }

  stop(): void {
    this.#isStopped = true
    this.#cancel()
    this.#session?.close()
  }

  /** How many records the store keeps, by its own word; null until it is known. */
  get copied(): number | null {
    return this.#copied
  }

  /** Records on disk that are not copied; null until it is known how far the copy is. */
  get lag(): number | null {
    return this.#copied === null
      ? null
      : Math.max(this.#deps.journal.reader.lastSeq - this.#copied, 0)
  }

  /** Why nothing is copied any more; null while it is. */
  get fork(): string | null {
    return this.#fork
  }

  /** Never rejects. */
  async #work(): Promise<void> {
    if (this.#isBusy || this.#isStopped || this.#fork !== null) return
    if (!this.#backoff.mayTry(copying) || this.#deps.mayCopy?.() === false) return
    this.#isBusy = true
    try {
      this.#copied ??= await this.#cursor()
      // A new connection may be one to a store that has lost what the old one had: it is asked first.
      const session = await this.#opened()
      if (this.fork === null && (this.lag ?? 0) > 0) await this.#copy(session)
      await this.#keep()
    } catch (error) {
      this.#session?.close()
      this.#session = null
      this.#backoff.failed(copying)
      this.#tellOnce(error)
    } finally {
      this.#isBusy = false
    }
  }

  #tellOnce(error: unknown): void {
    if (this.#isStopped || this.#isTold) return
    this.#isTold = true
    const why = error instanceof Error ? error.message : String(error)
    this.#deps.log.log('warn', 'records wait for the fleet’s store', { why })
  }

  async #cursor(): Promise<number> {
    const kept = await this.#deps.journal.loadSnapshot(snapshotName)
    this.#kept = kept === null || kept === 'unreadable' ? 0 : kept.seq
    return this.#kept
  }

  /** Everything there is, batch by batch, with a rest between them: orders come first on this thread. */
  async #copy(session: StoreSession): Promise<void> {
    for await (const lines of this.#deps.journal.lines(this.#copied ?? 0)) {
      for (const batch of batchesOf(lines)) {
        if (this.#isStopped) return
        if (!(await this.#push(session, batch))) return
        await new Promise<void>((resolve) => this.#deps.timers.after(restMs, resolve))
      }
    }
  }

  /** Whether the next batch may follow: where the store has less than it had, it is told what it misses. */
  async #push(session: StoreSession, batch: readonly Copied[]): Promise<boolean> {
    const first = batch[0]?.seq ?? 0
    // The journal has removed what was between for its age.
    const isGone = first > (this.#copied ?? 0) + 1
    const [row] = await session.query(copyEvents, [
      ...[this.#deps.identity.instance, JSON.stringify(batch), isGone],
    ])
    const outcome = row?.['outcome']
    if (outcome === 'fork') {
      this.#tellFork(Number(row?.['last_seq']))
      return false
    }
    this.#backoff.reset(copying)
    this.#isTold = false
    this.#copied =
      outcome === 'hole' ? Number(row?.['last_seq']) : (batch.at(-1)?.seq ?? this.#copied)
    return outcome !== 'hole'
  }

  async #opened(): Promise<StoreSession> {
    if (this.#session?.isOpen === true) return this.#session
    const { address, open, timers, journal, identity } = this.#deps
    const session = await open(address, { timers, answerMs })
    this.#session = session
    if (this.#isStopped) session.close()
    const { network, account, instance } = identity
    const [row] = await session.query(copiedBy, [instance, network, account])
    const inStore = Number(row?.['last_seq'] ?? 0)
    // What the store has decides, be it less than the cursor says, as after it was put back, or more,
    // where the cursor was not kept: the record after it must name the hash of its last one.
    if (inStore > journal.reader.lastSeq) this.#tellFork(inStore)
    else this.#copied = inStore
    return session
  }

  #tellFork(inStore: number): void {
    const { account, network } = this.#deps.identity
    this.#fork = `the fleet's store has other records of ${account} on ${network} than this journal (it has ${inStore}): nothing more is copied, and neither is overwritten. Was this home restored, or copied? Then retire this member and add it anew: guard fleet retire, guard fleet add`
    this.#deps.log.log('error', this.#fork)
  }

  async #keep(): Promise<void> {
    const seq = this.#copied ?? 0
    const nowMs = this.#deps.clock.monotonicMs()
    if (seq <= this.#kept || nowMs - this.#keptMs < keepEveryMs) return
    this.#keptMs = nowMs
    await this.#deps.journal.saveSnapshot(snapshotName, seq, {})
    this.#kept = seq
  }
}

interface Copied {
  readonly seq: number
  readonly at_ms: number
  readonly kind: string
  readonly hash: string
  readonly prev: string
  readonly line: string
}

const copyEvents = 'select outcome, last_seq::text from guard.copy_events($1, $2, $3)'
const copiedBy = 'select guard.copied_by($1, $2, $3)::text as last_seq'

/** As much as one batch may hold each; at least one record, however large. */
function* batchesOf(lines: readonly SealedLine[]): Generator<readonly Copied[]> {
  let batch: Copied[] = []
  let size = 0
  for (const { seal, bytes } of lines) {
    const isFull =
      batch.length >= limits.fleetCopyRecordsMax || size + bytes.length > limits.fleetCopyBytesMax
    if (isFull && batch.length > 0) {
      yield batch
      batch = []
      size = 0
    }
    const { seq, atMs, kind, hash, prev } = seal
    batch.push({ seq, at_ms: atMs, kind, hash, prev, line: bytes.toString('utf8') })
    size += bytes.length
  }
  if (batch.length > 0) yield batch
}
