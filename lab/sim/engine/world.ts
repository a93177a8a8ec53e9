import type { Address } from '../../../src/core/values/address.ts'
import type { Cloid } from '../../../src/core/values/cloid.ts'
import type { Coin } from '../../../src/core/values/coin.ts'
import type { Decimal } from '../../../src/core/values/decimal.ts'
import type { Builder, Tif, Tpsl } from '../../../src/core/protocol/action.ts'
import type { Market } from '../../../src/core/protocol/market.ts'
import type { Book } from './book.ts'
import type { Candles } from './candles.ts'
import type { DexTerms, MarketTerms } from './dex/dexTerms.ts'
import type { DayVolume } from './dayVolume.ts'
import type { Touch } from './grid.ts'
import type { VenueOptions } from './options.ts'
import type { Random } from './random.ts'
import type { Ring } from './ring.ts'
import type { PricePath } from './pricePath.ts'
import type { SpotPair, SpotToken } from './spotPairs.ts'
import type { Vault } from './vault.ts'
import type { ScenarioName } from './venueConfig.ts'
import type { VenueEvent } from './venueEvent.ts'
import type { SimAccountMode } from './venueReads.ts'
import type {
  AgentView,
  FillView,
  FundingPaymentView,
  FundingRateView,
  LedgerRow,
  MultiSigView,
  OrderRow,
  OrderView,
  SliceFillView,
  StakingRow,
  TradeView,
  TwapRow,
} from './views.ts'
import type { TwapView } from './views.ts'

/** A running one: its view, and what the clock needs to know. */
export interface Twap {
  view: TwapView
  readonly market: MarketState
  /** How many slices it has, and how far apart they are. */
  readonly slices: number
  readonly everyMs: number
  /** Null while it waits for its price. */
  startMs: number | null
  nextMs: number
}

/** The engine's own state, changed in place by the files beside this one. */

/**
 * `incoming`: being matched. `waitingForFill`: a child whose parent rests. `waitingForTrigger`: watches the mark.
 * `resting`: in the book. `done`: ended, kept only in the history.
 */
type OrderPhase = 'incoming' | 'waitingForFill' | 'waitingForTrigger' | 'resting' | 'done'

export interface LiveOrder {
  readonly oid: number
  readonly account: Account
  readonly market: MarketState
  readonly isBuy: boolean
  readonly price: Decimal
  /** The price in units of the market's price scale. */
  readonly units: bigint
  /** What is left. */
  size: Decimal
  readonly originalSize: Decimal
  filled: Decimal
  readonly isReduceOnly: boolean
  readonly tif: Tif | 'LiquidationMarket' | null
  /** The venue's own close of a part of a vault's position, for a withdrawal. */
  readonly isVaultClose?: boolean
  readonly trigger: {
    readonly price: Decimal
    readonly isMarket: boolean
    readonly tpsl: Tpsl
  } | null
  readonly isPositionTpsl: boolean
  readonly cloid: Cloid | null
  readonly builder: Builder | null
  /** Of a slice: the TWAP that it belongs to. */
  readonly twapId?: number
  readonly timestamp: number
  phase: OrderPhase
  parent: LiveOrder | null
  /** Of a parent, in the order of the request. */
  children: LiveOrder[]
  /** The children of one group, this one included; when one fills, the others end. */
  siblings: readonly LiveOrder[]
}

/** An order on a spot pair: it needs no margin, only what it is paid with. */
export interface SpotOrder extends Omit<
  LiveOrder,
  'market' | 'isPositionTpsl' | 'twapId' | 'parent' | 'children' | 'siblings' | 'isVaultClose'
> {
  readonly market: SpotMarket
  readonly tif: Tif | null
}

/** A spot pair with its book. */
export interface SpotMarket {
  readonly pair: SpotPair
  readonly asset: number
  readonly coin: Coin
  readonly sizeDecimals: number
  readonly priceScale: number
  readonly book: Book<SpotOrder>
  /** What the house quotes around; it stands for the mid, the mark and the oracle price. */
  price: Decimal
  quotes: SpotOrder[]
  /** Orders that wait for the price, oldest first. */
  readonly watching: Set<SpotOrder>
  readonly trades: Ring<TradeView>
  readonly day: DayVolume
  shownBest: string
  isTouched: boolean
}

