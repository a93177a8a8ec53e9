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
 * Since when each position on a builder dex is known. A builder may settle a position at any time, and
 * no fill tells it. But a later fill that starts from nothing proves that the position which was known
 * before it had ended, in whatever size the new one is opened.
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
   * The positions as a state shows them; `timeOf` is the venue's time that the state shows a coin as of.
   * A position in another size than fills have told is known from that time on.
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
   * What a fill that was not counted before is to the known position. `anew`: it opens one in place of
   * another that had ended unseen. `before`: it is a late fill of that other one. `closed`: it leaves
   * nothing. `on`: anything else, and every fill of the main dex.
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
