import { limits } from '../values/limits.ts'
import type { Millis } from '../values/millis.ts'

/**
 * Counts how long the known loss has been too large while the equity itself is not known. It counts
 * after the whole hold only: a position may be told before the fill that explains it.
 */
export class BlindLoss {
  #since: Millis | null = null

  /** Whether the loss has been too large for the whole hold; asked at every look. */
  counts(isLosing: boolean, at: Millis): boolean {
    if (!isLosing) this.#since = null
    // The clock may have been set back.
    else if (this.#since === null || at < this.#since) this.#since = at
    return this.#since !== null && at - this.#since >= limits.flowHoldMsMax
  }
}
