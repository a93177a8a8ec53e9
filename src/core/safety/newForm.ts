import type { AccountEvent } from '../account/accountEvent.ts'
import type { CashView } from '../account/cash.ts'
import type { Decimal } from '../values/decimal.ts'
import { limits } from '../values/limits.ts'
import { isNear } from './oddSights.ts'

/**
 * Whether the equity may be counted again after the account was set up anew, in another mode for
 * example. Balances and mode come in several answers, some of which may be from before the change: the
 * equity counts once all of it was read since, and one more look at the money has about the same cash;
 * or, where there is no request weight to read all of it, once every look has had it for the whole hold.
 */
export class NewForm {
  /** Null: nothing has changed. False: not all of it was read since. True: a second look has to agree. */
  #isRead: boolean | null = null
  #cash: Decimal | null = null
  /** When the first of an unbroken row of looks came that say the same; null before any. */
  #sinceMs: number | null = null

  /** The equity must not be counted yet. */
  get isOpen(): boolean {
    return this.#isRead !== null
  }

  changed(): void {
    this.#isRead = false
    this.#cash = null
    this.#sinceMs = null
  }

  /** All of it was read since the change. In a mode that has no equity there is nothing more to wait for. */
  read(cash: CashView | null): void {
    if (this.#isRead !== false) return
    this.#isRead = cash === null ? null : true
    this.#cash = cash?.cash ?? null
  }

  /** The account has taken an event at this moment of the monotonic clock, and has this cash by it. */
  took(kind: AccountEvent['kind'], cash: CashView | null, nowMs: number): void {
    if (this.#isRead === null || cash === null) return
    if (kind !== (cash.isUnified ? 'spot' : 'state')) return
    const isSame = this.#cash !== null && isNear(this.#cash, cash.cash)
    if (!isSame || this.#sinceMs === null) this.#sinceMs = nowMs
    const hasStood = nowMs - this.#sinceMs >= limits.flowHoldMsMax
    if (isSame && (this.#isRead || hasStood)) this.#isRead = null
    else this.#cash = cash.cash
  }
}
