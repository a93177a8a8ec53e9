import { limits } from '../../core/values/limits.ts'

/** Somebody whom Guard has answered, with what they have not taken yet. */
export interface Holder {
  readonly unreadBytes: number
  /** Ends the connection, and with it what was kept for it. */
  drop(): void
}

/**
 * Bounds what all who ask and do not read may keep in memory together. Beyond it whoever keeps the
 * most is cut off: those who read keep nothing, and are never the ones.
 */
export class UnreadAnswers {
  readonly #holders = new Set<Holder>()
  readonly #dropped: (unreadBytes: number) => void

  constructor(dropped: (unreadBytes: number) => void) {
    this.#dropped = dropped
  }

  /** Counts what a holder keeps from now on; the returned function ends it. */
  watch(holder: Holder): () => void {
    this.#holders.add(holder)
    return () => this.#holders.delete(holder)
  }

  /** To be called by a holder that was written to. */
  wrote({ unreadBytes }: Holder): void {
    // Together those who keep less than this stay below the bound by their number.
    if (unreadBytes <= limits.unreadBytesSmall) return
    let total = 0
    for (const each of this.#holders) total += each.unreadBytes
    while (total > limits.unreadBytesMax) {
      const most = this.#keepsMost()
      if (most === null) return
      const bytes = most.unreadBytes
      total -= bytes
      this.#holders.delete(most)
      this.#dropped(bytes)
      most.drop()
    }
  }

  #keepsMost(): Holder | null {
    let most: Holder | null = null
    for (const each of this.#holders) {
      if (most === null || each.unreadBytes > most.unreadBytes) most = each
    }
    return most
  }
}
