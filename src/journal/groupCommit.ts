import type { EventBody, GuardEvent, Internal } from '../core/events/guardEvent.ts'
import type { Millis } from '../core/values/millis.ts'
import type { Appended, Clock, Durable, Timers } from '../engine/ports.ts'
import type { ChainKey } from './chainKey.ts'
import { mintDurable } from './durable.ts'
import type { Position } from './eventIndex.ts'
import { JournalError, causeText } from './journalError.ts'
import type { JournalBounds } from './opened.ts'
import { eventOf, openLine, seal, sealBytesMax } from './record.ts'
import type { DurablePoint, SegmentFile } from './segmentFile.ts'

/** A record that has just reached the disk. */
export interface Committed {
  readonly event: GuardEvent
  readonly body: EventBody & Internal
  readonly hash: string
  readonly position: Position
}

interface CommitOptions {
  readonly file: SegmentFile
  readonly start: DurablePoint
  /** Proves each record; null where there is none. */
  readonly key: ChainKey | null
  readonly clock: Clock
  readonly timers: Timers
  readonly bounds: JournalBounds
  /** Asked before each write: why it must not be done; null when it may. */
  readonly refusal: () => JournalError | null
  /** Called with each batch once it is on disk, before anyone who waits for it goes on. */
  readonly onCommitted: (batch: readonly Committed[]) => void
  /** Told how long each write and sync took, and how many records it held. */
  readonly onSynced: (ms: number, records: number) => void
  /** Called once when the disk fails; nothing is accepted until `resume`. */
  readonly onBroken: (error: JournalError) => void
}

interface Pending {
  readonly seq: number
  readonly event: GuardEvent
  readonly body: EventBody & Internal
  readonly opened: string
  /** How many bytes it takes as it is. */
  readonly openedBytes: number
  /** How many it takes at most once it is sealed. */
  readonly bytes: number
  readonly resolve: (durable: Durable) => void
  readonly reject: (error: JournalError) => void
}

/**
 * Numbers records, and writes and syncs whatever is queued at once. Only one write is ever under
 * way, so a record is on disk only when all before it are.
 */
export class GroupCommit {
  readonly #options: CommitOptions
  #point: DurablePoint
  #nextSeq: number
  #queue: Pending[] = []
  #queueBytes = 0
  #writing: readonly Pending[] = []
  #isWriting = false
  #wantsFlush = false
  #cancelRide: (() => void) | null = null
  #broken: JournalError | null = null
  #isClosed = false
  #whenIdle: (() => void)[] = []
  #lastSyncMs: number | null = null

  constructor(options: CommitOptions) {
    this.#options = options
    this.#point = options.start
    this.#nextSeq = options.start.seq + 1
  }

  get point(): DurablePoint {
    return this.#point
  }

  get lastSeq(): number {
    return this.#nextSeq - 1
  }

  get broken(): JournalError | null {
    return this.#broken
  }

  get lastSyncMs(): number | null {
    return this.#lastSyncMs
  }

  /** True while a write that was given up on has not come back. */
  get isWriting(): boolean {
    return this.#isWriting
  }

