import type { Market, Markets } from '../protocol/market.ts'
import type { AccountMode, Fill, Leverage } from '../protocol/venueState.ts'
import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import type { Millis } from '../values/millis.ts'
import type { AccountEvent } from './accountEvent.ts'
import { AccountSums } from './accountSums.ts'
import type {
  CoinExposure,
  CoverChange,
  CrossPool,
  Exposure,
  PositionView,
  StopsChange,
  WatchedAccount,
} from './accountView.ts'
import type { Cover, Stop } from './stop.ts'
import type { CashView } from './cash.ts'
import { Confirmations } from './confirmations.ts'
import { inTime } from './fillChain.ts'
import { FillGate } from './fillGate.ts'
import { Funds } from './funds.ts'
import type { Sight, SightEvent } from './ifTold.ts'
import type { SeenLeverage } from './leverages.ts'
import { MarketsTold } from './marketsTold.ts'
import { OrderQuestions } from './orderQuestions.ts'
import { OrderRecords } from './orderRecords.ts'
import { Orders } from './orders.ts'
import { OwnRecord } from './ownRecord.ts'
import type { AccountRecord } from './ownRecord.ts'
import { poolOf } from './poolOf.ts'
import { Positions, timeOf } from './positions.ts'
import { Promises } from './promises.ts'
import type { Reservation, ReservationId, Settlement } from './reservation.ts'
import type { StopPromise } from './stopPromise.ts'
import type { Covered, Lent } from './coveringStops.ts'
import type { StopRow } from './stopRow.ts'
import { Twaps } from './twaps.ts'
import { SpotHoldings } from './spotHoldings.ts'
import { waitingValues } from './waitingValues.ts'

/**
 * The account as the venue last confirmed it, with everything in flight. Folded from events in
 * place; every question is answered from sums that are kept as things change.
 */
export class Account extends OrderQuestions implements WatchedAccount {
  #stream: 'live' | 'stale' | 'down' = 'down'
  readonly #told = new MarketsTold()
  readonly #positions: Positions
  /** The stops that positions were promised. */
  readonly promises = new Promises()
  protected readonly records = new OrderRecords(this.promises, {
    of: (coin: Coin): number | null => this.held.of(coin),
  })
  readonly #orders = new Orders(this.records, (coin) => this.#sums.changed(coin))
  protected readonly intents = this.#orders.intents
  readonly fills = new FillGate()
  readonly funds: Funds
  readonly spot = new SpotHoldings()
  /** What the venue trades by itself, slice by slice. */
  readonly twaps = new Twaps({
    count: (life, entry) => {
      this.records.counts.putTwap(life, entry)
      this.#sums.changed(life.plan.coin)
    },
    isHeld: (coin) => this.#positions.views.has(coin),
  })
  readonly #own = new OwnRecord(this.records)
  readonly held = this.#own.held
  readonly #sums: AccountSums
  readonly #confirmed = new Confirmations()

