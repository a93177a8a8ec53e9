import { millis } from '../core/values/millis.ts'
import type { Clock, Log, Timers } from '../engine/ports.ts'
import type { Emergency } from './emergency.ts'
import { findTaken } from './findTaken.ts'
import type { GroupCommit } from './groupCommit.ts'
import { causeText } from './journalError.ts'
import type { Holding } from './holding.ts'
import type { JournalError } from './journalError.ts'
import type { JournalIo } from './journalIo.ts'
import type { JournalBounds } from './opened.ts'
import type { StoredRecord } from './record.ts'
import type { References } from './references.ts'
import type { RecordStore } from './recordStore.ts'
import { probeDisk } from './segmentFile.ts'
import type { SegmentFile } from './segmentFile.ts'

interface RepairOptions {
  readonly io: JournalIo
  readonly directory: string
  readonly clock: Clock
  readonly timers: Timers
  readonly log: Log
  readonly bounds: JournalBounds
  readonly file: SegmentFile
  readonly commit: () => GroupCommit
  readonly emergency: Emergency
  readonly references: References
  readonly store: RecordStore
  readonly holding: Pick<Holding, 'check'>
  /** What the start could not do to the journal's end, and has to come first; null where it could. */
  readonly mendEnd: (() => Promise<unknown>) | null
}

/**
 * Brings a broken journal back while Guard runs: cuts off what was never acknowledged, waits until
 * the disk takes bytes again, goes on in a new segment, and takes in the emergency records.
 */
export class Repair {
  readonly #options: RepairOptions
  #brokenAtMs: number | null = null
  #reason = ''
  #taken = 0
  #cancel: (() => void) | null = null
  #isRunning = false
  #isClosed = false
  #mendEnd: RepairOptions['mendEnd']

  constructor(options: RepairOptions) {
    this.#options = options
    this.#mendEnd = options.mendEnd
  }

  /** What a person should read, or null while the journal is whole. */
  get error(): string | null {
    return this.#brokenAtMs === null ? null : this.#reason
  }

  /** The journal has just failed. */
  begin(error: JournalError): void {
    this.#options.log.log('error', error.message)
    this.#brokenAtMs ??= this.#options.clock.monotonicMs()
    this.#reason = error.message
    this.#retryLater()
  }

  close(): void {
    this.#isClosed = true
    this.#cancel?.()
  }

  /** Drops the emergency records that the journal already has. */
  async forgetTaken(tail: readonly StoredRecord[]): Promise<void> {
    const { emergency, references } = this.#options
    const taken = await findTaken(this.#options, tail, emergency.records())
    for (const { number, seq } of taken) {
      if (seq !== null) references.set(number, seq)
      emergency.drop(number)
    }
  }

  /** Emergency records join the journal in order, keeping their time. */
  async takeIn(): Promise<void> {
    const { emergency, references, commit } = this.#options
    if (emergency.isEmpty) return
    for (let record = emergency.first; record !== null; record = emergency.first) {
      const { number, hash, atMs, body } = record
      const joined = { ...references.resolve(body), _: { ...body._, emergency: { number, hash } } }
      const { seq, durable } = commit().append(joined, 'urgent', millis(atMs))
      references.set(number, seq)
      await durable
      emergency.drop(number)
      this.#taken += 1
    }
    await emergency.archive(commit().point.seq)
  }

  #retryLater(): void {
    if (this.#isClosed || this.#cancel !== null) return
    // Where another process may write, there is nothing to bring back.
    if (this.#options.holding.check() !== null) return
    this.#cancel = this.#options.timers.after(this.#options.bounds.retryMs, () => {
      this.#cancel = null
      void this.#run()
    })
  }

  async #run(): Promise<void> {
    const { commit, emergency } = this.#options
    if (this.#isRunning || this.#options.holding.check() !== null) return
    // A write that was given up on may still reach the disk; nothing is cut before it is back.
    if (commit().isWriting) {
      this.#retryLater()
      return
    }
    this.#isRunning = true
    try {
      await this.#restore()
      if (!(await emergency.flush())) throw new Error('the emergency file is not written yet')
      commit().resume()
      await this.takeIn()
      this.#finish()
    } catch (error) {
      this.#options.log.log('warn', `the journal is still broken: ${causeText(error)}`)
      this.#retryLater()
    } finally {
      this.#isRunning = false
    }
  }

  async #restore(): Promise<void> {
    const { io, directory, file, commit } = this.#options
    await this.#mendEnd?.()
    this.#mendEnd = null
    await file.cutBack(commit().point)
    const trouble = await probeDisk(io, directory)
    if (trouble !== null) throw new Error(trouble)
  }

  #finish(): void {
    const { clock, log, commit, emergency } = this.#options
    const lost = emergency.takeLost()
    const ms = Math.round(clock.monotonicMs() - (this.#brokenAtMs ?? 0))
    const text =
      `${this.#reason}; it works again after ${ms} ms, ` +
      `${this.#taken} records came from the emergency file` +
      (lost === 0 ? '' : `; ${lost} records found no room in memory and are in the log alone`)
    this.#brokenAtMs = null
    this.#taken = 0
    log.log('info', text)
    commit().append({ kind: 'error', text }, 'urgent')
  }
}
