import type { Address } from '../../../src/core/values/address.ts'
import type { Decimal } from '../../../src/core/values/decimal.ts'

/** An account without a key, as its master sees it. */
export interface SubAccountView {
  readonly name: string
  readonly address: Address
  readonly master: Address
}

export interface VaultView {
  readonly address: Address
  readonly name: string
  readonly leader: Address
  readonly allowDeposits: boolean
  readonly alwaysCloseOnWithdraw: boolean
  /** What each follower has in it now, the leader among them. */
  readonly followers: readonly { readonly user: Address; readonly equity: Decimal }[]
}
