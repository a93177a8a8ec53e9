import { limits } from '../core/values/limits.ts'
import { join } from 'node:path'
import type { EventBody, Internal } from '../core/events/guardEvent.ts'
import type { Clock, Durable, Log, Timers } from '../engine/ports.ts'
import { mintDurable } from './durable.ts'
import { causeText } from './journalError.ts'
import type { IoFile, JournalIo } from './journalIo.ts'
import { fileNames } from './layout.ts'
import { eventOf, openLine, readRecord, seal } from './record.ts'
import { readSmallFile, writeFully } from './segments.ts'

/** A record of the emergency file: numbered -1, -2, ... and chained among themselves. */
export interface EmergencyRecord {
  readonly number: number
  readonly hash: string
  readonly atMs: number
  readonly body: EventBody & Internal
}

export interface EmergencyOptions {
  readonly io: JournalIo
  readonly directory: string
  readonly clock: Clock
  readonly timers: Timers
  readonly log: Log
  readonly reserveBytes: number
  readonly waitMs: number
  readonly genesisHash: string
}

interface Line {
  readonly number: number
  readonly line: Buffer
  readonly done: (onDisk: boolean) => void
}

/**
 * Where what lowers risk is recorded while the journal cannot. Its space is on disk from the start,
 * as empty lines, so that a full disk still takes it; a disk that does not answer delays nobody
 * for longer than the wait, and once it is known not to answer, nobody at all.
 */
export class EmergencyFile {
  readonly #options: EmergencyOptions
  /** Everything not yet taken into the journal. */
  #records: EmergencyRecord[] = []
  #unwritten: Line[] = []
  #end = 0
  #size = 0
  #last: { readonly number: number; readonly hash: string }
  #isWriting = false
  #isStuck = false
  #isArchiving = false

  constructor(options: EmergencyOptions) {
    this.#options = options
    this.#last = { number: 0, hash: options.genesisHash }
  }

  /** What has not been taken into the journal yet, oldest first. */
  get records(): readonly EmergencyRecord[] {
    return this.#records
  }

  /** Whether the file holds no line at all, taken in or not. */
  get isEmpty(): boolean {
    return this.#end === 0 && this.#records.length === 0
  }

  /** The oldest record is in the journal now. */
  dropFirst(): void {
    this.#records.shift()
  }

  /** Reads what an earlier run left, and keeps the reserve on disk. */
  async open(): Promise<void> {
    const bytes = (await readSmallFile(this.#options.io, this.#path)) ?? Buffer.alloc(0)
    this.#size = bytes.length
    for (;;) {
      const end = bytes.indexOf(newline, this.#end)
      const line = end < 0 ? null : readRecord(bytes.subarray(this.#end, end))
      if (line === null || (this.#end > 0 && line.prev !== this.#last.hash)) break
      this.#records.push({ number: line.seq, hash: line.hash, atMs: line.at_ms, body: line.body })
      this.#last = { number: line.seq, hash: line.hash }
      this.#end = end + 1
    }
    // A torn line behind the last whole one was never answered for; it is blanked.
    const rest = bytes.subarray(this.#end)
    await this.#reserve(rest.equals(Buffer.alloc(rest.length, newline)) ? this.#size : this.#end)
  }

  /** Resolves once the line is on disk, or when the disk has not taken it in time. */
  append(body: EventBody & Internal, synced: number): Promise<Durable> {
    const { clock, timers, log, waitMs } = this.#options
    const number = this.#last.number - 1
    const atMs = clock.now()
    const opened = openLine(eventOf(number, atMs, body), body._)
    const { line: text, hash } = seal(opened, synced, this.#last.hash)
    const line = Buffer.from(text)
    this.#last = { number, hash }
    this.#records.push({ number, hash, atMs, body })
    return new Promise((resolve) => {
      let cancel = (): void => undefined
      const done = (onDisk: boolean): void => {
        cancel()
        if (!onDisk) log.log('error', 'an emergency record is only in memory', { record: text })
        resolve(mintDurable(number, true, onDisk))
      }
      this.#unwritten.push({ number, line, done: once(done) })
      if (this.#isStuck) {
        this.#giveUp()
        return
      }
      cancel = timers.after(waitMs, () => {
        this.#isStuck = true
        this.#giveUp()
      })
      void this.#write()
    })
  }

  /** Tries again to write what is only in memory; returns whether nothing is left so. */
  async flush(): Promise<boolean> {
    if (!this.#isWriting) await this.#write()
    return this.#unwritten.length === 0
  }

  /** The records have joined the journal: keeps the file under another name, begins a new one. */
  async archive(lastSeq: number): Promise<void> {
    const { io, directory } = this.#options
    const kept = join(directory, `emergency-${String(lastSeq).padStart(16, '0')}.ndjson`)
    this.#isArchiving = true
    try {
      const file = await io.open(this.#path, 'write')
      try {
        await file.truncate(this.#end)
        await file.sync()
      } finally {
        await file.close()
      }
      await io.rename(this.#path, kept)
      await io.syncDirectory(directory)
      this.#end = 0
      this.#size = 0
      await this.#reserve(0)
    } finally {
      this.#isArchiving = false
      void this.#write()
    }
  }

  get #path(): string {
    return join(this.#options.directory, fileNames.emergency)
  }

  async #write(): Promise<void> {
    if (this.#isWriting || this.#isArchiving || this.#unwritten.length === 0) return
    this.#isWriting = true
    try {
      while (this.#unwritten.length > 0) {
        const lines = [...this.#unwritten]
        await this.#writeLines(Buffer.concat(lines.map(({ line }) => line)))
        this.#unwritten.splice(0, lines.length)
        for (const { done } of lines) done(true)
      }
      this.#isStuck = false
    } catch (error) {
      this.#options.log.log('error', `the emergency file failed: ${causeText(error)}`)
      this.#giveUp()
    } finally {
      this.#isWriting = false
    }
  }

  async #writeLines(bytes: Buffer): Promise<void> {
    const file = await this.#options.io.open(this.#path, 'write')
    try {
      await writeFully(file, bytes, this.#end)
      await file.sync()
    } finally {
      await file.close()
    }
    this.#end += bytes.length
    this.#size = Math.max(this.#size, this.#end)
  }

  /** Those who wait go on; the lines stay to be written. */
  #giveUp(): void {
    for (const { done } of this.#unwritten) done(false)
  }

  /** A full disk must not keep Guard from starting: without the reserve it only warns. */
  async #reserve(from: number): Promise<void> {
    const { io, directory, reserveBytes, log } = this.#options
    try {
      const file = await io.open(this.#path, 'write')
      try {
        await this.#fill(file, from, Math.max(reserveBytes, this.#size))
      } finally {
        await file.close()
      }
      await io.syncDirectory(directory)
    } catch (error) {
      log.log('error', `no space could be kept for the emergency file: ${causeText(error)}`)
    }
  }

  async #fill(file: IoFile, from: number, until: number): Promise<void> {
    if (from >= until) return
    const blank = Buffer.alloc(Math.min(fillBytes, until - from), newline)
    for (let at = from; at < until; at += blank.length) {
      await writeFully(file, blank.subarray(0, Math.min(blank.length, until - at)), at)
    }
    await file.sync()
    this.#size = until
  }
}

function once(task: (onDisk: boolean) => void): (onDisk: boolean) => void {
  let isDone = false
  return (onDisk) => {
    if (isDone) return
    isDone = true
    task(onDisk)
  }
}

const newline = 0x0a
const fillBytes = limits.emergencyFillBytes
