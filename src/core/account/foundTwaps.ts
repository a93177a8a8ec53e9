import { dexOf } from '../protocol/coinKind.ts'
import type { Twap, TwapNews } from '../protocol/venueState.ts'
import { shifted } from '../values/millis.ts'
import type { Millis } from '../values/millis.ts'

const minuteMs = 60_000
/** A TWAP may end so long after its time, and clocks differ. */
const lateMs = 120_000

/**
 * TWAPs that the venue's history shows as running and no list has: the stream may list none of a dex, and
 * no read lists those of builder dexes.
 */
export class FoundTwaps {
  #found: readonly Twap[] = []
  /** When the stream last listed those of each dex. */
  readonly #listedAt = new Map<string, Millis>()
  #readAt: Millis | null = null

  get all(): readonly Twap[] {
    return this.#found
  }

  /**
   * Guard's time since when the TWAPs of some dex may have changed without a word of it. Of each dex that
   * the stream has listed it is when its last list or the venue's history came, whichever was later; of
   * several dexes the earliest. Null where the stream has listed none.
   */
  get silentSince(): Millis | null {
    const ats = [...this.#listedAt.values()].map((at) => Math.max(at, this.#readAt ?? at) as Millis)
    return ats.length === 0 ? null : (Math.min(...ats) as Millis)
  }

  /** A list of a dex: what it lacks does not run there. Where the dex is gone nobody lists it any more. */
  listed(dex: string, isRead: boolean, at: Millis): void {
    this.#found = this.#found.filter(({ coin }) => dexOf(coin) !== dex)
    if (!isRead) this.#listedAt.set(dex, at)
    else if (dex !== '') this.#listedAt.delete(dex)
  }

  /** The venue's history; one without a number cannot be told from another. */
  told(news: readonly TwapNews[], at: Millis): void {
    this.#readAt = at
    const over = new Set(news.flatMap(({ id, isOver }) => (isOver ? [id] : [])))
    const running = new Map<number, Twap>()
    for (const { id, twap } of news) {
      const endsBy = twap.at + twap.minutes * minuteMs + lateMs
      const mayRun = twap.triggerPrice !== null || endsBy > at
      if (id !== null && mayRun && !over.has(id)) running.set(id, { id, ...twap })
    }
    this.#found = [...running.values()]
  }

  /** Moves the times that are kept here by so many milliseconds, because Guard's clock was set anew. */
  shift(ms: number): void {
    for (const [dex, at] of this.#listedAt) this.#listedAt.set(dex, shifted(at, ms))
    if (this.#readAt !== null) this.#readAt = shifted(this.#readAt, ms)
  }
}
