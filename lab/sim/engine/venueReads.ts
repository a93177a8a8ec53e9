import type { Address } from '../../../src/core/values/address.ts'
import type { Cloid } from '../../../src/core/values/cloid.ts'
import type { Coin } from '../../../src/core/values/coin.ts'
import type { Decimal } from '../../../src/core/values/decimal.ts'
import type { Market } from '../../../src/core/protocol/market.ts'
import type { DexView } from './dex/dexViews.ts'
import type { SubAccountView, VaultView } from './ownedViews.ts'
import type { SpotPairView, SpotStateView } from './spot/spotViews.ts'
import type {
  ActiveAssetView,
  AgentView,
  BookView,
  CandleInterval,
  CandleView,
  ContextView,
  FeeRatesView,
  FillView,
  FundingPaymentView,
  FundingRateView,
  LedgerRow,
  LevelView,
  LeverageView,
  MultiSigView,
  OrderRow,
  OrderView,
  PerpStateView,
  RoleView,
  SliceFillView,
  StakingView,
  TradeView,
  TwapRow,
  TwapView,
} from './views.ts'

/** How an account keeps its money: `disabled` is the standard account. */
export type SimAccountMode = 'disabled' | 'unifiedAccount' | 'portfolioMargin'

/** Everything that can be read from the venue. A never-seen user reads as an empty account. */
export interface VenueReads {
  /** The venue's clock. */
  readonly nowMs: number

  /** Builder dexes from index 1 on; null where one has gone. */
  dexes(): readonly (DexView | null)[]
  /** Of every dex there is: the empty one of the main dex first. */
  dexNames(): readonly string[]
  dex(name: string): DexView | null
  /** Whether there is a dex of this name; the main one has none. */
  hasDex(name: string): boolean
  /** Whether the streams tell contexts of a market. */
  isTold(coin: Coin): boolean
  /** In the order of a dex's universe; without a name, of the main dex, where `asset` is the index. */
  markets(dex?: string): readonly Market[]
  /** Of any dex. */
  market(coin: Coin): Market | null
  marketById(asset: number): Market | null
  mids(dex?: string): ReadonlyMap<Coin, Decimal>
  markPrice(coin: Coin): Decimal | null
  oraclePrice(coin: Coin): Decimal | null
  /** Null for an unknown coin; every level when `depth` is not given. */
  book(coin: Coin, depth?: number): BookView | null
  bestBidAsk(coin: Coin): { readonly bid: LevelView | null; readonly ask: LevelView | null } | null
  contexts(dex?: string): readonly ContextView[]
  context(coin: Coin): ContextView | null
  /** Oldest first. */
  candles(coin: Coin, interval: CandleInterval, startMs: number, endMs: number): CandleView[]
  newestCandle(coin: Coin, interval: CandleInterval): CandleView | null
  /** In the order of the universe. */
  spotPairs(): readonly SpotPairView[]
  /** Newest first; of a spot pair too. */
  recentTrades(coin: Coin): readonly TradeView[]
  /** Oldest first; null for an unknown coin. */
  fundingHistory(coin: Coin, startMs: number, endMs: number): FundingRateView[] | null

  /** Every account that ever held funds. */
  users(): readonly Address[]
  role(who: Address): RoleView
  /** Whether this is a sub-account or a vault of `master`. */
  mayActFor(master: Address, who: Address): boolean
  subAccounts(master: Address): SubAccountView[]
  leadingVaults(leader: Address): VaultView[]
  /** The vault at an address; null where there is none. */
  vault(who: Address): VaultView | null
  vaults(): VaultView[]
  mode(user: Address): SimAccountMode
  /** What the account is told its mode is: `default` or null where it has never set one. */
  abstraction(user: Address): SimAccountMode | 'default' | null
  /** On one dex; without a name, on the main one. */
  perpState(user: Address, dex?: string): PerpStateView
  twaps(user: Address): readonly TwapView[]
  listedTwaps(user: Address, dex?: string): readonly TwapView[]
  /** Those that webData2 tells of. */
  webDataTwaps(user: Address): readonly TwapView[]
  twapHistory(user: Address): readonly TwapRow[]
  sliceFills(user: Address): readonly SliceFillView[]
  spotState(user: Address): SpotStateView
  /** Of one dex; spot orders are among those of the main one. Children are listed too. Newest first. */
  openOrders(user: Address, dex?: string): OrderView[]
  orderStatus(user: Address, ref: number | Cloid): OrderRow | null
  /** Newest first. */
  historicalOrders(user: Address): OrderRow[]
  /** Newest first. */
  fills(user: Address): FillView[]
  /** Oldest first. */
  fundings(user: Address): FundingPaymentView[]
  /** Oldest first; entries still held back are absent. */
  ledger(user: Address): LedgerRow[]
  leverage(user: Address, coin: Coin): LeverageView | null
  activeAsset(user: Address, coin: Coin): ActiveAssetView | null
  agents(user: Address): AgentView[]
  feeRates(user: Address): FeeRatesView
  /** Lifetime traded value, both sides. */
  cumulativeVolume(user: Address): Decimal
  /** In tenths of a basis point; 0 when not approved. */
  maxBuilderFee(user: Address, builder: Address): number
  approvedBuilders(user: Address): Address[]
  referrer(user: Address): string | null
  /** The code with which an account refers others. */
  referralCode(user: Address): string | null
  /** Who signs for an account that one key alone cannot sign for; null for all others. */
  multiSig(user: Address): MultiSigView | null
  staking(user: Address): StakingView
  /** HYPE that all accounts have delegated. */
  totalStake(): Decimal
  /** Whether small spot balances of the account stay at midnight. */
  keepsDust(user: Address): boolean
  scheduledCancel(user: Address): number | null
}
