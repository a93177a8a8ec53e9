import type { Address } from '../../../src/core/values/address.ts'
import type { Coin } from '../../../src/core/values/coin.ts'
import type { Decimal } from '../../../src/core/values/decimal.ts'
import type { Grouping, Order } from '../../../src/core/protocol/action.ts'
import type { MarginTier } from '../../../src/core/protocol/market.ts'
import type { VenueOptions } from './options.ts'
import type { MarginMode } from './dex/dexTerms.ts'
import type { SpotToken } from './spotPairs.ts'
import type { SimAccountMode } from './venueReads.ts'
import type { TwapView } from './views.ts'

export type ScenarioName = 'calm' | 'trend' | 'crash' | 'gap' | 'thin'

export interface MarketSpec {
  readonly coin: Coin
  readonly sizeDecimals: number
  readonly maxLeverage: number
  readonly mid: Decimal
  readonly mark?: Decimal
  readonly oracle?: Decimal
  readonly onlyIsolated?: boolean
  readonly isDelisted?: boolean
  /** Lowest bound first; a flat table at `maxLeverage` when absent. */
  readonly tiers?: readonly MarginTier[]
}

export interface DexMarketSpec extends MarketSpec {
  readonly marginMode?: MarginMode
  readonly hasGrowthMode?: boolean
  readonly feeScale?: Decimal
  readonly feeScaleChanged?: string
  readonly fundingMultiplier?: Decimal
  readonly fundingInterest?: Decimal
  readonly cap?: Decimal
}

export interface DexSpec {
  readonly name: string
  readonly fullName?: string
  readonly deployer?: Address
  readonly feeRecipient?: Address
  /** USDC when absent. */
  readonly collateral?: SpotToken
  readonly totalCap?: Decimal
  readonly sizeCap?: Decimal
  readonly transferMax?: Decimal
  /** Each coin with the name of the dex before it: `xyz:TSLA`. */
  readonly markets: readonly DexMarketSpec[]
}

export interface PositionSpec {
  readonly coin: Coin
  /** Signed. */
  readonly size: Decimal
  /** The mid when absent. */
  readonly entryPrice?: Decimal
  readonly leverage: { readonly type: 'cross' | 'isolated'; readonly value: number }
}

/** Orders that rest from the start: one group each, placed as the account itself would. */
export interface OrderGroupSpec {
  readonly orders: readonly Order[]
  readonly grouping: Grouping
}

/** A TWAP that is running when the venue begins. */
export interface TwapSpec extends Omit<TwapView, 'twapId' | 'user' | 'timestamp'> {
  /** The next number that is free when absent. */
  readonly twapId?: number
  /** When it was placed; now when absent. */
  readonly timestamp?: number
}

export interface AccountSpec {
  readonly address: Address
  /** The account's value right after the reset, positions at the mark included. */
  readonly equity: Decimal
  readonly mode?: SimAccountMode
  readonly agents?: readonly Address[]
  /** The account whose sub-account, or whose vault, this is. */
  readonly subOf?: Address
  readonly vaultOf?: Address
  /** What a standard account has on builder dexes besides, positions there included. */
  readonly dexEquity?: ReadonlyMap<string, Decimal>
  /** Tokens beside its equity, by name; USDC is on the spot side of a standard account. */
  readonly spot?: readonly { readonly token: string; readonly total: Decimal }[]
  readonly leverage?: ReadonlyMap<
    Coin,
    { readonly type: 'cross' | 'isolated'; readonly value: number }
  >
  readonly positions?: readonly PositionSpec[]
  readonly orders?: readonly OrderGroupSpec[]
  readonly twaps?: readonly TwapSpec[]
  /** USDC that an account with portfolio margin owes, and has beside its equity. */
  readonly borrowed?: Decimal
}

export interface VenueConfig {
  readonly seed: number
  readonly startMs: number
  /** Prices move only by `setPrice`. */
  readonly frozen: boolean
  readonly scenario: ScenarioName
  readonly markets: readonly MarketSpec[]
  /** Builder dexes, the first of them at index 1. */
  readonly dexes?: readonly DexSpec[]
  readonly accounts: readonly AccountSpec[]
  readonly options: VenueOptions
}
