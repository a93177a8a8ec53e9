import type { Market } from '../../../../src/core/protocol/market.ts'
import type { DexTerms, MarketTerms } from './dexTerms.ts'

/** A market of a builder dex as its lists show it. */
export interface DexMarketView extends MarketTerms {
  readonly market: Market
  /** Whether its open interest may not grow. */
  readonly isAtCap: boolean
}

export interface DexView extends DexTerms {
  /** In the order of its universe. */
  readonly markets: readonly DexMarketView[]
}
