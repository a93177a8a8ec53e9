import { limits } from '../core/values/limits.ts'
import type { Log, Timers } from '../engine/ports.ts'
import type { EventIndex, IndexFilter, IndexHead, IndexRow, Position } from './eventIndex.ts'
import { indexRow, isDecisionOf } from './indexRow.ts'
import { causeText } from './journalError.ts'
import { openRecord } from './record.ts'
import type { RecordStore, SealedLine } from './recordStore.ts'

export interface IndexerOptions {
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
 * Fills the index behind the journal, a few rows at a time so that no tick is long. Rows wait in
 * memory; when too many wait, they are dropped and read again from the journal.
 */
export class Indexer {
  readonly #options: IndexerOptions
  #pending: PendingRow[] = []
  #cancel: (() => void) | null = null
  #isReading = false
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
        const position = index.position(seq)
        const record = position === null ? null : await store.at(position)
        if (record?.hash !== hash) {
          log.log('warn', 'the index does not agree with the journal and is made anew', { seq })
          index.clear()
        }
      }
    } catch (error) {
      this.#anew(error)
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

  /** Whether the index may be asked: a hint, a record's place, the last number it knows. */
  get reach(): number {
    return this.#isClosed ? 0 : (this.#ask((index) => index.head.seq) ?? 0)
  }

  position(seq: number): Position | null {
    return this.#ask((index) => index.position(seq))
  }

  page(since: number, limit: number, filter: IndexFilter): readonly Position[] {
    return this.#ask((index) => index.page(since, limit, filter)) ?? []
  }

  /** The latest decision with that nonce among all that is on disk. */
  async decision(nonce: number, client: string | null): Promise<Position | null> {
    const waiting = this.#pending.findLast(({ row }) => isDecisionOf(row, nonce, client))
    if (waiting !== undefined) return waiting.row
    const between = await this.#scan(`"nonce":${nonce},`, (row) => isDecisionOf(row, nonce, client))
    return between.at(-1) ?? this.#ask((index) => index.decision(nonce, client))
  }

  /** The sends that belong to a record, in order. */
  async sends(decision: number): Promise<readonly Position[]> {
    const between = await this.#scan(`"decision":${decision},`, (row) => row.decision === decision)
    const waiting = this.#pending.flatMap(({ row }) => (row.decision === decision ? [row] : []))
    const indexed = this.#ask((index) => index.sends(decision)) ?? []
    const all = new Map([...indexed, ...between, ...waiting].map((found) => [found.seq, found]))
    return [...all.values()].sort((a, b) => a.seq - b.seq)
  }

  /** The records up to this one are not kept any more. */
  forget(upTo: number): void {
    this.#ask((index) => {
      index.forget(upTo)
      return null
    })
  }

  /** The index answered something the journal does not say. */
  distrust(): void {
    this.#anew(new Error('it named a record that does not stand there'))
  }

  close(): void {
    this.#isClosed = true
    this.#cancel?.()
    try {
      this.#options.index.close()
    } catch (error) {
      this.#options.log.log('warn', `the index did not close: ${causeText(error)}`)
    }
    for (const { wake } of this.#waiting) wake()
  }

  /** Looks through the records that are neither in the index nor waiting for it. */
  async #scan(text: string, is: (row: IndexRow) => boolean): Promise<readonly IndexRow[]> {
    const from = this.reach
    const until = this.#pending[0]?.row.seq ?? this.#options.durableSeq() + 1
    if (from + 1 >= until) return []
    const found: IndexRow[] = []
    for await (const lines of this.#options.store.after(from, this.position(from))) {
      for (const line of lines) {
        if (!line.bytes.includes(text)) continue
        const row = rowOf(line)
        if (is(row)) found.push(row)
      }
    }
    return found
  }

  #schedule(): void {
    if (this.#cancel !== null || this.#isReading || this.#isClosed) return
    if (this.#options.index.head.seq >= this.#options.durableSeq()) return
    const waitMs = this.#failures === 0 ? this.#restMs() : failureMs * Math.min(this.#failures, 60)
    this.#cancel = this.#options.timers.after(waitMs, () => {
      this.#cancel = null
      this.#slice()
    })
  }

  /** A transaction costs far more than a row in it, so that a few rows wait for more of them. */
  #restMs(): number {
    return this.#pending.length >= sliceRows || this.#waiting.length > 0 ? sliceMs : gatherMs
  }

  #slice(): void {
    const next = this.#next
    const first = this.#pending[0]?.row.seq
    if (first !== undefined && first < next) {
      this.#pending.splice(0, next - first)
    }
    if (this.#pending[0]?.row.seq === next) {
      this.#insert(this.#pending.slice(0, sliceRows))
      this.#pending.splice(0, sliceRows)
      this.#schedule()
      return
    }
    void this.#read()
  }

  /** Reads from the journal what no longer waits in memory. */
  async #read(): Promise<void> {
    const { index, store, log } = this.#options
    this.#isReading = true
    try {
      const from = index.head.seq
      for await (const lines of store.after(from, this.position(from))) {
        for (let at = 0; at < lines.length; at += sliceRows) {
          const slice = lines.slice(at, at + sliceRows)
          // The index may have been closed, or made anew, while the disk was read.
          if (this.#isEnded() || slice[0]?.seq !== this.#next) return
          this.#insert(slice.map((line) => ({ row: rowOf(line), hash: line.seal.hash })))
          await this.#pause()
        }
      }
    } catch (error) {
      this.#failures += 1
      log.log('error', `the index cannot be filled: ${causeText(error)}`)
    } finally {
      this.#isReading = false
      this.#schedule()
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

  #insert(rows: readonly PendingRow[]): void {
    const last = rows.at(-1)
    if (last === undefined) return
    const head: IndexHead = { seq: last.row.seq, hash: last.hash }
    try {
      this.#options.index.add(
        rows.map(({ row }) => row),
        head,
      )
    } catch (error) {
      this.#anew(error)
      return
    }
    if (head.seq >= this.#options.durableSeq()) this.#failures = 0
    const woken = this.#waiting.filter(({ seq }) => seq <= head.seq)
    this.#waiting = this.#waiting.filter(({ seq }) => seq > head.seq)
    for (const { wake } of woken) wake()
  }

  /** Asks the index; one that fails is made anew, and the journal is asked instead. */
  #ask<T>(question: (index: EventIndex) => T): T | null {
    if (this.#isClosed) return null
    try {
      return question(this.#options.index)
    } catch (error) {
      this.#anew(error)
      return null
    }
  }

  #anew(error: unknown): void {
    const { index, log } = this.#options
    this.#failures += 1
    log.log('warn', `the index is damaged and is made anew: ${causeText(error)}`)
    try {
      index.clear()
    } catch (again) {
      log.log('error', `the index cannot be made anew: ${causeText(again)}`)
    }
    this.#schedule()
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
