import type { Address } from '../../../src/core/values/address.ts'
import type { Cloid } from '../../../src/core/values/cloid.ts'
import type { Coin } from '../../../src/core/values/coin.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'
import type { Market } from '../../../src/core/protocol/market.ts'
import { newAccount } from './account.ts'
import { activeAsset, leverageView, perpState, spotState } from './accountReads.ts'
import { dexNamed, dexView, isTold, universeOf } from './dex/dexReads.ts'
import type { DexView } from './dex/dexViews.ts'
import { spotOrders } from './elsewhere.ts'
import { makerRate, referredFactor, takerRate } from './fees.ts'
import { bestOf, bookOf, contextOf, midsOf } from './marketReads.ts'
import { marketOf } from './marketOf.ts'
import { orderView } from './orderLife.ts'
import type { SubAccountView, VaultView } from './ownedViews.ts'
import { onDex } from './pools.ts'
import { spotOrderView } from './spot/spotLife.ts'
import { spotBook, spotMarketNamed, spotPairView } from './spot/spotMarket.ts'
import type { SpotPairView, SpotStateView } from './spot/spotViews.ts'
import { spotPairs } from './spotPairs.ts'
import { stakingOf, totalStake } from './staking.ts'
import { ownedBy, subAccountsOf } from './subAccounts.ts'
import { listedTwaps } from './twaps.ts'
import { vaultsOf, vaultView } from './vaultAction.ts'
import type { SimAccountMode, VenueReads } from './venueReads.ts'
import type * as View from './views.ts'
import type { Account, LiveOrder, World } from './world.ts'

/** Everything that can be read from a venue, out of the world it has now. */
export class WorldReads implements VenueReads {
  protected world: World

  constructor(world: World) {
    this.world = world
  }

  get nowMs(): number {
    return this.world.nowMs
  }

  dexes(): readonly (DexView | null)[] {
    return this.world.dexes.map((dex) => (dex === null ? null : dexView(this.world, dex)))
  }
  dexNames(): readonly string[] {
    return ['', ...this.world.dexes.flatMap((dex) => dex?.name ?? [])]
  }
  dex(name: string): DexView | null {
    const found = dexNamed(this.world, name)
    return found === null ? null : dexView(this.world, found)
  }
  hasDex(name: string): boolean {
    return name === '' || dexNamed(this.world, name) !== null
  }
  isTold(coin: Coin): boolean {
    return isTold(this.world, this.world.byCoin.get(coin))
  }
  markets(dex = ''): readonly Market[] {
    return universeOf(this.world, dex).map(({ market }) => market)
  }
  marketById(asset: number): Market | null {
    return marketOf(this.world, asset)?.market ?? null
  }
  market(coin: Coin): Market | null {
    return this.world.byCoin.get(coin)?.market ?? null
  }
  mids(dex = ''): ReadonlyMap<Coin, Decimal> {
    return midsOf(this.world, universeOf(this.world, dex))
  }
  markPrice(coin: Coin): Decimal | null {
    return this.world.byCoin.get(coin)?.mark ?? null
  }
  oraclePrice(coin: Coin): Decimal | null {
    return this.world.byCoin.get(coin)?.oracle ?? null
  }
  book(coin: Coin, depth = Infinity): View.BookView | null {
    const market = this.world.byCoin.get(coin)
    if (market !== undefined) return bookOf(this.world, market, depth)
    const pair = spotMarketNamed(this.world, coin)
    return pair === undefined ? null : spotBook(this.world, pair, depth)
  }
  bestBidAsk(coin: Coin): { bid: View.LevelView | null; ask: View.LevelView | null } | null {
    const market = this.world.byCoin.get(coin) ?? spotMarketNamed(this.world, coin)
    return market === undefined ? null : bestOf(market)
  }
  contexts(dex = ''): readonly View.ContextView[] {
    return universeOf(this.world, dex).map((market) => contextOf(this.world, market))
  }
  context(coin: Coin): View.ContextView | null {
    const market = this.world.byCoin.get(coin)
    return market === undefined ? null : contextOf(this.world, market)
  }
  candles(
    coin: Coin,
    interval: View.CandleInterval,
    startMs: number,
    endMs: number,
  ): View.CandleView[] {
    return this.world.byCoin.get(coin)?.candles.read(interval, startMs, endMs) ?? []
  }
  newestCandle(coin: Coin, interval: View.CandleInterval): View.CandleView | null {
    return this.world.byCoin.get(coin)?.candles.newest(interval) ?? null
  }
  recentTrades(coin: Coin): readonly View.TradeView[] {
    const market = this.world.byCoin.get(coin) ?? spotMarketNamed(this.world, coin)
    return market?.trades.newestFirst() ?? []
  }
  spotPairs(): readonly SpotPairView[] {
    return spotPairs.map((pair) => spotPairView(this.world, pair))
  }
  fundingHistory(coin: Coin, startMs: number, endMs: number): View.FundingRateView[] | null {
    const rates = this.world.byCoin.get(coin)?.fundingRates.toArray()
    return rates?.filter(({ time }) => time >= startMs && time <= endMs) ?? null
  }

