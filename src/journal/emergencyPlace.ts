import { join } from 'node:path'
import { limits } from '../core/values/limits.ts'
import type { Log, Timers } from '../engine/ports.ts'
import { causeText } from './journalError.ts'
import type { IoFile, JournalIo } from './journalIo.ts'
import { fileNames } from './layout.ts'
import { readRecord } from './record.ts'
import { readSmallFile, writeFully } from './segments.ts'

/** A line as it is in an emergency file, newline included. */
export interface EmergencyLine {
  /** -1, -2, ... */
  readonly number: number
  readonly hash: string
  readonly atMs: number
  readonly bytes: Buffer
}

/** A line on its way to a disk. */
export interface WaitingLine extends EmergencyLine {
  /** The journal has its record: the line need not be written any more. */
  isTaken: boolean
  /** Called once the line is on this place's disk. */
  readonly written: () => void
  /** Called when the disk refused it; it is tried again with the next line. */
  readonly failed: () => void
}

interface PlaceOptions {
  readonly io: JournalIo
  readonly directory: string
  readonly log: Log
  readonly timers: Pick<Timers, 'after'>
  readonly reserveBytes: number
  /** How long after a failure a file whose lines are all in the journal is begun anew. */
  readonly retryMs: number
  /** Whether the journal is still this process's own: another one's file must stay as it is. */
  readonly mayWrite: () => boolean
}

/**
 * The emergency file of one directory. Its space is on disk from the start, as empty lines, so that
 * a full disk still takes it. Lines are written in order, one write at a time.
 */
export class EmergencyPlace {
  readonly #options: PlaceOptions
  #waiting: WaitingLine[] = []
  #end = 0
  #size = 0
  #isWorking = false
  #isStuck = false
  #isClosed = false
  #trouble: string | null = null
  /** All lines are in the journal: the file is to be begun anew, kept under this name or not. */
  #renewal: { readonly keepAs: string | null } | null = null
  #cancelRetry: (() => void) | null = null

  constructor(options: PlaceOptions) {
    this.#options = options
  }

  get directory(): string {
    return this.#options.directory
  }

  /** Whether the file holds no line. */
  get isEmpty(): boolean {
    return this.#end === 0
  }

  /** Whether the disk was given up on and has taken nothing since. */
  get isStuck(): boolean {
    return this.#isStuck
  }

  /** What a person should read about this place; null while it works. */
  get trouble(): string | null {
    return this.#trouble
  }

