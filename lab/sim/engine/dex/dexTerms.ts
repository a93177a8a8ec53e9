import type { Address } from '../../../../src/core/values/address.ts'
import type { Decimal } from '../../../../src/core/values/decimal.ts'
import type { SpotToken } from '../spotPairs.ts'

/** `normal`: cross or isolated. `strictIsolated`: margin comes back only by closing. */
export type MarginMode = 'normal' | 'noCross' | 'strictIsolated'

/** A builder's own exchange inside the venue, without its markets; all its money is in one token. */
export interface DexTerms {
  readonly name: string
  readonly fullName: string
  readonly deployer: Address
  readonly feeRecipient: Address | null
  readonly collateral: SpotToken
  /** The most that all its positions may be worth. */
  readonly totalCap: Decimal
  /** The largest open interest of one market in units of its coin. */
  readonly sizeCap: Decimal
  readonly transferMax: Decimal
  /** What was moved to it, less what was moved away. */
  netDeposit: Decimal
}

/** What the builder of a dex has set for one of its markets. */
export interface MarketTerms {
  marginMode: MarginMode
  /** While it is on, the market's fees are a tenth. */
  readonly hasGrowthMode: boolean
  readonly feeScale: Decimal
  /** As the venue writes times there; null where it never changed. */
  readonly feeScaleChanged: string | null
  readonly fundingMultiplier: Decimal
  /** For eight hours; null for the usual one. */
  readonly fundingInterest: Decimal | null
  /** The most that its open interest may be worth. */
  cap: Decimal
}

/** What changes on a dex while it runs; what is left out stays. */
export interface DexChange {
  /** What its builder posts from now on; up to two marks. */
  readonly posted?: { readonly oracle: Decimal; readonly marks: readonly Decimal[] }
  /** Its builder has stopped posting prices. */
  readonly isStopped?: boolean
  readonly session?: 'external' | 'internal'
  readonly isHalted?: boolean
  readonly isDelisted?: true
  /** Makers show little, or as much as always. */
  readonly isThin?: boolean
  readonly cap?: Decimal
  readonly marginMode?: MarginMode
}
