import { shifted } from '../values/millis.ts'
import type { Millis } from '../values/millis.ts'
import { limits } from '../values/limits.ts'

interface Moving {
  /** When an oracle price of the dex last moved. */
  readonly at: Millis
  /** When the last move came that `count` includes. */
  readonly countedAt: Millis
  /** How many posts in a row moved a price, none of them late. */
  readonly count: number
}

/** A builder posts every three seconds: what moves sooner is of the same post. */
const postMs = 2_000
/** After so many moves in a row a dex is known for prices that move all the time. */
const steadyMoves = 20

/**
 * How the oracle prices of each dex move. The venue may repeat the prices of a builder that posts none
 * any more, and one price that stands still may be as it should; but where prices of a dex have moved all
 * the time, and then none of them does, nobody posts there.
 */
export class OracleHabits {
  readonly #dexes = new Map<string, Moving>()

  /** An oracle price of the dex is another one than before. */
  moved(dex: string, at: Millis): void {
    const before = this.#dexes.get(dex)
    if (before === undefined || at - before.at > limits.builderPriceAgeMsMax) {
      this.#dexes.set(dex, { at, countedAt: at, count: 1 })
    } else if (at - before.countedAt < postMs) this.#dexes.set(dex, { ...before, at })
    else this.#dexes.set(dex, { at, countedAt: at, count: before.count + 1 })
  }

  /** Since when none has moved, of a dex on which some did all the time; null: nobody knows its habit. */
  stillSince(dex: string): Millis | null {
    const moving = this.#dexes.get(dex)
    return moving === undefined || moving.count < steadyMoves ? null : moving.at
  }

  /** The clock was set by so much. */
  shift(ms: number): void {
    for (const [dex, { at, countedAt, count }] of this.#dexes) {
      this.#dexes.set(dex, { at: shifted(at, ms), countedAt: shifted(countedAt, ms), count })
    }
  }
}