  /** The lines that an earlier run left; keeps the reserve on disk. */
  async open(): Promise<readonly EmergencyLine[]> {
    const { io } = this.#options
    await io.makeDirectory(this.directory)
    const bytes = (await readSmallFile(io, this.#path)) ?? Buffer.alloc(0)
    const lines = wholeLines(bytes)
    this.#size = bytes.length
    this.#end = lines.reduce((end, line) => end + line.bytes.length, 0)
    // A torn line behind the last whole one was never answered for; it is blanked.
    const rest = bytes.subarray(this.#end)
    await this.#reserve(rest.equals(Buffer.alloc(rest.length, newline)) ? this.#size : this.#end)
    return lines
  }

  append(line: WaitingLine): void {
    this.#waiting.push(line)
    void this.#work()
  }

  /** Nobody waits for this disk any more until it has taken something again. */
  giveUp(): void {
    if (this.#waiting.length === 0 && !this.#isWorking) return
    this.#isStuck = true
    this.#trouble = `${this.directory} does not answer`
  }

  /** Tries again what has not been written; returns whether all of it is on disk. */
  async flush(): Promise<boolean> {
    await this.#work()
    return this.#waiting.length === 0 && !this.#isWorking
  }

  /**
   * Every line that was given so far has joined the journal: begins a new file, and keeps the old
   * one under the name of the journal's last record then. Throws when the disk does not do it now;
   * it is done before the next line is written.
   */
  async archive(lastSeq: number): Promise<void> {
    const keepAs = `emergency-${String(lastSeq).padStart(16, '0')}.ndjson`
    this.#renewal = { keepAs }
    await this.#work()
    if (this.#isOld) throw new Error(this.#trouble ?? 'the emergency file is in use')
  }

  /** The same where the journal took every record by itself: there is nothing to keep. */
  clear(): void {
    this.#renewal ??= { keepAs: null }
    void this.#work()
  }

  /** Whether what the file holds is in the journal, and nobody has begun a new one yet. */
  get #isOld(): boolean {
    return this.#renewal !== null
  }

  get #path(): string {
    return join(this.directory, fileNames.emergency)
  }

  async #work(): Promise<void> {
    if (this.#isWorking) return
    this.#isWorking = true
    try {
      for (;;) {
        if (this.#renewal !== null) await this.#renew(this.#renewal)
        else if (!(await this.#writeWaiting())) break
      }
      this.#isStuck = false
      this.#trouble = null
    } catch (error) {
      this.#tell(`${this.directory}: ${causeText(error)}`)
      for (const { failed } of this.#waiting) failed()
      this.#renewLater()
    } finally {
      this.#isWorking = false
    }
  }

  /** The log has it once for as long as it lasts. */
  #tell(trouble: string): void {
    if (trouble === this.#trouble) return
    this.#trouble = trouble
    this.#options.log.log('error', `the emergency file failed: ${trouble}`)
  }

  /** No line may come for days: until then the file would look as if its records were in it alone. */
  #renewLater(): void {
    if (!this.#isOld || this.#isClosed || this.#cancelRetry !== null) return
    this.#cancelRetry = this.#options.timers.after(this.#options.retryMs, () => {
      this.#cancelRetry = null
      if (this.#options.mayWrite()) void this.#work()
    })
  }

  /** Nothing is tried again from now on. */
  close(): void {
    this.#isClosed = true
    this.#cancelRetry?.()
  }

  /** Writes what waits and is not in the journal yet; false where there is none. */
  async #writeWaiting(): Promise<boolean> {
    const lines = this.#waiting.splice(0).filter(({ isTaken }) => !isTaken)
    if (lines.length === 0) return false
    await this.#write(lines)
    return true
  }

  async #write(lines: WaitingLine[]): Promise<void> {
    try {
      const bytes = Buffer.concat(lines.map((line) => line.bytes))
      const file = await this.#options.io.open(this.#path, 'write')
      try {
        await writeFully(file, bytes, this.#end)
        await file.sync()
      } finally {
        await file.close()
      }
      this.#end += bytes.length
      this.#size = Math.max(this.#size, this.#end)
    } catch (error) {
      this.#waiting.unshift(...lines)
      throw error
    }
    for (const { written } of lines) written()
  }

  async #renew(renewal: { readonly keepAs: string | null }): Promise<void> {
    this.#waiting = this.#waiting.filter(({ isTaken }) => !isTaken)
    if (this.#end > 0 && renewal.keepAs !== null) await this.#keep(renewal.keepAs)
    else if (this.#end > 0) {
      await this.#blank(0, this.#end)
      this.#end = 0
    }
    await this.#reserve(this.#size)
    if (this.#renewal === renewal) this.#renewal = null
  }

  async #keep(name: string): Promise<void> {
    const { io } = this.#options
    const file = await io.open(this.#path, 'write')
    try {
      await file.truncate(this.#end)
      await file.sync()
    } finally {
      await file.close()
    }
    await io.rename(this.#path, join(this.directory, name))
    this.#end = 0
    this.#size = 0
    await io.syncDirectory(this.directory)
  }

  /** A full disk must not keep Guard from starting: without the reserve it only warns. */
  async #reserve(from: number): Promise<void> {
    const { io, reserveBytes, log } = this.#options
    try {
      await this.#blank(from, Math.max(reserveBytes, this.#size))
      await io.syncDirectory(this.directory)
    } catch (error) {
      log.log('error', `no space could be kept for the emergency file: ${causeText(error)}`)
    }
  }

  async #blank(from: number, until: number): Promise<void> {
    const file = await this.#options.io.open(this.#path, 'write')
    try {
      await this.#fill(file, from, until)
    } finally {
      await file.close()
    }
  }

  async #fill(file: IoFile, from: number, until: number): Promise<void> {
    if (from >= until) return
    const blank = Buffer.alloc(Math.min(fillBytes, until - from), newline)
    for (let at = from; at < until; at += blank.length) {
      await writeFully(file, blank.subarray(0, Math.min(blank.length, until - at)), at)
    }
    await file.sync()
    this.#size = Math.max(this.#size, until)
  }
}

/** The lines of an emergency file up to the first that does not verify or does not follow. */
export function wholeLines(bytes: Buffer): readonly EmergencyLine[] {
  const lines: EmergencyLine[] = []
  let at = 0
  let before: string | null = null
  for (;;) {
    const end = bytes.indexOf(newline, at)
    const record = end < 0 ? null : readRecord(bytes.subarray(at, end))
    if (record === null || (before !== null && record.prev !== before)) return lines
    const { seq: number, hash, at_ms: atMs } = record
    lines.push({ number, hash, atMs, bytes: bytes.subarray(at, end + 1) })
    before = hash
    at = end + 1
  }
}

const newline = 0x0a
const fillBytes = limits.emergencyFillBytes
