import type { AccountEvent } from '../account/accountEvent.ts'
import type { CashView } from '../account/cash.ts'
import type { Decimal } from '../values/decimal.ts'
import { isNear } from './oddSights.ts'

/**
 * An account that was set up anew: its balances and its mode come in several answers, and some of them
 * may be from before. Its equity counts once all of it was read since, and one more look at the money
 * says the same.
 */
export class NewForm {
  /** Whether all of it was read since; null while it is as it was. */
  #isRead: boolean | null = null
  #cash: Decimal | null = null

  /** The equity must not be counted yet. */
  get isOpen(): boolean {
    return this.#isRead !== null
  }

  changed(): void {
    this.#isRead = false
    this.#cash = null
  }

  /** All of it was read since the change, and agrees. In a mode without an equity nothing is left to see. */
  read(cash: CashView | null): void {
    if (this.#isRead !== false) return
    this.#isRead = cash === null ? null : true
    this.#cash = cash?.cash ?? null
  }

  /** The account has taken an event, and has this cash by it. */
  took(kind: AccountEvent['kind'], cash: CashView | null): void {
    if (this.#isRead !== true || cash === null) return
    if (kind !== (cash.isUnified ? 'spot' : 'state')) return
    if (isNear(this.#cash, cash.cash)) this.#isRead = null
    else this.#cash = cash.cash
  }
}
