import type { Address } from '../../../src/core/values/address.ts'
import type { Cloid } from '../../../src/core/values/cloid.ts'
import type { Coin } from '../../../src/core/values/coin.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'
import { err, ok } from '../../../src/core/values/result.ts'
import type { Result } from '../../../src/core/values/result.ts'
import type { Json } from '../../../src/core/protocol/action.ts'
import type { Market } from '../../../src/core/protocol/market.ts'
import { newAccount } from './account.ts'
import { changeMode } from './adminAction.ts'
import { activeAsset, leverageView, perpState, spotState } from './accountReads.ts'
import { applyAction } from './apply.ts'
import { auditWorld } from './audit.ts'
import type { Audit } from './audit.ts'
import { buildWorld, listMarket } from './build.ts'
import { nextDue, runDue } from './clock.ts'
import { orderElsewhere, spotOrders, tradeElsewhere } from './elsewhere.ts'
import type { OrderElsewhere, TradeElsewhere } from './elsewhere.ts'
import { makerRate, referredFactor, takerRate } from './fees.ts'
import { refill } from './makers.ts'
import { bookOf, contextOf, midsOf } from './marketReads.ts'
import { orderView } from './orderLife.ts'
import type { SubAccountView, VaultView } from './ownedViews.ts'
import { setPrice } from './pricing.ts'
import type { Prices } from './pricing.ts'
import { spotOrderView } from './spot/spotLife.ts'
import { spotBook, spotMarketNamed, spotPairView } from './spot/spotMarket.ts'
import { setSpotPrice, settleSpot } from './spot/spotPricing.ts'
import { spotPairs } from './spotPairs.ts'
import { stakingOf, totalStake } from './staking.ts'
import { mustDepositText, replyError } from './texts.ts'
import { ownedBy, subAccountsOf } from './subAccounts.ts'
import { runTriggers } from './triggers.ts'
import { flowOf, vaultsOf, vaultView } from './vaultAction.ts'
import type { SettableMode, VenueAction } from './venueAction.ts'
import type { MarketSpec, VenueConfig } from './venueConfig.ts'
import type { ApplyContext, VenueControl } from './venueControl.ts'
import type { VenueEvent, VenueListener } from './venueEvent.ts'
import type { SimAccountMode, VenueReads } from './venueReads.ts'
import { listedTwaps } from './twaps.ts'
import type * as View from './views.ts'
import type { SpotPairView, SpotStateView } from './spot/spotViews.ts'
import type { Account, LiveOrder, MarketState, SpotMarket, World } from './world.ts'

/**
 * A deterministic Hyperliquid without any input or output: time, requests and prices go in,
 * answers and events come out.
 */
export class Venue implements VenueControl, VenueReads {
  private world: World
  private readonly listeners = new Set<VenueListener>()

  /** Throws when the configuration makes no venue; `reset` returns the reason instead. */
  constructor(config: VenueConfig) {
    const built = buildWorld(config, null)
    if (!built.ok) throw new TypeError(built.error)
    this.world = built.value
    this.settle()
  }

  reset(config: VenueConfig): Result<void> {
    const built = buildWorld(config, this.world)
    if (!built.ok) return built
    this.world = built.value
    this.world.events.push({ kind: 'reset' })
    this.settle()
    return ok(undefined)
  }

  apply(user: Address, action: VenueAction, context: ApplyContext = {}): Json {
    const account = this.world.accounts.get(user)
    if (account === undefined) return replyError(mustDepositText(user))
    const reply = applyAction(this.world, account, action, context)
    runTriggers(this.world)
    this.settle()
    return reply
  }

  advanceTo(nowMs: number): void {
    const { world } = this
    for (;;) {
      const due = nextDue(world, nowMs)
      if (due === null) break
      world.nowMs = due
      runDue(world, nowMs)
      this.settle()
    }
    if (nowMs > world.nowMs) world.nowMs = nowMs
  }

  setPrice(coin: Coin, prices: Prices): Result<void> {
    const { world } = this
    const market = world.byCoin.get(coin)
    const pair = market === undefined ? spotMarketNamed(world, coin) : undefined
    if (market === undefined && pair === undefined) return err(`coin: there is no market ${coin}`)
    const done =
      market === undefined
        ? setSpotPrice(world, pair as SpotMarket, prices.mid)
        : setPrice(world, market, prices)
    this.settle()
    return done
  }

