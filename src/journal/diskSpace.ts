import { limits } from '../core/values/limits.ts'
import type { Log, Timers } from '../engine/ports.ts'
import { causeText } from './journalError.ts'
import type { JournalIo } from './journalIo.ts'

/** How much room there is for what has to be written, or that there is enough. */
type Room = 'enough' | 'little'

/**
 * Whether so many free bytes are little. It takes more room to be enough again than to have just
 * been enough, so that a disk at the edge is told of once.
 */
export function roomFor(freeBytes: number, before: Room): Room {
  const { diskFreeBytesLow, diskFreeBytesAgain } = limits
  return freeBytes < (before === 'little' ? diskFreeBytesAgain : diskFreeBytesLow)
    ? 'little'
    : 'enough'
}

interface DiskSpaceOptions {
  readonly io: JournalIo
  readonly directory: string
  readonly timers: Timers
  readonly log: Log
  readonly everyMs: number
}

/** Looks now and then how much room the journal's disk has left; no order ever waits for it. */
export class DiskSpace {
  readonly #options: DiskSpaceOptions
  readonly #cancel: () => void
  #room: Room = 'enough'
  #text: string | null = null
  #isAsking = false

  constructor(options: DiskSpaceOptions) {
    this.#options = options
    void this.#look()
    this.#cancel = options.timers.every(options.everyMs, () => void this.#look())
  }

  /** What a person should read before the disk is full; null while there is enough room. */
  get text(): string | null {
    return this.#text
  }

  close(): void {
    this.#cancel()
  }

  /** One question at a time: a disk that hangs must not take a thread every minute. */
  async #look(): Promise<void> {
    const { io, directory, log } = this.#options
    if (this.#isAsking) return
    this.#isAsking = true
    try {
      const free = await io.freeBytes(directory)
      this.#room = roomFor(free, this.#room)
      this.#text = this.#room === 'little' ? textOf(free, directory) : null
    } catch (error) {
      // What is wrong with the disk itself shows in its writes.
      log.log('warn', `the free space of ${directory} is not known: ${causeText(error)}`)
    } finally {
      this.#isAsking = false
    }
  }
}

function textOf(free: number, directory: string): string {
  const mebibyte = 1_048_576
  const [left, wanted] = [free, limits.diskFreeBytesAgain].map((each) =>
    Math.floor(each / mebibyte),
  )
  return `${left} MiB are left where ${directory} is; make it ${wanted} MiB or more: on a full disk nothing opens`
}
