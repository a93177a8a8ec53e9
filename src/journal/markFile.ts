import { join } from 'node:path'
import type { Log, Timers } from '../engine/ports.ts'
import type { ChainKey } from './chainKey.ts'
import { causeText } from './journalError.ts'
import type { IoFile, JournalIo } from './journalIo.ts'
import { fileNames, markParts, markText, parseMark } from './layout.ts'
import type { Mark } from './layout.ts'
import type { JournalOptions } from './opened.ts'
import type { DurablePoint } from './segmentFile.ts'
import { readSmallFile, writeFully } from './segments.ts'

export async function readMark(io: JournalIo, directory: string): Promise<Mark | null> {
  const bytes = await readSmallFile(io, join(directory, fileNames.mark))
  return bytes === null ? null : parseMark(bytes.toString('utf8'))
}

/**
 * Keeps the durable point beside the segments. It is written a little behind the syncs and never
 * waited for: it may lag, and it is never ahead of what is on disk.
 */
export class MarkFile {
  readonly #log: Log
  readonly #timers: Timers
  readonly #file: IoFile
  readonly #key: ChainKey | null
  #wanted: DurablePoint | null = null
  #cancel: (() => void) | null = null
  #writing: Promise<void> | null = null

  constructor(file: IoFile, timers: Timers, log: Log, key: ChainKey | null) {
    this.#file = file
    this.#key = key
    this.#timers = timers
    this.#log = log
  }

  static async open({ io, directory, timers, log, key = null }: JournalOptions): Promise<MarkFile> {
    const file = await io.open(join(directory, fileNames.mark), 'write')
    return new MarkFile(file, timers, log, key)
  }

  /** Syncs close upon each other share one write: each would take a thread from the disk's work. */
  move(point: DurablePoint): void {
    this.#wanted = point
    if (this.#cancel !== null || this.#writing !== null) return
    this.#cancel = this.#timers.after(lagMs, () => {
      this.#cancel = null
      this.#writing = this.#write()
    })
  }

  async close(): Promise<void> {
    try {
      this.#cancel?.()
      await this.#writing
      await this.#write()
      await this.#file.sync()
      await this.#file.close()
    } catch (error) {
      this.#log.log('warn', `the durable point was not kept: ${causeText(error)}`)
    }
  }

  async #write(): Promise<void> {
    try {
      for (let point = this.#wanted; point !== null; point = this.#wanted) {
        this.#wanted = null
        const { seq, hash, segment, end } = point
        if (segment === null) continue
        const mark = { seq, hash, segment: segment.name, end }
        const proof = this.#key?.prove('mark', markParts(mark))
        const text = markText(proof === undefined ? mark : { ...mark, proof })
        await writeFully(this.#file, Buffer.from(text), 0)
      }
    } catch (error) {
      this.#log.log('warn', `the durable point was not kept: ${causeText(error)}`)
    } finally {
      this.#writing = null
    }
  }
}

/** Not in the tick of the sync: whoever waited for that one goes first. */
const lagMs = 0