  list(spec: MarketSpec): Result<Market> {
    const made = listMarket(this.world, spec)
    this.settle()
    return made.ok ? ok(made.value.market) : made
  }

  flow(user: Address, amount: Decimal, delayMs = 0): Result<void> {
    const done = flowOf(this.world, user, amount, delayMs)
    this.settle()
    return done
  }

  setMode(user: Address, mode: SettableMode): Result<void> {
    const account = this.world.accounts.get(user)
    if (account === undefined) return err(`user: there is no account ${user}`)
    changeMode(this.world, account, mode)
    this.settle()
    return ok(undefined)
  }

  tradeElsewhere(user: Address, trade: TradeElsewhere): Result<number> {
    const done = tradeElsewhere(this.world, user, trade)
    this.settle()
    return done
  }

  orderElsewhere(user: Address, order: OrderElsewhere): Result<number> {
    const done = orderElsewhere(this.world, user, order)
    this.settle()
    return done
  }

  onEvent(listener: VenueListener): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Sums over all accounts, for checks that nothing is made or lost. */
  audit(): Audit {
    return auditWorld(this.world)
  }

  /** The makers restore their quotes, and the listeners hear of everything since the last time. */
  private settle(): void {
    const { world } = this
    for (const market of world.markets) {
      if (!market.isTouched) continue
      if (world.frozen) refill(world, market)
      market.isTouched = false
      tellBook(world, market)
    }
    for (const market of world.spot.values()) if (market.isTouched) settleSpot(world, market)
    const { events } = world
    if (events.length === 0) return
    world.events = []
    for (const listener of this.listeners) listener(events)
  }

  get nowMs(): number {
    return this.world.nowMs
  }

  markets(): readonly Market[] {
    return this.world.markets.map(({ market }) => market)
  }
  market(coin: Coin): Market | null {
    return this.world.byCoin.get(coin)?.market ?? null
  }
  mids(): ReadonlyMap<Coin, Decimal> {
    return midsOf(this.world)
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
  contexts(): readonly View.ContextView[] {
    return this.world.markets.map((market) => contextOf(this.world, market))
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
    return vaultsOf(this.world, leader).flatMap((each) => vaultView(each) ?? [])
  }
  vault(who: Address): VaultView | null {
    const account = this.world.accounts.get(who)
    return account === undefined ? null : vaultView(account)
  }
  vaults(): VaultView[] {
    return [...this.world.accounts.values()].flatMap((each) => vaultView(each) ?? [])
  }
  mode(user: Address): SimAccountMode {
    return this.account(user).mode
  }
  abstraction(user: Address): SimAccountMode | 'default' | null {
    const { isModeSet, mode } = this.account(user)
    if (isModeSet) return mode
    return this.world.options.neverSetMode === 'default' ? 'default' : null
  }
  perpState(user: Address): View.PerpStateView {
    return perpState(this.world, this.account(user))
  }
  spotState(user: Address): SpotStateView {
    return spotState(this.world, this.account(user))
  }
  twaps(user: Address): readonly View.TwapView[] {
    return [...this.account(user).twaps.values()].map(({ view }) => view)
  }
  /** As a client is told: those that wait for a price may be left out. */
  listedTwaps(user: Address): readonly View.TwapView[] {
    return listedTwaps(this.world, this.account(user))
  }
  twapHistory(user: Address): readonly View.TwapRow[] {
    return this.account(user).twapHistory.newestFirst()
  }
  sliceFills(user: Address): readonly View.SliceFillView[] {
    return this.account(user).sliceFills.newestFirst()
  }
  openOrders(user: Address): View.OrderView[] {
    const account = this.account(user)
    const spot = [...account.spotOrders.values()].reverse().map(spotOrderView)
    const perp = [...account.orders.values()].reverse().map(orderView)
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

function bestOf({ book }: MarketState | SpotMarket): {
  bid: View.LevelView | null
  ask: View.LevelView | null
} {
  return { bid: book.best(true), ask: book.best(false) }
}

function tellBook(world: World, market: MarketState): void {
  const { bid, ask } = bestOf(market)
  const events: VenueEvent[] = world.events
  events.push({ kind: 'book', coin: market.coin })
  const shown = [bid, ask]
    .map((level) => `${String(level?.price)}x${String(level?.size)}#${String(level?.count)}`)
    .join('|')
  if (shown === market.shownBest) return
  market.shownBest = shown
  events.push({ kind: 'bbo', coin: market.coin, bid, ask })
}
