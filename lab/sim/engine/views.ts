import type { Address } from '../../../src/core/values/address.ts'
import type { Cloid } from '../../../src/core/values/cloid.ts'
import type { Coin } from '../../../src/core/values/coin.ts'
import type { Decimal } from '../../../src/core/values/decimal.ts'
import type { Tpsl } from '../../../src/core/protocol/action.ts'
import type { SpotToken } from './spotPairs.ts'

/** What the venue can be asked, as domain values; the front turns them into the venue's text. */

export interface LevelView {
  readonly price: Decimal
  readonly size: Decimal
  /** How many orders rest at this price. */
  readonly count: number
}

export interface BookView {
  readonly coin: Coin
  readonly time: number
  /** Best first. */
  readonly bids: readonly LevelView[]
  readonly asks: readonly LevelView[]
}

/** What `metaAndAssetCtxs` tells of a market. */
export interface ContextView {
  readonly coin: Coin
  /** The current hourly rate. */
  readonly funding: Decimal
  readonly openInterest: Decimal
  readonly prevDayPrice: Decimal
  readonly dayNotionalVolume: Decimal
  readonly premium: Decimal | null
  readonly oraclePrice: Decimal
  readonly markPrice: Decimal
  readonly midPrice: Decimal | null
  readonly impactPrices: readonly [Decimal, Decimal] | null
  readonly dayBaseVolume: Decimal
}

export interface TradeView {
  readonly coin: Coin
  /** The side of the order that took. */
  readonly isBuy: boolean
  readonly price: Decimal
  readonly size: Decimal
  readonly time: number
  readonly hash: string
  readonly tid: number
  readonly buyer: Address
  readonly seller: Address
}

export interface CandleView {
  readonly openTime: number
  readonly closeTime: number
  readonly coin: Coin
  readonly interval: CandleInterval
  readonly open: Decimal
  readonly close: Decimal
  readonly high: Decimal
  readonly low: Decimal
  readonly volume: Decimal
  readonly trades: number
}

export type CandleInterval =
  '1m' | '3m' | '5m' | '15m' | '30m' | '1h' | '2h' | '4h' | '8h' | '12h' | '1d' | '3d' | '1w' | '1M'

export interface FundingRateView {
  readonly coin: Coin
  readonly fundingRate: Decimal
  readonly premium: Decimal
  readonly time: number
}

export type OrderTypeText =
  | 'Limit'
  | 'Market'
  | 'Stop Market'
  | 'Stop Limit'
  | 'Take Profit Market'
  | 'Take Profit Limit'
  | 'Vault Close'

interface TriggerView {
  readonly price: Decimal
  readonly isMarket: boolean
  readonly tpsl: Tpsl
  /** The venue's words: `Price above 2200`. */
  readonly condition: string
}

/** An order with the frontend's field set. */
export interface OrderView {
  readonly asset: number
  readonly coin: Coin
  readonly isBuy: boolean
  readonly limitPrice: Decimal
  /** What is left of it; a whole-position trigger has zero. */
  readonly size: Decimal
  readonly originalSize: Decimal
  readonly oid: number
  readonly timestamp: number
  readonly cloid: Cloid | null
  readonly isReduceOnly: boolean
  readonly trigger: TriggerView | null
  readonly isPositionTpsl: boolean
  /** Null for triggers. */
  readonly tif: 'Gtc' | 'Ioc' | 'Alo' | 'FrontendMarket' | 'LiquidationMarket' | null
  readonly orderType: OrderTypeText
  /** Children that wait for this order's fill; the open-order list has them at the top as well. */
  readonly children: readonly OrderView[]
}

/** One change of an order's status; the newest row of an order says what it is now. */
export interface OrderRow {
  readonly order: OrderView
  readonly status: string
  readonly statusTimestamp: number
}

export interface FillView {
  readonly coin: Coin
  readonly price: Decimal
  readonly size: Decimal
  readonly isBuy: boolean
  readonly time: number
  readonly startPosition: Decimal
  /** The venue's words: `Open Long`, `Close Short`, `Long > Short`. */
  readonly dir: string
  readonly closedPnl: Decimal
  readonly hash: string
  readonly oid: number
  /** True for the side that took. */
  readonly crossed: boolean
  /** The builder's part included. */
  readonly fee: Decimal
  readonly tid: number
  readonly cloid: Cloid | null
  readonly feeToken: string
  readonly builderFee: Decimal | null
  readonly liquidation: {
    readonly liquidatedUser: Address
    readonly markPrice: Decimal
    readonly method: 'market' | 'backstop'
  } | null
}

/** A TWAP as `twapStates` shows it; `trigger` is what it waits for, if anything. */
export interface TwapView {
  readonly twapId: number
  readonly coin: Coin
  readonly user: Address
  readonly isBuy: boolean
  readonly size: Decimal
  readonly executedSize: Decimal
  readonly executedValue: Decimal
  readonly minutes: number
  readonly isReduceOnly: boolean
  readonly randomize: boolean
  readonly timestamp: number
  readonly trigger: { readonly price: Decimal; readonly isAbove: boolean } | null
  readonly stopPrice: Decimal | null
}

/** A change of a TWAP; `time` is in seconds. */
export interface TwapRow {
  readonly time: number
  readonly view: TwapView
  readonly status:
    ('activated' | 'waitingForTrigger') | ('terminated' | 'finished' | 'stopped' | 'error')
  /** Why it ended with an error. */
  readonly description: string | null
}

/** A fill of a TWAP's slice: it is in no other list of fills. */
export interface SliceFillView {
  readonly fill: FillView
  readonly twapId: number
}

export interface LeverageView {
  readonly type: 'cross' | 'isolated'
  readonly value: number
  /** Only for an isolated position. */
  readonly rawUsd: Decimal | null
}

