import type { Address } from '../values/address.ts'
import type { Cloid } from '../values/cloid.ts'
import type { Coin } from '../values/coin.ts'
import type { Decimal } from '../values/decimal.ts'
import type { Millis } from '../values/millis.ts'
import type { Tpsl } from './action.ts'

/** What the venue says of an account, decoded into domain values. */

export type AccountMode =
  'default' | 'disabled' | 'unifiedAccount' | 'portfolioMargin' | 'dexAbstraction' | 'unknown'

export interface Leverage {
  readonly type: 'isolated' | 'cross'
  readonly value: number
}

export interface VenuePosition {
  readonly coin: Coin
  /** Signed: positive is long. */
  readonly size: Decimal
  readonly entryPrice: Decimal
  readonly positionValue: Decimal
  readonly unrealisedPnl: Decimal
  readonly leverage: Leverage
  readonly liquidationPrice: Decimal | null
  readonly marginUsed: Decimal
  readonly maxLeverage: number
}

export interface ClearinghouseState {
  readonly accountValue: Decimal
  /** Of that, what stands behind the cross positions; left out where the venue did not tell it. */
  readonly crossValue?: Decimal
  readonly withdrawable: Decimal
  readonly positions: readonly VenuePosition[]
  readonly time: Millis
  /** What a plain account has on each builder dex, of that; left out: on none, or all is one balance. */
  readonly dexValues?: ReadonlyMap<string, DexValue>
  /** The builder dexes that it has, also those on which nothing is; left out: none. */
  readonly dexes?: readonly string[]
  /** From when the parts of builder dexes are that were told before the rest; left out: there are none. */
  readonly dexTimes?: ReadonlyMap<string, Millis>
}

export type DexValue = Pick<ClearinghouseState, 'accountValue' | 'crossValue'>

/** What the account has of a token, and what its open orders hold of that. */
export interface TokenBalance {
  readonly total: Decimal
  readonly hold: Decimal
}

export interface SpotState {
  /** USDC `total` and `hold`; zero when the account has none. */
  readonly usdcTotal: Decimal
  readonly usdcHold: Decimal
  /** All balances by the token's number; left out where there is none. */
  readonly tokens?: ReadonlyMap<number, TokenBalance>
  /** What kind of account is told in this form; left out: not known. */
  readonly shape?: 'standard' | 'pooled' | 'portfolio'
  /** How much of what portfolio margin lends against is used, 1 being all; left out: not told. */
  readonly portfolioRatio?: Decimal
}

/** A TWAP that runs, or waits for a price: the venue sends its slices by itself. */
export interface Twap {
  readonly id: number
  readonly coin: Coin
  readonly isBuy: boolean
  readonly size: Decimal
  readonly executedSize: Decimal
  readonly isReduceOnly: boolean
  readonly minutes: number
  readonly isRandomized: boolean
  /** The price at which it starts; null when it started at once. */
  readonly triggerPrice: Decimal | null
  /** The price at which it ends early; null when none does. */
  readonly endPrice: Decimal | null
  /** When it was made, by the venue's clock. */
  readonly at: Millis
}

/** What the venue's list of past TWAPs tells of one. */
export interface TwapNews {
  /** Null where the venue leaves the number out, as it mostly does. */
  readonly id: number | null
  readonly twap: Omit<Twap, 'id'>
  /** Whether it has ended and trades no more. */
  readonly isOver: boolean
}

/** An open order with the frontend's field set; children are listed on their own as well. */
export interface OpenOrder {
  readonly coin: Coin
  readonly isBuy: boolean
  readonly price: Decimal
  readonly size: Decimal
  readonly originalSize: Decimal
  readonly oid: number
  readonly cloid: Cloid | null
  readonly at: Millis
  readonly isReduceOnly: boolean
  readonly trigger: OpenTrigger | null
  readonly isPositionTpsl: boolean
  /** Oids of children that wait for this order's fill. */
  readonly children: readonly number[]
}

export interface OpenTrigger {
  readonly price: Decimal
  readonly isMarket: boolean
  readonly tpsl: Tpsl
}

/** `orderUpdates`: knows less of an order than the open-orders snapshot does. */
export interface OrderUpdate {
  readonly coin: Coin
  readonly isBuy: boolean
  readonly price: Decimal
  readonly size: Decimal
  readonly originalSize: Decimal
  readonly oid: number
  readonly cloid: Cloid | null
  readonly isReduceOnly: boolean | null
  /** In the venue's words; `isLiveStatus` tells whether the order is still open in it. */
  readonly status: string
  readonly at: Millis
}

export interface Fill {
  readonly coin: Coin
  readonly isBuy: boolean
  readonly price: Decimal
  readonly size: Decimal
  readonly startPosition: Decimal
  readonly closedPnl: Decimal
  readonly fee: Decimal
  /** What the fee was paid in; left out where the venue did not tell it: USDC. */
  readonly feeToken?: string
  readonly oid: number
  readonly cloid: Cloid | null
  readonly tid: number
  readonly at: Millis
  /** Whose liquidation it is part of: the account's, or that of who traded with it; left out: none. */
  readonly liquidated?: Address
  /** The TWAP that it is a slice of; left out: none. */
  readonly twapId?: number
  /** The venue closed a position to cover another account's loss; left out: it did not. */
  readonly isDeleveraging?: true
  /** A builder's market was halted or delisted, and its positions ended at the mark; left out: no. */
  readonly isSettlement?: true
}

export interface FundingPayment {
  readonly coin: Coin
  readonly usdc: Decimal
  readonly at: Millis
}

/** A change of the account's USDC that is neither trade nor funding. */
export interface LedgerEntry {
  readonly id: string
  readonly type: string
  /** Signed: what it added to the account's equity. */
  readonly usdc: Decimal
  /** Nobody can tell what it did: the USDC that it names, which may have come or gone; left out: it is known. */
  readonly unknown?: Decimal
  readonly at: Millis
}

export interface Agent {
  readonly address: Address
  readonly name: string
  readonly validUntil: Millis
}
