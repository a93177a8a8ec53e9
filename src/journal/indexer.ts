import { limits } from '../core/values/limits.ts'
import type { Log, Timers } from '../engine/ports.ts'
import type { EventIndex, IndexFilter, IndexHead, IndexRow } from './eventIndex.ts'
import type { OrderDecision, Position } from './eventIndex.ts'
import { cameFrom, indexRow, isDecisionOf } from './indexRow.ts'
import { causeText } from './journalError.ts'
import { openRecord } from './record.ts'
import type { RecordStore, SealedLine } from './recordStore.ts'

interface IndexerOptions {
  readonly index: EventIndex
  readonly store: RecordStore
  readonly timers: Timers
  readonly log: Log
  readonly durableSeq: () => number
}

interface PendingRow {
  readonly row: IndexRow
  readonly hash: string
}

/**
 * Fills the index behind the journal, a few rows at a time so that no tick is long, and only when
 * it has taken the ones before. Rows wait in memory; when too many wait, they are dropped and read
 * again from the journal.
 */
export class Indexer {
  readonly #options: IndexerOptions
  #pending: PendingRow[] = []
  #cancel: (() => void) | null = null
  /** While the index takes rows. */
  #isBusy = false
  /** While it is made anew, and is not asked. */
  #clearing: Promise<void> | null = null
  /** How often the index was made anew: what was found in the one before may be missing. */
  #made = 0
  #isClosed = false
  /** How often the index failed since it last caught up; each time it waits longer. */
  #failures = 0
  #waiting: { readonly seq: number; readonly wake: () => void }[] = []

  constructor(options: IndexerOptions) {
    this.#options = options
  }

  /** Believes the index only if its last record is the journal's; otherwise begins anew. */
  async start(): Promise<void> {
    const { index, store, log } = this.#options
    try {
      const { seq, hash } = index.head
      if (seq > 0) {
        const position = await index.position(seq)
        const record = position === null ? null : await store.at(position)
        if (record?.hash !== hash) {
          log.log('warn', 'the index does not agree with the journal and is made anew', { seq })
          await index.clear()
        }
      }
    } catch (error) {
      await this.#anew(error)
    }
    this.#schedule()
  }

  /** Takes rows of records that have just reached the disk. */
  add(rows: readonly PendingRow[]): void {
    if (this.#isClosed) return
    if (this.#pending.length + rows.length > pendingMax) this.#pending = []
    else for (const row of rows) this.#pending.push(row)
    this.#schedule()
  }

  /** Resolves once everything on disk now is in the index. */
  caughtUp(): Promise<void> {
    const seq = this.#options.durableSeq()
    if (this.#isClosed || this.#options.index.head.seq >= seq) return Promise.resolve()
    return new Promise((wake) => {
      this.#waiting.push({ seq, wake })
      this.#schedule()
    })
  }

  /** The last record that the index knows; 0 when it may not be asked. */
  get reach(): number {
    return this.#isClosed ? 0 : this.#options.index.head.seq
  }

  position(seq: number): Promise<Position | null> {
    return this.#ask((index) => index.position(seq))
  }

  /** What fits among the records up to `upTo`; what comes after may be missing. */
  async page(
    since: number,
    upTo: number,
    limit: number,
    filter: IndexFilter,
  ): Promise<readonly Position[]> {
    const found = (await this.#ask((index) => index.page(since, limit, filter))) ?? []
    return found.filter(({ seq }) => seq <= upTo)
  }

  /** The latest decision with that nonce among all that is on disk. */
  decision(nonce: number, client: string | null): Promise<Position | null> {
    return this.#whileTheSame(async () => {
      const waiting = this.#pending.findLast(({ row }) => isDecisionOf(row, nonce, client))
      if (waiting !== undefined) return waiting.row
      const is = (row: IndexRow): boolean => isDecisionOf(row, nonce, client)
      const between = await this.#scan(`"nonce":${nonce},`, is)
      return between.at(-1) ?? (await this.#ask((index) => index.decision(nonce, client)))
    })
  }

  /** The decision that an order with that id came from, among all that is on disk. */
  decisionOn(cloid: string): Promise<Position | null> {
    return this.#whileTheSame(async () => {
      const is = (row: IndexRow): boolean => row.cloids.includes(cloid)
      const waiting = this.#pending.flatMap(({ row }) => (is(row) ? [row] : []))
      const between = await this.#scan(`"${cloid}"`, is)
      const indexed = await this.#ask((index) => index.decisionOn(cloid))
      return [...between, ...waiting].reduce<OrderDecision | null>(cameFrom, indexed)
    })
  }

  /** The sends that belong to a record, in order. */
  sends(decision: number): Promise<readonly Position[]> {
    return this.#whileTheSame(async () => {
      // Rows go from waiting to the index and never back, so that they are looked for in that order.
      const waiting = this.#pending.flatMap(({ row }) => (row.decision === decision ? [row] : []))
      const is = (row: IndexRow): boolean => row.decision === decision
      const between = await this.#scan(`"decision":${decision},`, is)
      const indexed = (await this.#ask((index) => index.sends(decision))) ?? []
      const all = new Map([...indexed, ...between, ...waiting].map((found) => [found.seq, found]))
      return [...all.values()].sort((a, b) => a.seq - b.seq)
    })
  }

  /** The records up to this one are not kept any more. */
  async forget(upTo: number): Promise<void> {
    await this.#ask((index) => index.forget(upTo))
  }

