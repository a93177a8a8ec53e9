import { Decimal } from '../values/decimal.ts'
import { shifted } from '../values/millis.ts'
import type { Millis } from '../values/millis.ts'

interface Pair {
  readonly total: Decimal
  readonly profit: Decimal
}

/** Price moves between two messages stay within this share of the balance. */
const noise = Decimal.of('0.005')
const half = Decimal.of('0.5')
/** The first message after a movement of cash may have been written before it. */
const settledAfter = 2

/**
 * Whether a unified account's balance moves with the profit of its positions is not documented
 * (venue reference, section 13). Guard counts on it: where the two part, it says so.
 */
export class UnifiedBalance {
  #base: Pair | null = null
  #total: Decimal | null = null
  #profit: Decimal | null = null
  #spots = 0
  #states = 0
  #movedAt = -1
  #partedAt: Millis | null = null
  #isConfirmed = false

  /** Cash moved by a fill, by funding or by a transfer, at the venue's time: compared anew. */
  moved(at: number): void {
    if (at <= this.#movedAt) return
    this.#movedAt = at
    this.restart()
  }

  movedBy(changes: readonly { readonly at: number }[]): void {
    for (const { at } of changes) this.moved(at)
  }

  restart(): void {
    this.#base = null
    this.#spots = 0
    this.#states = 0
    this.#partedAt = null
    this.#isConfirmed = false
  }

  /** The clock was set by so much. */
  shift(ms: number): void {
    if (this.#partedAt !== null) this.#partedAt = shifted(this.#partedAt, ms)
  }

  seenState(profit: Decimal, at: Millis): void {
    this.#profit = profit
    this.#states += 1
    this.#compare(at)
  }

  seenSpot(total: Decimal, profit: Decimal, at: Millis): void {
    this.#total = total
    this.#profit = profit
    this.#spots += 1
    this.#compare(at)
    // Only a balance told after the two had parted shows that it does not follow.
    if (this.#partedAt !== null && at > this.#partedAt) this.#isConfirmed = true
  }

  /** What a person should know; null while the balance follows, or nothing has moved yet. */
  get discrepancy(): string | null {
    if (!this.#isConfirmed || this.#base === null) return null
    if (this.#total === null || this.#profit === null) return null
    const total = this.#total.minus(this.#base.total).toString()
    const profit = this.#profit.minus(this.#base.profit).toString()
    return (
      `the account's USDC balance moved by ${total} while its positions' profit moved by ` +
      `${profit}: the equity that Guard counts may be without that profit`
    )
  }

  #compare(at: Millis): void {
    if (this.#total === null || this.#profit === null) return
    if (this.#base === null) {
      if (this.#spots >= settledAfter && this.#states >= settledAfter) {
        this.#base = { total: this.#total, profit: this.#profit }
      }
      return
    }
    const moved = this.#profit.minus(this.#base.profit)
    const apart = this.#total.minus(this.#base.total).minus(moved).abs()
    const hasParted = apart.gt(this.#total.abs().times(noise)) && apart.gt(moved.abs().times(half))
    if (!hasParted) {
      this.#partedAt = null
      this.#isConfirmed = false
    } else this.#partedAt ??= at
  }
}
