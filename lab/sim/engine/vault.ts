import type { Address } from '../../../src/core/values/address.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'

const shareScale = 12

/** Whose a vault's money is: shares, of which each deposit makes some at what they are worth then. */
export class Vault {
  allowDeposits = true
  alwaysCloseOnWithdraw = false
  readonly #shares = new Map<Address, Decimal>()

  constructor(leader: Address, initial: Decimal) {
    this.#shares.set(leader, initial)
  }

  get followers(): readonly Address[] {
    return [...this.#shares.keys()]
  }

  /** Which part of the vault is this follower's. */
  partOf(follower: Address): Decimal {
    const own = this.#shares.get(follower) ?? Decimal.zero
    const all = this.#total()
    return all.isPositive() ? own.over(all, shareScale, 'down') : Decimal.zero
  }

  /** What is this follower's of a vault that is worth so much. */
  equityOf(follower: Address, value: Decimal): Decimal {
    return value.times(this.partOf(follower))
  }

  /** Gives out (or, negative, takes back) shares for USDC that moved, at a vault's value before it. */
  moved(follower: Address, usdc: Decimal, valueBefore: Decimal): void {
    const all = this.#total()
    const own = this.#shares.get(follower) ?? Decimal.zero
    const price = all.isPositive() && valueBefore.isPositive() ? valueBefore : Decimal.one
    const base = all.isPositive() && valueBefore.isPositive() ? all : Decimal.one
    const change = usdc.times(base).over(price, shareScale, 'down')
    this.#shares.set(follower, Decimal.max(Decimal.zero, own.plus(change)))
  }

  #total(): Decimal {
    return [...this.#shares.values()].reduce((sum, each) => sum.plus(each), Decimal.zero)
  }
}