  constructor() {
    super()
    this.#positions = new Positions({
      markOf: (coin) => this.#told.markOrMid(coin),
      leverageOf: (coin) => this.#told.setting(coin),
      maxLeverageOf: (coin) => this.market(coin)?.maxLeverage ?? null,
    })
    this.funds = new Funds(this.#positions, (coin) => this.market(coin)?.builder)
    this.#sums = new AccountSums({
      held: {
        positions: this.#positions.views,
        priceOf: (coin) => this.#told.prices.price(coin),
        gapOf: (coin) => this.stopGap(coin),
      },
      ...{ records: this.records, orders: this.#orders },
      ...{ promises: this.promises, leverages: this.#told.leverages },
    })
  }

  /**
   * Guard's clock was set ahead by so much, or back (negative). What was noted of orders and actions
   * keeps its age, so that no snapshot counts as later than it was. Prices and confirmations keep
   * theirs only when it was set back: the machine may have slept.
   */
  clockStepped(ms: number): void {
    for (const each of [this.#orders, this.spot, this.twaps]) each.shift(ms)
    for (const each of [this.#told, this.builders, this.funds, this.#confirmed])
      each.shift(Math.min(ms, 0))
  }

  apply(event: AccountEvent): void {
    if (this.spot.told(event)) return
    switch (event.kind) {
      case 'markets':
        this.#told.listed = event.markets
        return this.#sums.forgetAll()
      case 'mode':
        return this.funds.applyMode(event.mode)
      case 'state':
        return this.#applyState(event)
      case 'spot':
        return this.funds.applySpot(event)
      case 'orders':
        return this.#applyOrders(event)
      case 'order_updates':
        for (const update of event.updates) this.#orders.applyUpdate(update, event.at)
        return
      case 'fills':
        for (const fill of inTime(event.fills)) this.#applyFill(fill, event.at)
        if (event.isSnapshot) this.#own.listed(event.areSlices === true)
        return
      // They move cash, which the next snapshot shows; the risk engine reads them from the event.
      case 'funding':
      case 'ledger':
      case 'elsewhere':
        return
      case 'twaps':
        return this.twaps.told(event, this.#confirmed.takenAt(event))
      case 'twap_history':
        return this.twaps.toldHistory(event.news, event.at)
      case 'leverage':
        this.#setLeverage(event.coin, event.leverage, event.at)
        return this.#told.leverages.setAvailable(event.coin, event.available, event.at)
      case 'mids':
        return this.#sums.allChanged(this.#told.prices.applyMids(event.mids, event.at))
      case 'mark':
        return this.#sums.allChanged(this.#told.prices.applyMark(event))
      case 'contexts':
        this.applyContexts(event)
        return this.#sums.allChanged(this.#told.prices.applyContexts(event.contexts, event.at))
      case 'capped':
      case 'dex_places':
      case 'halted':
      case 'at_cap':
      case 'book':
        return this.builders.applyOther(event)
      case 'stream':
        this.#stream = event.state
    }
  }

  /** Holds items at their worst case from this tick on. */
  reserve(id: ReservationId, items: readonly Reservation[], at: Millis): void {
    const perps = this.spot.reserve(id, items, at)
    this.#own.remember(perps)
    for (const item of perps) this.promises.plan(item)
    this.#orders.reserve(id, perps, at)
    this.twaps.reserve(id, items, at)
  }

  /** The action leaves for the venue. */
  sent(id: ReservationId): void {
    this.#orders.sent(id)
    this.twaps.sent(id)
  }

  /** What a reply said; unknown ids are those that events have settled already. */
  settle(id: ReservationId, settlement: Settlement, at: Millis): void {
    for (const each of [this.spot, this.#orders]) each.settle(id, settlement, at, null)
    this.twaps.settle(id, settlement, at)
    const set = this.intents.settle(id, settlement, at)
    for (const { coin, leverage } of set) this.#setLeverage(coin, leverage, at)
  }

  /** What a reply said of one order of an action, where the orders fared differently. */
  settleOrder(id: ReservationId, index: number, settlement: Settlement, at: Millis): void {
    this.spot.settle(id, settlement, at, index)
    this.#orders.settle(id, settlement, at, index)
  }

  /** A reply told the number of the order at a place of its action, and how much of it is filled. */
  numbered(id: ReservationId, index: number, oid: number, filled = Decimal.zero): void {
    this.#orders.numbered(id, index, oid, filled)
    this.twaps.numbered(id, oid)
  }

  /** Takes note of what covers now: Guard's own stop is a promise where there was none. */
  followCover(): void {
    this.#sums.covers.follow()
  }

  /** What Guard knows to be its own, for the next start. */
  record(): AccountRecord {
    const [promises, twaps] = [this.promises.record(), this.twaps.record()]
    return { ...this.#own.record(this.positions), ...this.fills.record(), promises, twaps }
  }

  /** Takes up a record of an earlier run; before the first event. */
  restoreRecord(record: AccountRecord): void {
    this.#own.restore(record)
    const { until, fills, promises } = record
    if (until !== undefined) this.fills.restore({ until, fills: fills ?? [] })
    if (promises !== undefined) this.promises.restore(promises)
    this.twaps.restore(record.twaps ?? [])
  }

  get markets(): Markets {
    return this.#told.listed
  }
  get mode(): AccountMode {
    return this.funds.mode
  }
  get stream(): 'live' | 'stale' | 'down' {
    return this.#stream
  }
  get equity(): Decimal | null {
    return this.funds.equity
  }
  /** The profit of all positions at the last marks; null before they were told. */
  get unrealised(): Decimal | null {
    return this.venueTime === null ? null : this.#positions.unrealisedAt(this.#told.prices)
  }
  get positions(): ReadonlyMap<Coin, PositionView> {
    return this.#positions.views
  }
  get inFlight(): number {
    return this.#orders.inFlight + this.twaps.inFlight
  }
  get twapCount(): number {
    return this.twaps.count
  }
  twapCoin(id: number): Coin | null {
    return this.twaps.coinOf(id)
  }
  get strangeTwaps(): readonly Coin[] {
    return this.twaps.opensElsewhere
  }
  get venueTime(): Millis | null {
    return this.#positions.time
  }
  get ordersAt(): Millis | null {
    return this.#confirmed.ordersAt()
  }
  /** When the list of a builder dex's orders was last confirmed. */
  dexOrdersAt(dex: string): Millis | null {
    return this.#confirmed.ordersAt(dex)
  }
  /** Of which an exit, stop or cancel was answered before a time, and no list has come since. */
  unlistedCoins(before: number): ReadonlySet<Coin> {
    return this.records.unlistedCoins(before, this.#orders.times, this.intents.unlisted(before))
  }
  get confirmedAt(): Millis | null {
    return this.#confirmed.oldest(this.#stream === 'live', this.funds.toldAt)
  }
  /** Equity with the part that only fills, fees, funding and flows can change. */
  get cash(): CashView | null {
    return this.funds.view
  }
  /** What the account would show if it were told this. */
  ifTold(event: SightEvent): Sight {
    return this.funds.ifTold(event, this.#own)
  }
  /** Whether the recent fills were told since the start: without them no size can be explained. */
  get areFillsTold(): boolean {
    return this.#own.areFillsTold
  }
  get mayHaveFired(): boolean {
    return !this.areFillsTold && this.promises.hasKept
  }
  /** What the venue shows and Guard's own record does not explain. */
  discrepancies(): readonly string[] {
    const own = this.#own.discrepancies(this.positions)
    return [...own, ...this.twaps.discrepancies(), ...this.funds.discrepancies]
  }
  mid(coin: Coin): { readonly price: Decimal; readonly at: Millis } | null {
    return this.#told.prices.mid(coin)
  }
  mark(coin: Coin): Decimal | null {
    return this.#told.prices.mark(coin)
  }
  markAt(coin: Coin): Millis | null {
    return this.#told.prices.markAt(coin)
  }
  oracle(coin: Coin): Decimal | null {
    return this.#told.prices.oracle(coin)
  }
  market(coin: Coin): Market | null {
    return this.#told.market(coin)
  }
  leverage(coin: Coin): SeenLeverage | null {
    return this.#told.leverages.get(coin, this.intents.leverage(coin))
  }
  stopRow(coin: Coin, isLong: boolean): StopRow {
    return this.#sums.covers.row(coin, isLong)
  }
  covered(coin: Coin): Covered | null {
    return this.#sums.covers.covered(coin)
  }
  lentStops(coin: Coin, isLong: boolean): Lent {
    return this.#sums.covers.lent(coin, isLong)
  }
  cover(coin: Coin): Cover | null {
    return this.#sums.covers.of(coin)
  }
  spareRisk(coin: Coin): Decimal {
    return this.#sums.covers.spareRisk(coin)
  }
  coverAfter(coin: Coin, change: StopsChange): CoverChange | null {
    return this.#sums.covers.after(coin, change)
  }
  guardStopsBeyond(coin: Coin, trigger: Decimal): readonly Stop[] {
    const isLong = this.positions.get(coin)?.size.isPositive() === true
    if (this.twaps.leftOf(coin, isLong).isPositive()) return []
    return this.#sums.covers.guardStopsBeyond(coin, trigger)
  }
  promise(coin: Coin): StopPromise | null {
    return this.#sums.covers.promise(coin)
  }
  recordedStop(coin: Coin): Decimal | null {
    return this.#sums.covers.recordedStop(coin)
  }
  exposure(): Exposure {
    return this.#sums.exposure.totals()
  }
  coinsWithoutStop(): readonly Coin[] {
    return this.#sums.exposure.coinsWithoutStop()
  }
  coinExposure(coin: Coin, isBuy: boolean): CoinExposure {
    return this.#sums.exposure.ofCoin(coin, isBuy)
  }
  /** The next question adds everything up from the beginning. */
  sumAnew(): void {
    this.#sums.forgetAll()
  }
  waitingValues(): ReturnType<WatchedAccount['waitingValues']> {
    return waitingValues(this.records, this.#told.prices)
  }
  crossPool(): CrossPool {
    return this.#pool(poolOf(this.mode, ''))
  }
  dexPool(dex: string): CrossPool | null {
    return this.funds.isApart(dex) ? this.#pool(dex) : null
  }
  crossPools(): readonly CrossPool[] {
    return this.#sums.pool.dexes(this.mode).map((dex) => this.#pool(dex))
  }
  #pool(dex: CrossPool['dex']): CrossPool {
    return this.#sums.pool.view(this.funds.backing(dex, this.intents.marginFrom(dex)))
  }
  available(coin: Coin): ReturnType<WatchedAccount['available']> {
    return this.#told.leverages.available(coin)
  }

  #applyState(event: Extract<AccountEvent, { kind: 'state' }>): void {
    if (event.source === 'stream') this.#confirmed.toldState(event.state.time, event.at)
    const touched = this.#positions.applyState(event.state, event.at)
    if (touched === null) return
    this.#confirmed.confirmState(event.at)
    this.#told.leverages.applyState(event.state, event.at)
    this.#sums.allChanged(touched)
    this.held.see(this.#positions.views, (coin) => timeOf(event.state, coin))
    this.#orders.outlive(this.held.takeOutlived())
    this.#own.settle(this.#positions.views)
    this.promises.settle(this.#positions.views, {
      priceOf: (coin) => this.#told.prices.price(coin),
      timeOf: (coin) => timeOf(event.state, coin),
    })
    this.#orders.applyState(event.state, this.#confirmed.takenAt(event))
    this.twaps.applyState(this.#orders.times)
  }

  #applyOrders(event: Extract<AccountEvent, { kind: 'orders' }>): void {
    if (event.dex === undefined) this.records.onOtherMarkets = event.elsewhere ?? 0
    this.#orders.applySnapshot(event.orders, event, this.#confirmed.takenAt(event))
    this.#confirmed.confirmOrders(event.at, event.dex)
  }

  #applyFill(fill: Fill, at: Millis): void {
    const news = this.fills.take(fill)
    if (news === 'seen') return
    const cloid = fill.cloid ?? this.records.cloidOf(fill.oid)
    if (this.#positions.applyFill(fill, at)) this.funds.applyFill(fill)
    const life = this.#orders.applyFill(fill, at)
    const twap = this.twaps.applyFill(fill, news === 'new')
    this.#sums.changed(fill.coin)
    const part = news === 'new' ? this.held.take(fill) : 'before'
    this.#orders.outlive(this.held.takeOutlived())
    if (part === 'before') return
    if (part === 'anew') this.promises.beginAnew(fill)
    this.#own.applyFill(fill, cloid, twap !== null, part)
    this.promises.applyFill(fill, life, cloid, twap?.opens ?? null)
  }

  #setLeverage(coin: Coin, leverage: Leverage, at: Millis): void {
    this.#told.leverages.set(coin, leverage, at)
    this.#positions.setLeverage(coin, leverage)
  }
}
