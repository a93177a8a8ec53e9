import { dexOf } from '../protocol/coinKind.ts'
import type { Fill } from '../protocol/venueState.ts'
import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import type { PositionView } from './accountView.ts'
import { signedSize } from './fillChain.ts'

/** What is known of the position on a coin; all times are the venue's, in ms. */
interface Known {
  /** From then on it is known to have been there. */
  readonly since: number
  readonly size: Decimal
  /** When it was opened in place of another, of whose end nothing was told; 0 where there was no other. */
  readonly anewAt: number
  /**
   * No fill of up to then is news of how it was opened. After it, up to `since`, a state showed the
   * position in another size and no fill has said why: a late fill from then that starts from nothing
   * opened this position in place of the one before.
   */
  readonly explainedUntil: number
}

/** A position that had ended by the time of a fill, though no fill has told how. */
interface EndedUnseen {
  readonly coin: Coin
  readonly was: Decimal
  /** From when on it was known to be there, and the fill's time. */
  readonly from: number
  readonly by: number
}

/** What a run before had held there, and what of it is left though no fill has told how. */
interface LostBefore {
  readonly coin: Coin
  readonly was: Decimal
  readonly left: Decimal
  /** Until when, by the venue's time in ms, that run had counted fills. */
  readonly until: number
}

/**
 * Since when each position on a builder dex is known. A builder may settle a position at any time, and
 * no fill tells it. But a later fill that starts from nothing proves that the position which was known
 * before it had ended, in whatever size the new one is opened.
 */
export class HeldSince {
  readonly #known = new Map<Coin, Known>()
  #ended: EndedUnseen[] = []
  /** What the run before had held, until it is seen again or a fill tells of it. */
  readonly #before = new Map<Coin, { readonly size: Decimal; readonly until: number }>()
  /** By coin the venue's time, in ms, by which a position there had ended; see `takeOutlived`. */
  #outlived = new Map<Coin, number>()

  /** From when on a position is known to have been there; null where none is, or on the main dex. */
  of(coin: Coin): number | null {
    return this.#known.get(coin)?.since ?? null
  }

  /**
   * The coins on which a position has ended since this was asked last, each with the venue's time, in ms,
   * by which it had. What Guard decided on for a position that it knew from before that time has outlived
   * it: it is not for what is held there now.
   */
  takeOutlived(): ReadonlyMap<Coin, number> {
    const outlived = this.#outlived
    if (outlived.size > 0) this.#outlived = new Map()
    return outlived
  }

  /** The run before had held this; it had counted fills until then. */
  restore(coin: Coin, size: Decimal, until: number): void {
    this.#before.set(coin, { size, until })
  }

  /** What the run before had held and nothing tells of: asked once all dexes and fills were told. */
  takeLostBefore(): readonly LostBefore[] {
    const lost = [...this.#before].map(([coin, { size, until }]) => {
      return { coin, was: size, left: this.#known.get(coin)?.size ?? Decimal.zero, until }
    })
    this.#before.clear()
    return lost
  }

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
    for (const coin of [...this.#known.keys()]) {
      if (positions.has(coin)) continue
      this.#known.delete(coin)
      this.#outlive(coin, timeOf(coin))
    }
    for (const [coin, { size }] of positions) {
      if (dexOf(coin) === '') continue
      const before = this.#before.get(coin)?.size
      const isLess = before?.isPositive() === true ? size.lt(before) : before?.lt(size)
      if (isLess !== true) this.#before.delete(coin)
      const known = this.#known.get(coin)
      if (known?.size.eq(size) === true) continue
      const since = timeOf(coin)
      const { anewAt = 0, explainedUntil = since } = known ?? {}
      this.#known.set(coin, { since, size, anewAt, explainedUntil })
    }
  }

  /** A position that was known from before `at` has ended; of several such times the latest counts. */
  #outlive(coin: Coin, at: number): void {
    this.#outlived.set(coin, Math.max(at, this.#outlived.get(coin) ?? 0))
  }

  /**
   * What a fill that was not counted before is to the known position. `anew`: it opens one in place of
   * another that had ended unseen. `before`: it is a late fill of that other one. `closed`: it leaves
   * nothing. `on`: anything else, and every fill of the main dex.
   */
  take(fill: Fill): 'anew' | 'closed' | 'before' | 'on' {
    const { coin, at, startPosition: start } = fill
    if (dexOf(coin) === '') return 'on'
    this.#before.delete(coin)
    const known = this.#known.get(coin)
    if (known !== undefined && at < known.since) return this.#takeLate(fill, known)
    const end = start.plus(signedSize(fill))
    if (end.isZero()) {
      this.#known.delete(coin)
      this.#outlive(coin, at)
      return 'closed'
    }
    if (start.isZero()) this.#outlive(coin, at)
    if (known === undefined || !start.isZero() || at === known.since) {
      const { since = at, anewAt = 0 } = known ?? {}
      this.#known.set(coin, { since, size: end, anewAt, explainedUntil: since })
      return 'on'
    }
    this.#known.set(coin, { since: at, size: end, anewAt: at, explainedUntil: at })
    this.#ended.push({ coin, was: known.size, from: known.since, by: at })
    return 'anew'
  }

  /**
   * A fill that is told late: it is older than the state which showed the position. Where it opened that
   * position in place of the one known earlier, all that was decided on until now was for the earlier.
   */
  #takeLate({ coin, at, startPosition }: Fill, known: Known): 'anew' | 'before' | 'on' {
    if (at < known.anewAt) return 'before'
    if (!startPosition.isZero() || at <= known.explainedUntil) return 'on'
    this.#known.set(coin, { ...known, anewAt: at, explainedUntil: known.since })
    this.#outlive(coin, known.since + 1)
    return 'anew'
  }
}
