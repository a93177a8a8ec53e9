import type { AssetContext } from '../protocol/decodeMeta.ts'
import type { BookLevel } from '../protocol/decodeBook.ts'
import type { SpotPair } from '../protocol/decodeSpotMeta.ts'
import type { Markets } from '../protocol/market.ts'
import type {
  AccountMode,
  ClearinghouseState,
  Fill,
  FundingPayment,
  LedgerEntry,
  Leverage,
  OpenOrder,
  OrderUpdate,
  SpotState,
  Twap,
  TwapNews,
} from '../protocol/venueState.ts'
import type { Coin } from '../values/coin.ts'
import type { Decimal } from '../values/decimal.ts'
import type { Millis } from '../values/millis.ts'

/** A fact from the venue. `at` is Guard's clock when the fact reached it: ages are counted by it. */
export type AccountEvent = { readonly at: Millis } & (
  | { readonly kind: 'markets'; readonly markets: Markets }
  | { readonly kind: 'mode'; readonly mode: AccountMode }
  | ({ readonly kind: 'state'; readonly state: ClearinghouseState } & Taken)
  | ({ readonly kind: 'spot'; readonly spot: SpotState } & Taken)
  | { readonly kind: 'spot_pairs'; readonly pairs: readonly SpotPair[] }
  | ({
      readonly kind: 'orders'
      readonly orders: readonly OpenOrder[]
      /** The builder dex whose orders these are, all of them; left out: the main dex, with spot. */
      readonly dex?: string
      /** How many more are open on other markets; left out: none. */
      readonly elsewhere?: number
      /** Of those, the ones on spot pairs; left out: none. */
      readonly spot?: readonly OpenOrder[]
    } & Taken)
  | { readonly kind: 'order_updates'; readonly updates: readonly OrderUpdate[] }
  | {
      readonly kind: 'fills'
      readonly fills: readonly Fill[]
      readonly isSnapshot: boolean
      /** The list of TWAP slices, which leaves out all other fills. */
      readonly areSlices?: true
    }
  | {
      readonly kind: 'funding'
      readonly payments: readonly FundingPayment[]
      readonly isSnapshot: boolean
    }
  | {
      readonly kind: 'ledger'
      readonly entries: readonly LedgerEntry[]
      readonly isSnapshot: boolean
    }
  | {
      readonly kind: 'twaps'
      readonly twaps: readonly Twap[]
      readonly source: Source
      /** The builder dex whose TWAPs these are; left out: the main dex, with spot. */
      readonly dex?: string
    }
  | { readonly kind: 'twap_history'; readonly news: readonly TwapNews[] }
  /** What trades on markets that are no watched perps did to the account's USDC, and what was found there. */
  | { readonly kind: 'elsewhere'; readonly changes: readonly CashElsewhere[] }
  | {
      readonly kind: 'leverage'
      readonly coin: Coin
      readonly leverage: Leverage
      /** USD of margin that the venue has left for a buy and for a sell; left out: not told. */
      readonly available?: { readonly buy: Decimal; readonly sell: Decimal }
    }
  | { readonly kind: 'mids'; readonly mids: ReadonlyMap<Coin, Decimal> }
  /** A mark, with the oracle price where that is told beside it. */
  | {
      readonly kind: 'mark'
      readonly coin: Coin
      readonly mark: Decimal
      readonly oracle?: Decimal
    }
  /** Marks and oracle prices of perps of builder dexes, as told together. */
  | {
      readonly kind: 'contexts'
      readonly contexts: ReadonlyMap<Coin, AssetContext>
      /** The last that were made, whenever that was: it is told also where nobody makes prices any more. */
      readonly areLastMade?: boolean
    }
  /** The coins of a builder dex whose open interest is at its cap; all others are not. */
  | { readonly kind: 'capped'; readonly dex: string; readonly coins: readonly Coin[] }
  /** A builder dex is gone: ids of other dexes' perps may have become those of others; or no longer so. */
  | { readonly kind: 'dex_places'; readonly areDoubted: boolean }
  /** The venue refused an order because trading on the coin is halted. */
  | { readonly kind: 'halted'; readonly coin: Coin }
  /** The venue refused an order because the open interest of the coin is at its cap. */
  | { readonly kind: 'at_cap'; readonly coin: Coin }
  /** The book of a builder dex's perp, as far as the venue shows it, the best prices first. */
  | {
      readonly kind: 'book'
      readonly coin: Coin
      readonly bids: readonly BookLevel[]
      readonly asks: readonly BookLevel[]
    }
  | { readonly kind: 'stream'; readonly state: 'live' | 'stale' | 'down' }
)

export interface CashElsewhere {
  readonly id: string
  /** Signed: what was added to the account's equity. */
  readonly usdc: Decimal
  /** The venue's time. */
  readonly at: Millis
  /** Money that was turned into a token or back, or was there before: neither profit nor loss. */
  readonly isFlow: boolean
  /**
   * Money that was there before it was seen, with the positions it stands behind: what all of it is worth.
   * No time tells which views include it. Left out of any other change.
   */
  readonly foundWorth?: Decimal
}

/** How a snapshot was taken. */
export interface Taken {
  readonly source: Source
  /** When a read was asked for: it includes all that was confirmed by then. */
  readonly askedAt?: Millis
}

/** Where a snapshot came from: a read over HTTP reconciles, the stream follows. */
export type Source = 'stream' | 'read'
