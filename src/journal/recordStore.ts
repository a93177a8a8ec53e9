import { limits } from '../core/values/limits.ts'
import type { Base } from './base.ts'
import type { Position } from './eventIndex.ts'
import { JournalError } from './journalError.ts'
import type { JournalIo } from './journalIo.ts'
import type { StoredRecord } from './record.ts'
import { openRecord, readRecord, readSeal } from './record.ts'
import type { Seal } from './record.ts'
import type { DurablePoint } from './segmentFile.ts'
import { linesForward, listSegments, readAt } from './segments.ts'
import type { SegmentLine } from './segments.ts'
import { placeOf } from './tail.ts'

/** A verified line of the journal, not yet taken apart. */
export interface SealedLine extends Position {
  readonly seal: Seal
  readonly bytes: Buffer
}

/** Reads what is on disk and verifies it; never looks behind the durable point. */
export class RecordStore {
  readonly #io: JournalIo
  readonly #directory: string
  readonly #base: () => Base
  readonly #point: () => DurablePoint

  constructor(io: JournalIo, directory: string, base: () => Base, point: () => DurablePoint) {
    this.#io = io
    this.#directory = directory
    this.#base = base
    this.#point = point
  }

  /** The last record that was removed for its age; 0 while all are kept. */
  get removedUpTo(): number {
    return this.#base().seq
  }

  /** The record at a place an index named; null when another stands there, or none. */
  async at(position: Position): Promise<StoredRecord | null> {
    const { segment: first, offset, length, seq } = position
    if (seq > this.#point().seq || length > lineBytesMax) return null
    const segments = await listSegments(this.#io, this.#directory)
    const segment = segments.find((name) => name.first === first)
    if (segment === undefined) return null
    const line = await readAt(this.#io, this.#directory, segment, offset, length)
    const record = line === null ? null : readRecord(line)
    return record?.seq === seq ? record : null
  }

  /**
   * Verified lines after `since`, oldest first, up to the durable point of this moment, in groups:
   * each costs little, so that whoever reads much can let others have the thread between two.
   * `hint` is a known place of a record at or before the first one wanted.
   */
  async *after(since: number, hint: Position | null = null): AsyncGenerator<readonly SealedLine[]> {
    const point = this.#point()
    if (since >= point.seq) return
    const segments = await listSegments(this.#io, this.#directory)
    const start = segments.findLastIndex(({ first }) => first <= since + 1)
    let before: ChainEnd | null = null
    for (const [index, segment] of segments.entries()) {
      const base = this.#base()
      // Segments that are too old may go while others are read.
      if (index < start || segment.first > point.seq || segment.first <= base.seq) continue
      const from = index === start && hint?.segment === segment.first ? hint.offset : 0
      if (segment.first === base.seq + 1 && from === 0) before = base
      const end = segment.name === point.segment?.name ? point.end : Infinity
      for await (const lines of linesForward(this.#io, this.#directory, segment, from, end)) {
        let wanted: SealedLine[] = []
        let bytes = 0
        for (const line of lines) {
          const sealed = chained(line, before, line.offset === hint?.offset ? hint.seq : undefined)
          before = sealed.seal
          if (sealed.seq <= since) continue
          wanted.push(sealed)
          bytes += sealed.length
          if (bytes < limits.pastBytesPerTurn) continue
          yield wanted
          wanted = []
          bytes = 0
        }
        if (wanted.length > 0) yield wanted
      }
    }
    if (before !== null && before.seq < point.seq) {
      throw new JournalError('damaged', `record ${before.seq + 1} is missing`)
    }
  }

  /** The records of `after`, one by one. */
  async *records(since: number, hint: Position | null = null): AsyncGenerator<StoredRecord> {
    for await (const lines of this.after(since, hint)) {
      for (const line of lines) yield openRecord(line.bytes, line.seal)
    }
  }
}

interface ChainEnd {
  readonly seq: number
  readonly hash: string
}

/** The line with its seal, or an error naming the place when it does not follow the one before. */
export function chained(line: SegmentLine, before: ChainEnd | null, known?: number): SealedLine {
  const { segment, offset, bytes, ended } = line
  const sealed = ended ? readSeal(bytes) : null
  const expected = before === null ? (known ?? segment.first) : before.seq + 1
  const place = placeOf(segment, expected, offset)
  if (sealed === null) {
    throw new JournalError('damaged', `record ${expected} does not verify`, place)
  }
  if (before !== null && (sealed.seq !== expected || sealed.prev !== before.hash)) {
    const text = `record ${sealed.seq} does not follow record ${before.seq}`
    throw new JournalError('damaged', text, place)
  }
  if (offset === 0 && sealed.seq !== segment.first) {
    const text = `the segment is named after record ${segment.first} and begins with ${sealed.seq}`
    throw new JournalError('damaged', text, place)
  }
  return {
    seq: sealed.seq,
    segment: segment.first,
    offset,
    length: bytes.length,
    seal: sealed,
    bytes,
  }
}

const lineBytesMax = limits.recordBytesMax