/** Sizes and values of an account's orders in one book that may open or extend a position. */
export interface OpenInterest {
  buySize: Decimal
  buyValue: Decimal
  sellSize: Decimal
  sellValue: Decimal
}

export interface Position {
  readonly market: MarketState
  /** Signed. */
  size: Decimal
  /** What the open size cost at its entry prices; not signed. */
  entryNotional: Decimal
  isIsolated: boolean
  /** Cash inside an isolated position: margin less signed cost. Zero for cross. */
  rawUsd: Decimal
  /** Each opened part over the leverage at which it was opened, summed. */
  opened: Decimal
  fundingSinceOpen: Decimal
  fundingSinceChange: Decimal
}

/** HYPE that secures the chain; it is no part of the spot balances meanwhile. */
interface Staking {
  /** Deposited and with no validator. */
  free: Decimal
  readonly delegated: Map<Address, { amount: Decimal; lockedUntil: number }>
  /** On the way back to the spot balances. */
  leaving: { readonly dueMs: number; readonly amount: Decimal }[]
  readonly history: Ring<StakingRow>
}

export interface LeverageSetting {
  readonly isCross: boolean
  readonly value: number
}

/** Who acts for an account that has no key of its own. */
type Owner = { readonly master: Address; readonly name: string } & (
  { readonly kind: 'sub' } | { readonly kind: 'vault'; readonly vault: Vault }
)

export interface Account {
  readonly address: Address
  /** Who signs for a sub-account or a vault; null for an account that signs for itself. */
  owner: Owner | null
  /** The venue's own accounts: no margin, no fees, no history. */
  readonly isHouse: boolean
  mode: SimAccountMode
  /** Whether it has ever chosen one. */
  isModeSet: boolean
  /** Whether all dexes that take one token lean on one pool of it, or each on its own. */
  sharesPools: boolean
  /** Perp cash outside isolated positions; all the cash of a unified account. */
  cash: Decimal
  /** The same on each builder dex where pools are not shared, in the dex's own token. */
  readonly dexCash: Map<string, Decimal>
  /** USDC on the spot side of a standard account. */
  spotCash: Decimal
  /** How much it has of each token but USDC. */
  readonly tokens: Map<SpotToken, Decimal>
  /** What the tokens it holds were bought for, by name. */
  readonly tokenCosts: Map<SpotToken, Decimal>
  /** Open orders on spot pairs, oldest first. */
  readonly spotOrders: Map<number, SpotOrder>
  /** Orders on markets that this venue does not match, by number. */
  readonly elsewhere: Map<number, OrderView>
  readonly positions: Map<Coin, Position>
  readonly leverage: Map<Coin, LeverageSetting>
  /** Everything open, oldest first. */
  readonly orders: Map<number, LiveOrder>
  /** The newest open order of each client order id. */
  readonly byCloid: Map<Cloid, LiveOrder>
  /** Older open ones that share its client order id, oldest first. */
  readonly twins: Map<Cloid, LiveOrder[]>
  /** Kept up with the book, so that margin needs no walk over all orders. */
  readonly interest: Map<Coin, OpenInterest>
  readonly fundingAllTime: Map<Coin, Decimal>
  readonly history: Ring<OrderRow>
  /** The newest row of each order still in the history. */
  readonly rows: Map<number, OrderRow>
  readonly rowsByCloid: Map<Cloid, OrderRow>
  readonly fills: Ring<FillView>
  readonly twaps: Map<number, Twap>
  readonly twapHistory: Ring<TwapRow>
  readonly sliceFills: Ring<SliceFillView>
  readonly fundings: Ring<FundingPaymentView>
  readonly ledger: Ring<LedgerRow>
  agents: AgentView[]
  agentRemovalUntil: number
  readonly builders: Map<Address, number>
  referrer: string | null
  /** The code with which it refers others. */
  referralCode: string | null
  /** Who signs for it where one key alone cannot. */
  multiSig: MultiSigView | null
  readonly staking: Staking
  /** What it has lent out of its spot balances, by token. */
  readonly lent: Map<SpotToken, Decimal>
  /** USDC that it owes; it lies among its own. */
  borrowed: Decimal
  /** Small balances of it are not sold at midnight. */
  keepsDust: boolean
  volume: Decimal
  scheduledCancel: number | null
  /** How often a schedule fired on which UTC day. */
  scheduleFired: { day: number; count: number }
  /** Until then further liquidations are for the whole position. */
  liquidationCooldownUntil: number
}

