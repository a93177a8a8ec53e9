import type { Address } from '../../../src/core/values/address.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'

const shareScale = 12

/** What a vault remembers of one follower, the leader among them. */
interface Follower {
  readonly shares: Decimal
  /** What it paid for what it still has. */
  readonly basis: Decimal
  /** What it took out so far, less what it had paid for that. */
  readonly realised: Decimal
  readonly enteredMs: number
  /** Until then it can take nothing out. */
  readonly lockedUntilMs: number
}

/** Whose a vault's money is: shares, of which each deposit makes some at what they are worth then. */
export class Vault {
  allowDeposits = true
  alwaysCloseOnWithdraw = false
  readonly description: string
  readonly #followers = new Map<Address, Follower>()

  constructor(leader: Address, initial: Decimal, nowMs: number, description = '') {
    this.description = description
    const start = { enteredMs: nowMs, lockedUntilMs: 0, realised: Decimal.zero }
    this.#followers.set(leader, { shares: initial, basis: initial, ...start })
  }

  get followers(): readonly Address[] {
    return [...this.#followers.keys()]
  }

  of(follower: Address): Follower | null {
    return this.#followers.get(follower) ?? null
  }

  /** Which part of the vault is this follower's. */
  partOf(follower: Address): Decimal {
    const own = this.of(follower)?.shares ?? Decimal.zero
    const all = this.#total()
    return all.isPositive() ? own.over(all, shareScale, 'down') : Decimal.zero
  }

  /** What is this follower's of a vault that is worth so much. */
  equityOf(follower: Address, value: Decimal): Decimal {
    return value.times(this.partOf(follower))
  }

  /** Gives out shares for USDC that came in, at the vault's value before; they are locked for a while. */
  deposited(
    follower: Address,
    usdc: Decimal,
    valueBefore: Decimal,
    nowMs: number,
    lockMs: number,
  ): void {
    const known = this.of(follower)
    this.#followers.set(follower, {
      shares: (known?.shares ?? Decimal.zero).plus(this.#sharesFor(usdc, valueBefore)),
      basis: (known?.basis ?? Decimal.zero).plus(usdc),
      realised: known?.realised ?? Decimal.zero,
      enteredMs: known?.enteredMs ?? nowMs,
      lockedUntilMs: lockMs === 0 ? (known?.lockedUntilMs ?? 0) : nowMs + lockMs,
    })
  }

  /** What the follower had paid for that much of its part, at the vault's value now. */
  basisOf(follower: Address, usdc: Decimal, value: Decimal): Decimal {
    const equity = this.equityOf(follower, value)
    const basis = this.of(follower)?.basis ?? Decimal.zero
    if (!equity.isPositive() || usdc.gte(equity)) return basis
    return basis.times(usdc).over(equity, shareScale, 'half-even').rounded(6, 'half-even')
  }

  /** Takes shares back for USDC that left, at the vault's value before it. */
  withdrew(follower: Address, usdc: Decimal, valueBefore: Decimal): void {
    const known = this.of(follower)
    if (known === null) return
    const paid = this.basisOf(follower, usdc, valueBefore)
    const left = known.shares.minus(this.#sharesFor(usdc, valueBefore))
    this.#followers.set(follower, {
      ...known,
      shares: Decimal.max(Decimal.zero, left),
      basis: known.basis.minus(paid),
      realised: known.realised.plus(usdc).minus(paid),
    })
  }

  /** The follower got that much out of the vault, and keeps its shares. */
  distributed(follower: Address, usdc: Decimal): void {
    const known = this.of(follower)
    if (known === null) return
    this.#followers.set(follower, { ...known, realised: known.realised.plus(usdc) })
  }

  #sharesFor(usdc: Decimal, value: Decimal): Decimal {
    const all = this.#total()
    const isPriced = all.isPositive() && value.isPositive()
    return isPriced ? usdc.times(all).over(value, shareScale, 'down') : usdc
  }

  #total(): Decimal {
    return [...this.#followers.values()].reduce((sum, { shares }) => sum.plus(shares), Decimal.zero)
  }
}
