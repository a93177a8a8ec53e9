import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { limits } from '../values/limits.ts'
import { shifted } from '../values/millis.ts'
import type { Millis } from '../values/millis.ts'
import type { PositionView } from './accountView.ts'

interface Told {
  readonly total: Decimal
  readonly profit: Decimal
  readonly held: ReadonlyMap<Coin, PositionView>
  /** Something is held, of another moment than the balance maybe: until another balance is the same. */
  readonly isFirst: boolean
}

/** What the profit moved by says nothing up to this share of the balance. */
const noise = Decimal.of('0.001')
/** A balance that moved by at most this share of what the profit moved by has stood still. */
const still = Decimal.of('0.1')
const half = Decimal.of('0.5')

/**
 * Whether a unified account's balance moves with the profit of its positions is not documented
 * (venue reference, section 13). Guard counts on it: where the two part, it says so. They are compared
 * while what was held stays as it is, for then nothing is realised; what was opened from nothing may come.
 */
export class UnifiedBalance {
  #base: Told | null = null
  #profit = Decimal.zero
  /** When the profit was last found to have moved alone; null where that was before the base. */
  #stillAt: Millis | null = null
  /** For how long it has, in all, since the balance last moved. */
  #stillMs = 0
  #parted: string | null = null

  restart(): void {
    this.#base = this.#parted = null
    this.#stillMs = 0
  }

  /** The clock was set by so much. */
  shift(ms: number): void {
    if (this.#stillAt !== null) this.#stillAt = shifted(this.#stillAt, ms)
  }

  /** A balance was told, while `positions` are those whose profit it may move with. */
  seenSpot(total: Decimal, positions: readonly PositionView[], at: Millis): void {
    const held = new Map(positions.map((position) => [position.coin, position]))
    const profit = positions.reduce((sum, each) => sum.plus(each.unrealisedPnl), Decimal.zero)
    this.#profit = profit
    const base = this.#base
    const isSame = base !== null && areHeldStill(base.held, held)
    const told = isSame ? total.minus(base.total) : Decimal.zero
    const moved = isSame ? profit.minus(base.profit) : Decimal.zero
    const least = total.abs().times(noise)
    const hasMoved = moved.abs().gt(least)
    const isStill = told.abs().lte(Decimal.max(moved.abs(), least).times(still))
    if (!isSame || base.isFirst || !isStill) {
      const isFollowing = hasMoved && told.minus(moved).abs().lte(moved.abs().times(half))
      if (!isStill) this.#stillMs = 0
      if (isFollowing) this.#parted = null
      this.#stillAt = null
      this.#base = { total, profit, held, isFirst: held.size > 0 && (!isSame || !isStill) }
      return
    }
    if (!hasMoved) return
    this.#stillMs += at - (this.#stillAt ?? at)
    this.#stillAt = at
    // A balance that was read may be as old as this without standing still.
    if (this.#stillMs <= limits.accountAgeMsMax) return
    this.#parted ??=
      `the account's USDC balance moved by ${told.toString()} while its positions' profit moved by ` +
      `${moved.toString()}: the equity that Guard counts may be without that profit`
  }

  /** What a person should know; null while the balance follows, or there is no profit that it could lack. */
  get discrepancy(): string | null {
    return this.#profit.isZero() ? null : this.#parted
  }
}

/** Whether all that was held before is held as it was, none of it closed or added to. */
function areHeldStill(before: Told['held'], now: Told['held']): boolean {
  return [...before].every(([coin, { size, entryPrice }]) => {
    const held = now.get(coin)
    return held !== undefined && held.size.eq(size) && held.entryPrice.eq(entryPrice)
  })
}
