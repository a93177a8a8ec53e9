import { dexOf } from '../protocol/coinKind.ts'
import type { Fill } from '../protocol/venueState.ts'
import type { Coin } from '../values/coin.ts'
import type { Decimal } from '../values/decimal.ts'
import type { PositionView } from './accountView.ts'
import { signedSize } from './fillChain.ts'

interface Known {
  /** The venue's time from which on it is known to have been there. */
  readonly since: number
  readonly size: Decimal
  /** When it was opened, where what was there before had ended unseen. */
  readonly anewAt: number
}

/** A position that had ended by the time of a fill, though no fill has told how. */
interface EndedUnseen {
  readonly coin: Coin
  readonly was: Decimal
  /** From when on it was known to be there, and the fill's time. */
  readonly from: number
  readonly by: number
}

/**
 * From when on each position on a builder dex is known to have been there. A builder settles positions
 * at any time: one that is opened from nothing later than that proves that what was there has ended,
 * in whatever size it is opened.
 */
export class HeldSince {
  readonly #known = new Map<Coin, Known>()
  #ended: EndedUnseen[] = []

  /** What has ended unseen since this was asked last. */
  takeEnded(): readonly EndedUnseen[] {
    const ended = this.#ended
    this.#ended = []
    return ended
  }

  /**
   * The positions as a state shows them, of the venue's moment that it is of. One that is larger or
   * smaller than fills have told is known from then on.
   */
  see(positions: ReadonlyMap<Coin, PositionView>, timeOf: (coin: Coin) => number): void {
    for (const coin of [...this.#known.keys()]) if (!positions.has(coin)) this.#known.delete(coin)
    for (const [coin, { size }] of positions) {
      if (dexOf(coin) === '') continue
      const known = this.#known.get(coin)
      if (known?.size.eq(size) === true) continue
      this.#known.set(coin, { since: timeOf(coin), size, anewAt: known?.anewAt ?? 0 })
    }
  }

  /**
   * A fill that was not counted before: `anew` where it opens a position in place of one that had ended
   * unseen, `before` where it is of such a one, and late, `closed` where nothing is left by it.
   */
  take(fill: Fill): 'anew' | 'closed' | 'before' | 'on' {
    const { coin, at, startPosition: start } = fill
    if (dexOf(coin) === '') return 'on'
    const known = this.#known.get(coin)
    if (known !== undefined && at < known.since) return at < known.anewAt ? 'before' : 'on'
    const end = start.plus(signedSize(fill))
    if (end.isZero()) {
      this.#known.delete(coin)
      return 'closed'
    }
    if (known === undefined || !start.isZero() || at === known.since) {
      const { since = at, anewAt = 0 } = known ?? {}
      this.#known.set(coin, { since, size: end, anewAt })
      return 'on'
    }
    this.#known.set(coin, { since: at, size: end, anewAt: at })
    this.#ended.push({ coin, was: known.size, from: known.since, by: at })
    return 'anew'
  }
}
