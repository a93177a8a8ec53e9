import type { Decimal } from '../../../../src/core/values/decimal.ts'
import type { SpotPair, SpotToken } from '../spotPairs.ts'

/** A spot pair with what it is quoted around and its last day. */
export interface SpotPairView {
  readonly pair: SpotPair
  readonly price: Decimal
  readonly prevDayPrice: Decimal
  readonly base: Decimal
  readonly notional: Decimal
}

/** What `spotClearinghouseState` tells of an account's tokens. */
export interface SpotStateView {
  readonly usdcTotal: Decimal
  readonly usdcHold: Decimal
  /** Null but for a unified account: USDC that is left once all maintenance margin is kept. */
  readonly usdcAvailableAfterMaintenance: Decimal | null
  /** The same for the other tokens that positions of a unified account lean on. */
  readonly available: ReadonlyMap<SpotToken, Decimal>
  /** Only with portfolio margin: what it requires, as a share of what there is. */
  readonly portfolioRatio: Decimal | null
  /** How much it has of each token but USDC. */
  readonly tokens: ReadonlyMap<SpotToken, Decimal>
  /** How much of each token its resting orders hold back. */
  readonly holds: ReadonlyMap<SpotToken, Decimal>
  /** What they were bought for. */
  readonly costs: ReadonlyMap<SpotToken, Decimal>
  /** What is lent out, by token; it is in no balance. */
  readonly lent: ReadonlyMap<SpotToken, Decimal>
  /** USDC that it owes. */
  readonly borrowed: Decimal
}