  /** The index answered something the journal does not say. */
  async distrust(): Promise<void> {
    await this.#anew(new Error('it named a record that does not stand there'))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancel?.()
    await this.#clearing
    try {
      await this.#options.index.close()
    } catch (error) {
      this.#options.log.log('warn', `the index did not close: ${causeText(error)}`)
    }
    for (const { wake } of this.#waiting) wake()
  }

  /** Looks once more where the index was made anew meanwhile: the new one has less in it. */
  async #whileTheSame<T>(look: () => Promise<T>): Promise<T> {
    const made = this.#made
    const found = await look()
    return made === this.#made ? found : await look()
  }

  /** Looks through the records that are neither in the index nor waiting for it. */
  async #scan(text: string, is: (row: IndexRow) => boolean): Promise<readonly IndexRow[]> {
    const from = this.reach
    const until = this.#pending[0]?.row.seq ?? this.#options.durableSeq() + 1
    if (from + 1 >= until) return []
    const found: IndexRow[] = []
    const hint = await this.position(from)
    for await (const lines of this.#options.store.after(from, hint)) {
      for (const line of lines) {
        if (!line.bytes.includes(text)) continue
        const row = rowOf(line)
        if (is(row)) found.push(row)
      }
    }
    return found
  }

  #schedule(): void {
    if (this.#cancel !== null || this.#isBusy || this.#isClosed) return
    if (this.#clearing !== null) return
    if (this.#options.index.head.seq >= this.#options.durableSeq()) return
    const waitMs = this.#failures === 0 ? this.#restMs() : failureMs * Math.min(this.#failures, 60)
    this.#cancel = this.#options.timers.after(waitMs, () => {
      this.#cancel = null
      if (this.#clearing === null) void this.#work()
    })
  }

  /** A transaction costs far more than a row in it, so that a few rows wait for more of them. */
  #restMs(): number {
    return this.#pending.length >= sliceRows || this.#waiting.length > 0 ? sliceMs : gatherMs
  }

  async #work(): Promise<void> {
    this.#isBusy = true
    try {
      await this.#slice()
    } catch (error) {
      this.#failures += 1
      this.#options.log.log('error', `the index cannot be filled: ${causeText(error)}`)
    } finally {
      this.#isBusy = false
      this.#schedule()
    }
  }

  async #slice(): Promise<void> {
    this.#dropPending()
    if (this.#pending[0]?.row.seq !== this.#next) {
      await this.#read()
      return
    }
    await this.#insert(this.#pending.slice(0, sliceRows))
    this.#dropPending()
  }

  /** Drops the waiting rows that the index on disk has by now. */
  #dropPending(): void {
    const first = this.#pending[0]?.row.seq
    if (first !== undefined && first < this.#next) this.#pending.splice(0, this.#next - first)
  }

  /** Reads from the journal what no longer waits in memory. */
  async #read(): Promise<void> {
    const { index, store } = this.#options
    const from = index.head.seq
    for await (const lines of store.after(from, await this.position(from))) {
      for (let at = 0; at < lines.length; at += sliceRows) {
        const slice = lines.slice(at, at + sliceRows)
        // The index may have been closed, or made anew, while the disk was read.
        if (this.#isEnded() || slice[0]?.seq !== this.#next) return
        await this.#insert(slice.map((line) => ({ row: rowOf(line), hash: line.seal.hash })))
        await this.#pause()
      }
    }
  }

  /** The record that the index lacks next; those that are not kept any more it need not have. */
  get #next(): number {
    const { index, store } = this.#options
    return Math.max(index.head.seq, store.removedUpTo) + 1
  }

  #isEnded(): boolean {
    return this.#isClosed
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      this.#options.timers.after(sliceMs, resolve)
    })
  }

  async #insert(rows: readonly PendingRow[]): Promise<void> {
    const last = rows.at(-1)
    if (last === undefined) return
    const head: IndexHead = { seq: last.row.seq, hash: last.hash }
    try {
      await this.#options.index.add(
        rows.map(({ row }) => row),
        head,
      )
    } catch (error) {
      await this.#anew(error)
      return
    }
    const reached = this.#options.index.head.seq
    if (reached >= this.#options.durableSeq()) this.#failures = 0
    const woken = this.#waiting.filter(({ seq }) => seq <= reached)
    this.#waiting = this.#waiting.filter(({ seq }) => seq > reached)
    for (const { wake } of woken) wake()
  }

  /** Asks the index; one that fails is made anew, and the journal is asked instead. */
  async #ask<T>(question: (index: EventIndex) => Promise<T>): Promise<T | null> {
    if (this.#isClosed || this.#clearing !== null) return null
    const made = this.#made
    try {
      return await question(this.#options.index)
    } catch (error) {
      // Several may ask one that fails; it is made anew for all of them once.
      if (made === this.#made) await this.#anew(error)
      return null
    }
  }

  #anew(error: unknown): Promise<void> {
    if (this.#isEnded()) return Promise.resolve()
    this.#clearing ??= this.#clear(error).finally(() => {
      this.#clearing = null
      this.#schedule()
    })
    return this.#clearing
  }

  async #clear(error: unknown): Promise<void> {
    const { index, log } = this.#options
    this.#failures += 1
    this.#made += 1
    log.log('warn', `the index is damaged and is made anew: ${causeText(error)}`)
    try {
      await index.clear()
    } catch (again) {
      log.log('error', `the index cannot be made anew: ${causeText(again)}`)
    }
  }
}

export function rowOf(line: SealedLine): IndexRow {
  return indexRow(line.seal.atMs, openRecord(line.bytes, line.seal).body, line)
}

const pendingMax = limits.indexPendingMax
const sliceRows = limits.indexSliceRows
const sliceMs = 1
const gatherMs = 50
const failureMs = 1_000
