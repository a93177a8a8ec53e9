import type { OrderRef } from '../protocol/action.ts'
import type { Market, Markets } from '../protocol/market.ts'
import type { AccountMode, Fill, Leverage, OpenOrder, OrderUpdate } from '../protocol/venueState.ts'
import type { Coin } from '../values/coin.ts'
import type { Decimal } from '../values/decimal.ts'
import { shifted } from '../values/millis.ts'
import type { Millis } from '../values/millis.ts'
import type { AccountEvent } from './accountEvent.ts'
import type {
  AccountView,
  CoinExposure,
  Cover,
  Exposure,
  PositionView,
  RestingEntry,
  Stop,
  StopInFlight,
} from './accountView.ts'
import { Cash } from './cash.ts'
import type { CashView } from './cash.ts'
import { Confirmations } from './confirmations.ts'
import { coverOf } from './cover.ts'
import { EntryExtremes } from './entryExtremes.ts'
import { ExposureSums } from './exposure.ts'
import { LateFills } from './lateFills.ts'
import { OrderBook } from './orderBook.ts'
import { OwnRecord } from './ownRecord.ts'
import type { AccountRecord } from './ownRecord.ts'
import { Positions } from './positions.ts'
import { Prices } from './prices.ts'
import { Recent } from './recent.ts'
import type { Reservation, ReservationId, Settlement } from './reservation.ts'
import { Reservations } from './reservations.ts'
import { UnifiedBalance } from './unifiedBalance.ts'

const fillsRemembered = 8192
const noMarkets: Markets = { byAsset: new Map(), byCoin: new Map() }

/**
 * The account as the venue last confirmed it, with everything in flight. Folded from events in
 * place; every question is answered from sums and per-coin caches.
 */
export class Account implements AccountView {
  #markets: Markets = noMarkets
  #mode: AccountMode = 'unknown'
  #stream: 'live' | 'stale' | 'down' = 'down'
  readonly #prices = new Prices()
  readonly #leverages = new Map<Coin, { readonly leverage: Leverage; readonly at: Millis }>()
  readonly #positions: Positions
  readonly #orders: OrderBook
  readonly #reservations: Reservations
  readonly #cash = new Cash()
  readonly #balance = new UnifiedBalance()
  readonly #own: OwnRecord
  readonly #exposure: ExposureSums
  readonly #covers = new Map<Coin, Cover>()
  readonly #late = new LateFills()
  readonly #tids = new Recent<string, true>(fillsRemembered)
  readonly #confirmed = new Confirmations()

