import type { Coin } from '../values/coin.ts'
import type { Decimal } from '../values/decimal.ts'

/** From this notional on, at most this leverage. */
export interface MarginTier {
  readonly lowerBound: Decimal
  readonly maxLeverage: number
}

/** A perp of the main dex as `meta` lists it. */
export interface Market {
  readonly asset: number
  readonly coin: Coin
  readonly sizeDecimals: number
  readonly maxLeverage: number
  readonly tiers: readonly MarginTier[]
  readonly isDelisted: boolean
  readonly onlyIsolated: boolean
}

/** All perps of the main dex, by id and by name. */
export interface Markets {
  readonly byAsset: ReadonlyMap<number, Market>
  readonly byCoin: ReadonlyMap<Coin, Market>
}

export const noMarkets: Markets = { byAsset: new Map(), byCoin: new Map() }
