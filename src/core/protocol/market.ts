import type { Coin } from '../values/coin.ts'
import type { Decimal } from '../values/decimal.ts'

/** From this notional on, at most this leverage. */
export interface MarginTier {
  readonly lowerBound: Decimal
  readonly maxLeverage: number
}

/** What a builder dex says of one of its perps, beyond what every perp has. */
export interface BuilderTerms {
  /** The dex's name, as in `xyz:TSLA`. */
  readonly dex: string
  /** Its collateral is USDC; prices, margins and fees of other dexes are in another token. */
  readonly isPaidInUsdc: boolean
  /** The builder's scale of the fees: below 1 they are (1 + scale) times the main dex's, else 2 x scale. */
  readonly feeScale: Decimal
  /** Fees are a tenth. */
  readonly isGrowth: boolean
  /** What all traders together may hold of it, in USD, when the dexes were last listed; left out: not told. */
  readonly openInterestCap?: Decimal
}

/** A perp as `meta` of its dex lists it. */
export interface Market {
  /** The venue's number over all dexes. */
  readonly asset: number
  readonly coin: Coin
  readonly sizeDecimals: number
  readonly maxLeverage: number
  readonly tiers: readonly MarginTier[]
  readonly isDelisted: boolean
  readonly onlyIsolated: boolean
  /** Left out: a perp of the main dex. */
  readonly builder?: BuilderTerms
}

/** All perps that are known, by id and by name. */
export interface Markets {
  readonly byAsset: ReadonlyMap<number, Market>
  readonly byCoin: ReadonlyMap<Coin, Market>
}

export const noMarkets: Markets = { byAsset: new Map(), byCoin: new Map() }