  /** `urgent` ignores the bound on the queue: what lowers risk is not held up by it. */
  append(
    body: EventBody & Internal,
    flush: 'now' | 'ride' | 'urgent',
    at: Millis = this.#options.clock.now(),
  ): Appended {
    if (this.#isClosed) throw new JournalError('closed', 'it is closed')
    if (this.#broken !== null) throw again(this.#broken)
    const seq = this.#nextSeq
    const event = eventOf(seq, at, body)
    const opened = openLine(event, body._)
    const openedBytes = Buffer.byteLength(opened)
    const bytes = openedBytes + sealBytesMax
    this.#refuseBeyondBounds(bytes, flush)
    const durable = new Promise<Durable>((resolve, reject) => {
      this.#queue.push({ seq, event, body, opened, openedBytes, bytes, resolve, reject })
    })
    // Whoever does not wait for a riding record must not bring the process down when it fails.
    durable.catch(() => undefined)
    this.#nextSeq += 1
    this.#queueBytes += bytes
    if (flush === 'ride') this.#startRide()
    else this.#startFlush()
    return { seq, event, bytes, durable }
  }

  /** Writes what is queued; returns once all of it is on disk or the disk has failed. */
  async drain(): Promise<void> {
    while (this.#broken === null && (this.#isWriting || this.#queue.length > 0)) {
      if (!this.#isWriting) this.#startFlush()
      await new Promise<void>((resolve) => this.#whenIdle.push(resolve))
    }
  }

  /** The disk is known not to take anything: as if a write had failed. */
  breakOff(error: JournalError): void {
    this.#fail(error)
  }

  /** Accepts records again; everything behind the durable point has been cut off. */
  resume(): void {
    this.#broken = null
  }

  /** Refuses whatever comes now, and what is still queued. */
  close(): void {
    this.#isClosed = true
    this.#cancelRide?.()
    this.#rejectAll(new JournalError('closed', 'it was closed before the record was on disk'))
  }

  #refuseBeyondBounds(bytes: number, flush: 'now' | 'ride' | 'urgent'): void {
    const { queueRecords, queueBytes, batchBytes } = this.#options.bounds
    if (bytes > batchBytes) {
      throw new JournalError('invalid', `a record of ${bytes} bytes; at most ${batchBytes}`)
    }
    if (flush === 'urgent') return
    const share = flush === 'ride' ? rideShare : 1
    const records = this.#queue.length + this.#writing.length
    if (records >= queueRecords * share || this.#queueBytes + bytes > queueBytes * share) {
      const text = `${records} records, ${this.#queueBytes} bytes wait for the disk; no more fit`
      throw new JournalError('queue_full', text)
    }
  }

  #startRide(): void {
    if (this.#isWriting || this.#cancelRide !== null) return
    this.#cancelRide = this.#options.timers.after(this.#options.bounds.rideMs, () => {
      this.#cancelRide = null
      this.#startFlush()
    })
  }

  /**
   * An idle disk begins in this very tick, so that it works while the caller signs; what comes
   * meanwhile is gathered and shares the next sync.
   */
  #startFlush(): void {
    this.#wantsFlush = true
    if (this.#isWriting) return
    if (this.#queue.length > 0) void this.#commit()
    else this.#settleIdle()
  }

  async #commit(): Promise<void> {
    const { clock, timers, bounds, file } = this.#options
    this.#isWriting = true
    this.#wantsFlush = false
    this.#cancelRide?.()
    this.#cancelRide = null
    const batch = this.#take()
    this.#writing = batch
    const refusal = this.#options.refusal()
    if (refusal !== null) {
      this.#isWriting = false
      this.#fail(refusal)
      return
    }
    const cancelWatch = timers.after(bounds.syncMs, () => {
      this.#fail(new JournalError('slow', `the disk has not answered for ${bounds.syncMs} ms`))
    })
    const { bytes, committed } = this.#encode(batch)
    const last = committed.at(-1)
    const startedMs = clock.monotonicMs()
    try {
      if (last === undefined) return
      const end = { seq: last.event.seq, hash: last.hash }
      const point = await file.append(this.#point, bytes, end, clock.now())
      if (this.#writing === batch) {
        this.#lastSyncMs = clock.now()
        this.#options.onSynced(clock.monotonicMs() - startedMs, committed.length)
        this.#succeed(batch, committed, point)
      }
    } catch (error) {
      if (this.#writing === batch) {
        const text = `the disk failed: ${causeText(error)}`
        this.#fail(new JournalError('disk', text, null, error))
      }
    } finally {
      cancelWatch()
      this.#isWriting = false
      this.#goOn()
    }
  }

  /** As many queued records as one write may take. */
  #take(): readonly Pending[] {
    let bytes = 0
    let count = 0
    for (const pending of this.#queue) {
      if (count > 0 && bytes + pending.bytes > this.#options.bounds.batchBytes) break
      bytes += pending.bytes
      count += 1
    }
    this.#queueBytes -= bytes
    return this.#queue.splice(0, count)
  }

  #encode(batch: readonly Pending[]): {
    readonly bytes: Buffer
    readonly committed: readonly Encoded[]
  } {
    const { key } = this.#options
    const synced = this.#point.seq
    let prev = this.#point.hash
    let offset = 0
    let lines = ''
    const committed = batch.map(({ event, body, opened, openedBytes }) => {
      const { line, hash, added } = seal(opened, synced, prev, key)
      const length = openedBytes + added - 1
      const encoded = { event, body, hash, offset, length }
      prev = hash
      offset += length + 1
      lines += line
      return encoded
    })
    return { bytes: Buffer.from(lines), committed }
  }

  #succeed(batch: readonly Pending[], encoded: readonly Encoded[], point: DurablePoint): void {
    const last = encoded.at(-1)
    const size = last === undefined ? 0 : last.offset + last.length + 1
    const segment = point.segment?.first ?? 0
    this.#point = point
    this.#writing = []
    for (const { seq, resolve } of batch) resolve(mintDurable(seq, false))
    this.#options.onCommitted(
      encoded.map(({ event, body, hash, offset, length }) => ({
        event,
        body,
        hash,
        position: { seq: event.seq, segment, offset: point.end - size + offset, length },
      })),
    )
  }

  #fail(error: JournalError): void {
    if (this.#broken !== null) return
    this.#broken = error
    this.#rejectAll(error)
    this.#options.onBroken(error)
    this.#settleIdle()
  }

  /** The numbers of what is refused are given again: no reader has seen them. */
  #rejectAll(error: JournalError): void {
    const refused = [...this.#writing, ...this.#queue]
    this.#writing = []
    this.#queue = []
    this.#queueBytes = 0
    this.#nextSeq = this.#point.seq + 1
    for (const { reject } of refused) reject(error)
  }

  #goOn(): void {
    if (this.#queue.length > 0 && this.#broken === null) {
      if (this.#wantsFlush) this.#startFlush()
      else this.#startRide()
    }
    this.#settleIdle()
  }

  #settleIdle(): void {
    const waiting = this.#whenIdle
    this.#whenIdle = []
    for (const wake of waiting) wake()
  }
}

interface Encoded {
  readonly event: GuardEvent
  readonly body: EventBody & Internal
  readonly hash: string
  readonly offset: number
  readonly length: number
}

/** A fresh error for each caller: its stack says who asked. */
function again(error: JournalError): JournalError {
  return new JournalError(error.code, error.message.replace(/^journal: /, ''), null, error)
}

const rideShare = 1.1
