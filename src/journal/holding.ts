import type { Log, Timers } from '../engine/ports.ts'
import { JournalError } from './journalError.ts'
import type { IoLock } from './journalIo.ts'

interface HoldingOptions {
  readonly directory: string
  readonly lock: IoLock & { readonly held: true }
  readonly timers: Timers
  readonly log: Log
  /** How often the lock is looked at while nothing is written. */
  readonly everyMs: number
  /** Told once, when the lock is gone. */
  readonly onLost: (error: JournalError) => void
}

/**
 * That this process alone writes the journal. A lock file that was removed or replaced lets a second
 * Guard in: from then on this one writes nothing any more, in no file of the journal, for good.
 */
export class Holding {
  readonly #options: HoldingOptions
  readonly #cancel: () => void
  #lost: JournalError | null = null

  constructor(options: HoldingOptions) {
    this.#options = options
    this.#cancel = options.timers.every(options.everyMs, () => void this.check())
  }

  get isLost(): boolean {
    return this.#lost !== null
  }

  /** Why nothing may be written any more; null while the lock is this process's. */
  check(): JournalError | null {
    const { directory, lock, log, onLost } = this.#options
    if (this.#lost !== null || lock.isOurs()) return this.#lost
    const error = new JournalError(
      'locked',
      `its lock in ${directory} was removed or replaced while Guard ran; another Guard may write there, so this one writes nothing more and stops`,
    )
    this.#lost = error
    this.#cancel()
    log.log('error', error.message)
    onLost(error)
    return error
  }

  /** Stops looking; the lock of another process is left alone. */
  async release(): Promise<void> {
    this.#cancel()
    await this.#options.lock.release()
  }
}