/** A builder dex. */
export interface Dex extends DexTerms {
  /** As the dex lists them: the place of a market is part of its asset id. */
  readonly markets: MarketState[]
}

/** What a market has only on a builder dex. */
export interface BuilderMarket extends MarketTerms {
  readonly dex: Dex
  /** Not traded for a while; it counts as delisted meanwhile. */
  isHalted: boolean
  /** Makers show little of it for a while. */
  isThin: boolean
  readonly feed: PriceFeed
}

/** What a builder posts about a market's price. */
interface PriceFeed {
  /** What is posted again and again; null where it follows the makers' price. */
  posted: { readonly oracle: Decimal; readonly marks: readonly Decimal[] } | null
  /** Nothing is posted. */
  isStopped: boolean
  /** When the mark was renewed last. */
  updatedMs: number
  /** `internal`: the market outside is closed, and the oracle follows this book. */
  session: 'external' | 'internal'
  /** The last price from outside. */
  reference: Decimal
  /** Prices at the start of this UTC day. */
  day: { readonly index: number; readonly mark: Decimal; readonly oracle: Decimal }
}

export interface MarketState {
  /** Those of its venue. */
  readonly options: VenueOptions
  market: Market
  /** Changes only where builder dexes before its own are gone. */
  asset: number
  /** What is different on a builder dex; null on the main one. */
  readonly builder: BuilderMarket | null
  readonly coin: Coin
  readonly sizeDecimals: number
  readonly priceScale: number
  readonly book: Book<LiveOrder>
  /** What the makers quote around, and what is shown as the mid of a frozen market. */
  mid: Decimal
  mark: Decimal
  oracle: Decimal
  /** What the makers want to quote, each with the order that does. */
  quotes: Quote[]
  /** The best prices they quote. */
  touch: Touch | null
  readonly path: PricePath
  /** Orders that watch the mark, oldest first. */
  readonly watching: Set<LiveOrder>
  readonly trades: Ring<TradeView>
  readonly candles: Candles
  readonly day: DayVolume
  readonly fundingRates: Ring<FundingRateView>
  /** Sum and count of the premium's samples of this hour, and until when it was sampled. */
  premiumSum: Decimal
  premiumSamples: number
  premiumUntil: number
  /** What the listeners know of the best prices. */
  shownBest: string
  /** Its book changed since the listeners were told. */
  isTouched: boolean
  /** Its mark moved, or an order began to watch it. */
  needsTriggers: boolean
}

export interface Quote {
  readonly isBuy: boolean
  readonly units: bigint
  readonly size: Decimal
  order: LiveOrder | null
}

interface PendingLedger {
  readonly dueMs: number
  readonly account: Account
  readonly row: LedgerRow
}

export interface World {
  readonly options: VenueOptions
  readonly frozen: boolean
  readonly scenario: ScenarioName
  readonly startMs: number
  nowMs: number
  readonly random: Random
  nextOid: number
  /** The main dex, by asset id; one that is listed later comes after the others. */
  readonly markets: MarketState[]
  /** Builder dexes by their index, less one; null where one has gone. */
  readonly dexes: (Dex | null)[]
  /** Every market of every dex. */
  everyMarket: MarketState[]
  readonly byCoin: Map<Coin, MarketState>
  /** Spot pairs that somebody has asked for, by asset id. */
  readonly spot: Map<number, SpotMarket>
  readonly accounts: Map<Address, Account>
  /** Which account an agent acts for. */
  readonly agentOf: Map<Address, Account>
  /** Quotes around the mid. */
  readonly maker: Account
  /** Trades against the makers. */
  readonly crowd: Account
  readonly liquidator: Account
  feesCollected: Decimal
  /** Fees that were paid in other tokens than USDC. */
  readonly tokenFees: Map<SpotToken, Decimal>
  /** USDC that accounts have lent out. */
  lentUsdc: Decimal
  /** Money that came in from outside, less what left and what rounding of funding took. */
  deposited: Decimal
  pendingLedger: PendingLedger[]
  nextStepMs: number
  nextFundingMs: number
  /** When builders post prices next; null while there are no builder dexes. */
  nextFeedMs: number | null
  /** When accounts that stayed below their maintenance margin are looked at again. */
  nextLiquidationMs: number | null
  events: VenueEvent[]
}