  constructor() {
    const changed = (coin: Coin | null): void => this.#changed(coin)
    this.#positions = new Positions({
      markOf: (coin) => this.#prices.mark(coin) ?? this.#prices.mid(coin)?.price ?? null,
      leverageOf: (coin) => this.#leverages.get(coin)?.leverage ?? null,
      maxLeverageOf: (coin) => this.market(coin)?.maxLeverage ?? null,
    })
    this.#orders = new OrderBook((cloid) => this.#reservations.sent(cloid), changed)
    this.#reservations = new Reservations(
      {
        live: (cloid) => {
          const order = this.#orders.byCloid(cloid)
          if (order === null) return null
          const { oid, size, originalSize } = order
          return { oid, size, originalSize, isConfirmed: this.#orders.isConfirmed(oid) }
        },
        isOpen: (oid, cloid) =>
          (oid !== null && this.#orders.get(oid) !== null) ||
          (cloid !== null && this.#orders.byCloid(cloid) !== null),
      },
      changed,
    )
    this.#own = new OwnRecord(this.#orders)
    this.#exposure = new ExposureSums(this, this.#orders, this.#reservations)
  }

  // ------------------------------------------------------------------------------------- commands

  /**
   * Guard's clock was set ahead by so much, or back (negative). What was noted of orders and actions
   * keeps its age, so that no snapshot counts as later than it was. Prices and confirmations keep
   * theirs only when it was set back: the machine may have slept.
   */
  clockStepped(ms: number): void {
    this.#orders.shift(ms)
    this.#reservations.shift(ms)
    if (ms > 0) return
    this.#prices.shift(ms)
    this.#cash.shift(ms)
    this.#balance.shift(ms)
    for (const [coin, { leverage, at }] of this.#leverages) {
      this.#leverages.set(coin, { leverage, at: shifted(at, ms) })
    }
    this.#confirmed.shift(ms)
  }

  apply(event: AccountEvent): void {
    switch (event.kind) {
      case 'markets':
        this.#markets = event.markets
        return
      case 'mode':
        if (event.mode !== this.#mode) this.#balance.restart()
        this.#mode = event.mode
        return
      case 'state':
        return this.#applyState(event)
      case 'spot':
        this.#cash.applySpot(event.spot, event.at)
        return this.#balance.seenSpot(event.spot.usdcTotal, this.#positions.unrealised(), event.at)
      case 'orders':
        return this.#applyOrders(event)
      case 'order_updates':
        for (const update of event.updates) this.#applyUpdate(update, event.at)
        return this.#reservations.reviewCancels()
      case 'fills':
        for (const fill of event.fills) this.#applyFill(fill, event.at)
        return this.#cashMoved(event.fills)
      // They move cash, which the next snapshot shows; the risk engine reads them from the event.
      case 'funding':
        return this.#cashMoved(event.payments)
      case 'ledger':
        return this.#cashMoved(event.entries)
      case 'leverage':
        return this.#setLeverage(event.coin, event.leverage, event.at)
      case 'mids':
        for (const coin of this.#prices.applyMids(event.mids, event.at)) this.#changed(coin)
        return
      case 'mark':
        this.#prices.applyMark(event.coin, event.mark)
        if (this.#prices.mid(event.coin) === null) this.#changed(event.coin)
        return
      case 'stream':
        this.#stream = event.state
    }
  }

  /** Holds items at their worst case from this tick on. */
  reserve(id: ReservationId, items: readonly Reservation[], at: Millis): void {
    this.#own.remember(items)
    this.#reservations.reserve(id, items, at)
  }

  /** What a reply said; unknown ids are those that events have settled already. */
  settle(id: ReservationId, settlement: Settlement, at: Millis): void {
    for (const { coin, leverage } of this.#reservations.settle(id, settlement, at)) {
      this.#setLeverage(coin, leverage, at)
    }
  }

  /** What a reply said of one order of an action, where the orders fared differently. */
  settleOrder(cloid: string, settlement: Settlement, at: Millis): void {
    this.#reservations.settleOrder(cloid, settlement, at)
  }

  /** A reply told the number of an order that no list has shown yet. */
  numbered(cloid: string, oid: number): void {
    this.#orders.numbered(cloid, oid)
  }

  /** What Guard knows to be its own, for the next start. */
  record(): AccountRecord {
    return this.#own.record()
  }

  /** Takes up a record of an earlier run; before the first event. */
  restoreRecord(record: AccountRecord): void {
    this.#own.restore(record)
  }

  // ------------------------------------------------------------------------------------ questions

  get markets(): Markets {
    return this.#markets
  }
  get mode(): AccountMode {
    return this.#mode
  }
  get stream(): 'live' | 'stale' | 'down' {
    return this.#stream
  }
  get equity(): Decimal | null {
    return this.#cash.equity(this.#mode, this.#positions)
  }
  get positions(): ReadonlyMap<Coin, PositionView> {
    return this.#positions.views
  }
  get openOrderCount(): number {
    return this.#orders.count
  }
  get inFlight(): number {
    return this.#reservations.count
  }

  get venueTime(): Millis | null {
    return this.#positions.time
  }
  /** When the open orders were last listed, by the stream or by a read. */
  get ordersAt(): Millis | null {
    return this.#confirmed.ordersAt
  }

  /** Since when an entry may be gone or still to come, though only a read can tell. */
  get doubtfulSince(): number | null {
    const missing = this.#orders.missingSince
    const unshown = this.#reservations.unshownSince
    return missing === null || (unshown !== null && unshown < missing) ? unshown : missing
  }

  get confirmedAt(): Millis | null {
    const others = this.#mode === 'unifiedAccount' ? [this.#cash.spotAt] : []
    return this.#confirmed.oldest(this.#stream === 'live', others)
  }

  /** Equity with the part that only fills, fees, funding and flows can change. */
  get cash(): CashView | null {
    return this.#cash.view(this.#mode, this.#positions)
  }

  /** What the venue shows and Guard's own record does not explain. */
  discrepancies(): readonly string[] {
    const found = this.#own.discrepancies(this.#positions.views)
    const parted = this.#mode === 'unifiedAccount' ? this.#balance.discrepancy : null
    return parted === null ? found : [...found, parted]
  }

  mid(coin: Coin): { readonly price: Decimal; readonly at: Millis } | null {
    return this.#prices.mid(coin)
  }
  mark(coin: Coin): Decimal | null {
    return this.#prices.mark(coin)
  }
  market(coin: Coin): Market | null {
    return this.#markets.byCoin.get(coin) ?? null
  }

  leverage(coin: Coin): { readonly leverage: Leverage; readonly at: Millis } | null {
    const known = this.#leverages.get(coin) ?? null
    const sent = this.#reservations.leverageInFlight(coin)
    if (sent === null || known === null) return sent === null ? known : null
    return sent.type === known.leverage.type && sent.value === known.leverage.value ? known : null
  }

  order(ref: OrderRef): OpenOrder | null {
    return 'oid' in ref ? this.#orders.get(ref.oid) : this.#orders.byCloid(ref.cloid)
  }
  cloidOf(oid: number): string | null {
    return this.#orders.cloidOf(oid)
  }
  isWaiting(oid: number): boolean {
    return this.#orders.isWaiting(oid)
  }
  ordersOf(coin: Coin): readonly OpenOrder[] {
    return this.#orders.coin(coin)?.orders ?? []
  }
  coinsWithOrders(): Iterable<Coin> {
    return this.#orders.coins()
  }
  restingEntries(coin: Coin): readonly RestingEntry[] {
    const resting = this.#orders.coin(coin)?.entries ?? []
    const flying = this.#exposure.inFlight(coin)
    return flying.length === 0 ? resting : [...resting, ...flying]
  }
  extremeEntries(coin: Coin): readonly RestingEntry[] {
    const resting = this.#orders.coin(coin)?.extremeEntries ?? []
    const flying = this.#exposure.inFlight(coin)
    if (flying.length === 0) return resting
    const extremes = new EntryExtremes()
    for (const entry of resting) extremes.add(entry)
    for (const entry of flying) extremes.add(entry)
    return extremes.list()
  }
  hasEntryInFlight(coin: Coin): boolean {
    return this.#exposure.inFlight(coin).length > 0
  }
  stops(coin: Coin): readonly Stop[] {
    return this.#orders.coin(coin)?.stops ?? []
  }
  stopsInFlight(coin: Coin): readonly StopInFlight[] {
    return this.#reservations.stops(coin)
  }

  closingSince(coin: Coin): Millis | null {
    return this.#reservations.closingSince(coin)
  }
  cancellingSince(oid: number): Millis | null {
    return this.#reservations.cancellingSince(oid, this.#orders.get(oid)?.cloid ?? null)
  }

  cover(coin: Coin): Cover | null {
    const position = this.#positions.views.get(coin)
    if (position === undefined) return null
    const known = this.#covers.get(coin)
    if (known !== undefined) return known
    const working = this.stops(coin).filter(
      (stop) => this.#reservations.cancellingSince(stop.oid, stop.cloid) === null,
    )
    const price = this.#priceOf(coin) ?? position.entryPrice
    const cover = coverOf(this.#late.leaves(coin, position.size), working, price)
    this.#covers.set(coin, cover)
    return cover
  }

  exposure(): Exposure {
    return this.#exposure.totals()
  }
  coinsWithoutStop(): readonly Coin[] {
    return this.#exposure.coinsWithoutStop()
  }
  coinExposure(coin: Coin, isBuy: boolean): CoinExposure {
    return this.#exposure.ofCoin(coin, isBuy)
  }

  // --------------------------------------------------------------------------------------- folding

  #priceOf(coin: Coin): Decimal | null {
    return this.#prices.mid(coin)?.price ?? this.#prices.mark(coin)
  }

  #changed(coin: Coin | null): void {
    if (coin === null) this.#covers.clear()
    else this.#covers.delete(coin)
    this.#exposure.invalidate(coin)
  }

  #applyState(event: Extract<AccountEvent, { kind: 'state' }>): void {
    if (event.source === 'stream') this.#confirmed.toldState(event.state.time, event.at)
    const touched = this.#positions.applyState(event.state, event.at)
    if (touched === null) return
    this.#confirmed.confirmState(event.at)
    this.#late.shownUntil(event.state.time)
    for (const { coin, leverage } of event.state.positions) {
      this.#leverages.set(coin, { leverage, at: event.at })
    }
    for (const coin of touched) this.#changed(coin)
    this.#own.settle(this.#positions.views)
    this.#reservations.applyState(event.state.time, this.#confirmed.takenAt(event))
    this.#balance.seenState(this.#positions.unrealised(), event.at)
  }

  #cashMoved(changes: readonly { readonly at: Millis }[]): void {
    for (const { at } of changes) this.#balance.moved(at)
  }

  #applyOrders(event: Extract<AccountEvent, { kind: 'orders' }>): void {
    const latest = this.#confirmed.takenAt(event)
    const taken = this.#orders.applySnapshot(event.orders, event.source, event.at, latest)
    this.#confirmed.confirmOrders(event.at)
    this.#reservations.applyOrders(event.source, taken)
  }

  #applyUpdate(update: OrderUpdate, at: Millis): void {
    const filled = this.#orders.applyUpdate(update, at)
    if (filled !== null && update.at > (this.#positions.time ?? 0)) {
      this.#late.announce(update, filled, this.#orders.playedOf(update.oid))
      this.#changed(update.coin)
    }
    const { cloid, oid } = update
    if (cloid === null) return
    if (filled === null) this.#reservations.applySeen(cloid)
    else this.#reservations.applyEnd({ cloid, oid }, filled, update.at)
  }

  #applyFill(fill: Fill, at: Millis): void {
    const key = `${fill.tid}:${fill.oid}`
    if (this.#tids.has(key)) return
    this.#tids.set(key, true)
    const cloid = fill.cloid ?? this.#orders.cloidOf(fill.oid)
    if (this.#positions.applyFill(fill, at)) this.#cash.applyFill(fill)
    this.#own.applyFill(fill, cloid)
    this.#orders.applyFill(fill.oid, fill.size, at)
    this.#late.play(fill)
    this.#changed(fill.coin)
    if (cloid !== null) this.#reservations.applyFill({ cloid, oid: fill.oid }, fill.size)
  }

  #setLeverage(coin: Coin, leverage: Leverage, at: Millis): void {
    this.#leverages.set(coin, { leverage, at })
    this.#positions.setLeverage(coin, leverage)
  }
}