export interface PositionView {
  readonly coin: Coin
  /** Signed: positive is long. */
  readonly size: Decimal
  readonly leverage: LeverageView
  readonly entryPrice: Decimal
  readonly positionValue: Decimal
  readonly unrealisedPnl: Decimal
  readonly returnOnEquity: Decimal
  readonly liquidationPrice: Decimal | null
  readonly marginUsed: Decimal
  readonly maxLeverage: number
  readonly cumFunding: {
    readonly allTime: Decimal
    readonly sinceOpen: Decimal
    readonly sinceChange: Decimal
  }
}

export interface SummaryView {
  readonly accountValue: Decimal
  readonly totalNotional: Decimal
  readonly totalRawUsd: Decimal
  readonly totalMarginUsed: Decimal
}

/** `clearinghouseState`. For a unified account it already shows only what is posted. */
export interface PerpStateView {
  readonly margin: SummaryView
  readonly cross: SummaryView
  readonly crossMaintenance: Decimal
  readonly withdrawable: Decimal
  /** In the order of the universe. */
  readonly positions: readonly PositionView[]
  readonly time: number
}

export interface ActiveAssetView {
  readonly coin: Coin
  readonly leverage: LeverageView
  /** Buy, sell. */
  readonly maxTradeSizes: readonly [Decimal, Decimal]
  readonly availableToTrade: readonly [Decimal, Decimal]
  readonly markPrice: Decimal
}

export interface FundingPaymentView {
  readonly time: number
  readonly hash: string
  readonly coin: Coin
  /** Negative: paid. */
  readonly usdc: Decimal
  readonly size: Decimal
  readonly fundingRate: Decimal
}

/** A row of `delegatorHistory`. */
export interface StakingRow {
  readonly time: number
  readonly hash: string
  readonly amount: Decimal
  readonly what:
    | { readonly kind: 'deposit' }
    | { readonly kind: 'withdrawal'; readonly isDone: boolean }
    | {
        readonly kind: 'delegate'
        readonly validator: Address
        readonly isUndelegate: boolean
      }
}

/** What an account has staked. */
export interface StakingView {
  readonly free: Decimal
  readonly delegations: readonly {
    readonly validator: Address
    readonly amount: Decimal
    readonly lockedUntil: number
  }[]
  readonly leaving: readonly Decimal[]
  /** Newest first. */
  readonly history: readonly StakingRow[]
}

export type LedgerDelta =
  | { readonly type: 'deposit'; readonly usdc: Decimal }
  | {
      readonly type: 'withdraw'
      readonly usdc: Decimal
      readonly nonce: number
      readonly fee: Decimal
    }
  | { readonly type: 'accountClassTransfer'; readonly usdc: Decimal; readonly toPerp: boolean }
  | {
      readonly type: 'internalTransfer'
      readonly usdc: Decimal
      readonly user: Address
      readonly destination: Address
      readonly fee: Decimal
    }
  | {
      readonly type: 'subAccountTransfer'
      readonly usdc: Decimal
      readonly user: Address
      readonly destination: Address
    }
  | {
      readonly type: 'vaultDeposit' | 'vaultDistribution'
      readonly vault: Address
      readonly usdc: Decimal
    }
  | {
      readonly type: 'vaultCreate'
      readonly vault: Address
      readonly usdc: Decimal
      readonly fee: Decimal
    }
  | {
      readonly type: 'vaultWithdraw'
      readonly vault: Address
      readonly user: Address
      readonly requested: Decimal
      /** The leader's part of the profit. */
      readonly commission: Decimal
      /** What was paid for what is taken out. */
      readonly basis: Decimal
      readonly net: Decimal
    }
  | { readonly type: 'vaultLeaderCommission'; readonly user: Address; readonly usdc: Decimal }
  | {
      readonly type: 'spotTransfer'
      readonly token: SpotToken
      readonly amount: Decimal
      readonly usdcValue: Decimal
      readonly user: Address
      readonly destination: Address
      readonly nonce: number | null
    }
  | {
      readonly type: 'send'
      readonly token: SpotToken
      readonly amount: Decimal
      readonly usdcValue: Decimal
      readonly user: Address
      readonly destination: Address
      readonly sourceDex: string
      readonly destinationDex: string
      readonly nonce: number
    }
  | {
      readonly type: 'cStakingTransfer'
      readonly amount: Decimal
      readonly isDeposit: boolean
    }
  | {
      readonly type: 'borrowLend'
      readonly token: SpotToken
      readonly operation: 'supply' | 'withdraw' | 'repay'
      readonly amount: Decimal
    }
  | {
      readonly type: 'liquidation'
      readonly liquidatedNotional: Decimal
      readonly accountValue: Decimal
      readonly leverageType: 'Cross' | 'Isolated'
      readonly positions: readonly { readonly coin: Coin; readonly size: Decimal }[]
    }

export interface LedgerRow {
  readonly time: number
  readonly hash: string
  readonly delta: LedgerDelta
}

export interface AgentView {
  readonly address: Address
  /** Empty for the one unnamed agent, which `extraAgents` does not list. */
  readonly name: string
  readonly validUntil: number
}

/** Who signs for an account that one key alone cannot sign for, and how many of them must. */
export interface MultiSigView {
  readonly users: readonly Address[]
  readonly threshold: number
}

export type RoleView =
  | { readonly role: 'user' }
  | { readonly role: 'agent'; readonly user: Address }
  | { readonly role: 'subAccount'; readonly master: Address }
  | { readonly role: 'vault' }
  | { readonly role: 'missing' }

export interface FeeRatesView {
  /** Fractions of the value. */
  readonly taker: Decimal
  readonly maker: Decimal
  readonly referralDiscount: Decimal
}
