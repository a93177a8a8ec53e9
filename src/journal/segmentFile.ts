import { limits } from '../core/values/limits.ts'
import { join } from 'node:path'
import type { Millis } from '../core/values/millis.ts'
import { utcDay } from '../core/values/millis.ts'
import { causeText } from './journalError.ts'
import type { IoFile, JournalIo } from './journalIo.ts'
import { segmentName } from './layout.ts'
import type { SegmentName } from './layout.ts'
import { listSegments, writeFully } from './segments.ts'

/** The last record on disk, and where its segment ends behind it. */
export interface DurablePoint {
  readonly seq: number
  readonly hash: string
  readonly segment: SegmentName | null
  readonly end: number
}

/** The segment being written: one write and one sync at a time, each after the last. */
export class SegmentFile {
  readonly #io: JournalIo
  readonly #directory: string
  readonly #segmentBytes: number
  #active: { readonly name: SegmentName; readonly file: IoFile } | null = null

  constructor(io: JournalIo, directory: string, segmentBytes: number) {
    this.#io = io
    this.#directory = directory
    this.#segmentBytes = segmentBytes
  }

  /** Goes on with the segment that holds the last record. */
  async resume(point: DurablePoint): Promise<void> {
    if (point.segment === null) return
    const path = join(this.#directory, point.segment.name)
    const file = await this.#io.open(path, 'write', 'durable')
    this.#active = { name: point.segment, file }
  }

  /** Writes and syncs lines after the durable point; returns the point behind them. */
  async append(
    point: DurablePoint,
    bytes: Uint8Array,
    last: { readonly seq: number; readonly hash: string },
    at: Millis,
  ): Promise<DurablePoint> {
    const isDue = this.#isRotationDue(point, at)
    const active = isDue || this.#active === null ? await this.#begin(point.seq + 1, at) : null
    const { name, file } = active ?? this.#current()
    // Whatever is written to a file without its name is gone with this process.
    if (!file.isInPlace()) throw new Error(`${name.name} was moved, removed or replaced`)
    const start = name === point.segment ? point.end : 0
    await writeFully(file, bytes, start)
    return { ...last, segment: name, end: start + bytes.length }
  }

  /** Lets go of the file, whatever state it is in. */
  async abandon(): Promise<void> {
    const active = this.#active
    this.#active = null
    await active?.file.close().catch(() => undefined)
  }

  /**
   * Brings the segments back to the durable point after a failure: what lies behind it was never
   * acknowledged, and after a failed sync nobody can say what of it is on disk.
   */
  async cutBack(point: DurablePoint): Promise<void> {
    await this.abandon()
    const names = await listSegments(this.#io, this.#directory)
    for (const name of names.filter(({ first }) => first > point.seq)) {
      await this.#io.remove(join(this.#directory, name.name))
    }
    await this.#io.syncDirectory(this.#directory)
    if (point.segment === null) return
    const path = join(this.#directory, point.segment.name)
    await this.#refuseShort(path, point)
    const file = await this.#io.open(path, 'write')
    try {
      await file.truncate(point.end)
      await file.sync()
    } finally {
      await file.close()
    }
  }

  /** A segment that is gone, or that lacks what was on disk, is not made up for by an empty one. */
  async #refuseShort(path: string, { end, seq }: DurablePoint): Promise<void> {
    const file = await this.#io.open(path, 'read')
    try {
      const size = await file.size()
      if (size < end) throw new Error(`${path} has ${size} bytes; record ${seq} ended at ${end}`)
    } finally {
      await file.close()
    }
  }

  #isRotationDue(point: DurablePoint, at: Millis): boolean {
    const name = this.#active?.name
    if (name === undefined) return true
    return point.end >= this.#segmentBytes || utcDay(at) > name.day
  }

  #current(): { readonly name: SegmentName; readonly file: IoFile } {
    if (this.#active === null) throw new Error('no segment is open')
    return this.#active
  }

  async #begin(
    first: number,
    at: Millis,
  ): Promise<{ readonly name: SegmentName; readonly file: IoFile }> {
    await this.abandon()
    const name = segmentName(first, at)
    const file = await this.#io.open(join(this.#directory, name.name), 'create', 'durable')
    this.#active = { name, file }
    await this.#io.syncDirectory(this.#directory)
    return this.#active
  }
}

/** Tries whether the disk takes and keeps some bytes; a sentence about what went wrong, or null. */
export async function probeDisk(io: JournalIo, directory: string): Promise<string | null> {
  const path = join(directory, 'probe')
  try {
    const file = await io.open(path, 'write')
    try {
      await writeFully(file, new Uint8Array(probeBytes), 0)
      await file.sync()
    } finally {
      await file.close()
    }
    await io.remove(path)
    return null
  } catch (error) {
    await io.remove(path).catch(() => undefined)
    return causeText(error)
  }
}

const probeBytes = limits.diskProbeBytes
