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

/** `spotClearinghouseState`. */
export interface SpotStateView {
  readonly usdcTotal: Decimal
  readonly usdcHold: Decimal
  /** Only for a unified account. */
  readonly usdcAvailableAfterMaintenance: Decimal | null
  /** Only with portfolio margin: what it requires, as a share of what there is. */
  readonly portfolioRatio: Decimal | null
  /** Other tokens by name. */
  readonly tokens: ReadonlyMap<SpotToken, Decimal>
  /** What resting orders hold of them. */
  readonly holds: ReadonlyMap<SpotToken, Decimal>
  /** What they were bought for. */
  readonly costs: ReadonlyMap<SpotToken, Decimal>
  /** What is lent out, by token; it is in no balance. */
  readonly lent: ReadonlyMap<SpotToken, Decimal>
}
