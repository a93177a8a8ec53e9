import { limits } from '../values/limits.ts'
import type { Millis } from '../values/millis.ts'

/**
 * What positions lose and fills report is a loss, also while nobody can tell the equity. It has to
 * stand for the whole hold, for positions may be told before the fill that explains them.
 */
export class BlindLoss {
  #since: Millis | null = null

  /** Whether it has stood for so long. */
  counts(isLosing: boolean, at: Millis): boolean {
    if (!isLosing) this.#since = null
    // The clock may have been set back.
    else if (this.#since === null || at < this.#since) this.#since = at
    return this.#since !== null && at - this.#since >= limits.flowHoldMsMax
  }
}
