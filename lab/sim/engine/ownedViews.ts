import type { Address } from '../../../src/core/values/address.ts'
import type { Decimal } from '../../../src/core/values/decimal.ts'

/** An account without a key, as its master sees it. */
export interface SubAccountView {
  readonly name: string
  readonly address: Address
  readonly master: Address
}

export interface FollowerView {
  readonly user: Address
  readonly equity: Decimal
  /** On what it has in the vault now, and on all it ever had there. */
  readonly pnl: Decimal
  readonly allTimePnl: Decimal
  readonly enteredMs: number
  /** Until then it can take nothing out. */
  readonly lockedUntilMs: number
}

export interface VaultView {
  readonly address: Address
  readonly name: string
  readonly leader: Address
  readonly description: string
  readonly allowDeposits: boolean
  readonly alwaysCloseOnWithdraw: boolean
  /** Which part of it is the leader's, from 0 to 1. */
  readonly leaderPart: Decimal
  /** What may leave it now without closing anything. */
  readonly free: Decimal
  /** The leader among them. */
  readonly followers: readonly FollowerView[]
}
