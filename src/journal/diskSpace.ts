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
  /** How often it looks; thirty times as often while there is little room, so that the figure is true. */
  readonly everyMs: number
}

const oftener = 30

/** Looks now and then how much room the journal's disk has left; no order ever waits for it. */
export class DiskSpace {
  readonly #options: DiskSpaceOptions
  #cancel: () => void = () => undefined
  #isClosed = false
  #room: Room = 'enough'
  #text: string | null = null

  constructor(options: DiskSpaceOptions) {
    this.#options = options
    void this.#look()
  }

  /** What a person should read before the disk is full; null while there is enough room. */
  get text(): string | null {
    return this.#text
  }

  close(): void {
    this.#isClosed = true
    this.#cancel()
  }

  /** One question at a time: a disk that hangs must not take a thread every minute. */
  async #look(): Promise<void> {
    const { io, directory, log, timers, everyMs } = this.#options
    try {
      const free = await io.freeBytes(directory)
      this.#room = roomFor(free, this.#room)
      this.#text = this.#room === 'little' ? textOf(free, directory) : null
    } catch (error) {
      // What is wrong with the disk itself shows in its writes.
      log.log('warn', `the free space of ${directory} is not known: ${causeText(error)}`)
    }
    if (this.#isClosed) return
    const nextMs = this.#room === 'little' ? Math.ceil(everyMs / oftener) : everyMs
    this.#cancel = timers.after(nextMs, () => void this.#look())
  }
}

function textOf(free: number, directory: string): string {
  const mebibyte = 1_048_576
  const [left, wanted] = [free, limits.diskFreeBytesAgain].map((each) =>
    Math.floor(each / mebibyte),
  )
  return `${left} MiB are left where ${directory} is; make it ${wanted} MiB or more: on a full disk nothing opens`
}