  users(): readonly Address[] {
    return [...this.world.accounts.keys()]
  }
  role(who: Address): View.RoleView {
    const account = this.world.accounts.get(who)
    if (account?.owner?.kind === 'sub') return { role: 'subAccount', master: account.owner.master }
    if (account !== undefined) return { role: account.owner === null ? 'user' : 'vault' }
    const owner = this.world.agentOf.get(who)
    return owner === undefined ? { role: 'missing' } : { role: 'agent', user: owner.address }
  }
  mayActFor(master: Address, who: Address): boolean {
    return ownedBy(this.world, master, who) !== null
  }
  subAccounts(master: Address): SubAccountView[] {
    return subAccountsOf(this.world, master).map(({ address, owner }) => ({
      ...{ address, master, name: owner?.name ?? '' },
    }))
  }
  leadingVaults(leader: Address): VaultView[] {
    return vaultsOf(this.world, leader).flatMap((each) => vaultView(this.world, each) ?? [])
  }
  vault(who: Address): VaultView | null {
    const account = this.world.accounts.get(who)
    return account === undefined ? null : vaultView(this.world, account)
  }
  vaults(): VaultView[] {
    return [...this.world.accounts.values()].flatMap((each) => vaultView(this.world, each) ?? [])
  }
  mode(user: Address): SimAccountMode {
    return this.account(user).mode
  }
  abstraction(user: Address): SimAccountMode | 'default' | null {
    const { isModeSet, mode } = this.account(user)
    if (isModeSet) return mode
    return this.world.options.neverSetMode === 'default' ? 'default' : null
  }
  perpState(user: Address, dex = ''): View.PerpStateView {
    return perpState(this.world, this.account(user), dex)
  }
  spotState(user: Address): SpotStateView {
    return spotState(this.world, this.account(user))
  }
  twaps(user: Address): readonly View.TwapView[] {
    return [...this.account(user).twaps.values()].map(({ view }) => view)
  }
  /** As a client is told: those that wait for a price may be left out. */
  listedTwaps(user: Address, dex = ''): readonly View.TwapView[] {
    return listedTwaps(this.world, this.account(user), onDex(dex))
  }
  webDataTwaps(user: Address): readonly View.TwapView[] {
    const isAll = this.world.options.webData2_twaps === 'all'
    return listedTwaps(this.world, this.account(user), isAll ? () => true : onDex(''))
  }

  twapHistory(user: Address): readonly View.TwapRow[] {
    return this.account(user).twapHistory.newestFirst()
  }
  sliceFills(user: Address): readonly View.SliceFillView[] {
    return this.account(user).sliceFills.newestFirst()
  }
  openOrders(user: Address, dex = ''): View.OrderView[] {
    const account = this.account(user)
    const within = onDex(dex)
    const onIt = [...account.orders.values()].filter(({ market }) => within(market))
    const perp = onIt.reverse().map(orderView)
    if (dex !== '') return perp
    const spot = [...account.spotOrders.values()].reverse().map(spotOrderView)
    return [...spotOrders(account), ...spot, ...perp]
  }
  orderStatus(user: Address, ref: number | Cloid): View.OrderRow | null {
    const account = this.account(user)
    if (typeof ref === 'number') {
      return liveRow(account.orders.get(ref)) ?? account.rows.get(ref) ?? null
    }
    return liveRow(account.byCloid.get(ref)) ?? account.rowsByCloid.get(ref) ?? null
  }
  historicalOrders(user: Address): View.OrderRow[] {
    return this.account(user).history.newestFirst()
  }
  fills(user: Address): View.FillView[] {
    return this.account(user).fills.newestFirst()
  }
  fundings(user: Address): View.FundingPaymentView[] {
    return this.account(user).fundings.toArray()
  }
  ledger(user: Address): View.LedgerRow[] {
    return this.account(user).ledger.toArray()
  }
  leverage(user: Address, coin: Coin): View.LeverageView | null {
    const market = this.world.byCoin.get(coin)
    return market === undefined ? null : leverageView(this.account(user), market)
  }
  activeAsset(user: Address, coin: Coin): View.ActiveAssetView | null {
    const market = this.world.byCoin.get(coin)
    return market === undefined ? null : activeAsset(this.world, this.account(user), market)
  }
  agents(user: Address): View.AgentView[] {
    return [...this.account(user).agents]
  }
  feeRates(user: Address): View.FeeRatesView {
    const discount = Decimal.one.minus(referredFactor)
    return {
      taker: takerRate,
      maker: makerRate,
      referralDiscount: this.account(user).referrer === null ? Decimal.zero : discount,
    }
  }
  cumulativeVolume(user: Address): Decimal {
    return this.account(user).volume
  }
  maxBuilderFee(user: Address, builder: Address): number {
    return this.account(user).builders.get(builder) ?? 0
  }
  approvedBuilders(user: Address): Address[] {
    return [...this.account(user).builders.keys()]
  }
  referrer(user: Address): string | null {
    return this.account(user).referrer
  }
  referralCode(user: Address): string | null {
    return this.account(user).referralCode
  }
  multiSig(user: Address): View.MultiSigView | null {
    return this.account(user).multiSig
  }
  staking(user: Address): View.StakingView {
    return stakingOf(this.account(user))
  }
  totalStake(): Decimal {
    return totalStake(this.world)
  }
  keepsDust(user: Address): boolean {
    return this.account(user).keepsDust
  }
  scheduledCancel(user: Address): number | null {
    return this.account(user).scheduledCancel
  }

  private account(user: Address): Account {
    return this.world.accounts.get(user) ?? newAccount(user, false)
  }
}

function liveRow(order: LiveOrder | undefined): View.OrderRow | null {
  if (order === undefined) return null
  return { order: orderView(order), status: 'open', statusTimestamp: order.timestamp }
}
