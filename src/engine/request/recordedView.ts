import type {
  AccountView,
  Available,
  CoinExposure,
  CoverChange,
  CrossPool,
  Exposure,
  PositionView,
  RestingEntry,
  StopInFlight,
  StoppedEntry,
  StopsChange,
  WaitingValue,
} from '../../core/account/accountView.ts'
import type { SpotView } from '../../core/account/spotHoldings.ts'
import type { Cover, Stop } from '../../core/account/stop.ts'
import type { Json, OrderRef } from '../../core/protocol/action.ts'
import type { SpotPair } from '../../core/protocol/decodeSpotMeta.ts'
import type { Market } from '../../core/protocol/market.ts'
import type { OpenOrder } from '../../core/protocol/venueState.ts'
import type { Cloid } from '../../core/values/cloid.ts'
import type { Coin } from '../../core/values/coin.ts'
import { Decimal } from '../../core/values/decimal.ts'
import type { Millis } from '../../core/values/millis.ts'

/**
 * What a decision was made from, as it is journaled: every question the judge asked of the account
 * and the answer it got. It is bounded by what one request can ask about, and holds nothing the
 * judge did not read; `replayedView` answers the same questions from it, and no others.
 */
export type RecordedReads = { readonly [question: string]: Json }

interface RecordingView {
  readonly view: AccountView
  /** All reads so far, in the order they were first asked. */
  reads(): RecordedReads
}

/** A view that writes down what is read through it. */
export function recordReads(account: AccountView): RecordingView {
  const recorded = new Map<string, unknown>()
  const ask = <T>(question: string, answer: () => T): T => {
    if (recorded.has(question)) return recorded.get(question) as T
    const value = answer()
    recorded.set(question, value)
    return value
  }
  return {
    view: new QuestionedView(account, ask),
    reads: () => toReads(recorded),
  }
}

/** Everything that is asked of a view, named, so that an answer can be found again by its name. */
type Ask = <T>(question: string, answer: () => T) => T

/** An account view whose every read goes through `ask`. */
export class QuestionedView implements AccountView {
  private readonly account: AccountView
  private readonly ask: Ask
  readonly markets
  readonly positions
  readonly spot: SpotView

  constructor(account: AccountView, ask: Ask) {
    this.account = account
    this.ask = ask
    this.markets = {
      byAsset: new QuestionedMap('market#', ask, () => account.markets.byAsset),
      byCoin: new QuestionedMap('market:', ask, () => account.markets.byCoin),
    }
    this.positions = new QuestionedMap<Coin, PositionView>(
      'position:',
      ask,
      () => account.positions,
    )
    this.spot = new QuestionedSpot(() => account.spot, ask)
  }

  get mode(): AccountView['mode'] {
    return this.ask('mode', () => this.account.mode)
  }
  get equity(): AccountView['equity'] {
    return this.ask('equity', () => this.account.equity)
  }
  get venueTime(): AccountView['venueTime'] {
    return this.ask('venueTime', () => this.account.venueTime)
  }
  get ordersAt(): AccountView['ordersAt'] {
    return this.ask('ordersAt', () => this.account.ordersAt)
  }
  get confirmedAt(): AccountView['confirmedAt'] {
    return this.ask('confirmedAt', () => this.account.confirmedAt)
  }
  get stream(): AccountView['stream'] {
    return this.ask('stream', () => this.account.stream)
  }
  get openOrderCount(): number {
    return this.ask('openOrderCount', () => this.account.openOrderCount)
  }
  get orderCount(): number {
    return this.ask('orderCount', () => this.account.orderCount)
  }
  get inFlight(): number {
    return this.ask('inFlight', () => this.account.inFlight)
  }

  get twapCount(): number {
    return this.ask('twapCount', () => this.account.twapCount)
  }
  twapCoin(id: number): Coin | null {
    return this.ask(`twapCoin:${id}`, () => this.account.twapCoin(id))
  }
  get strangeTwaps(): readonly Coin[] {
    return this.ask('strangeTwaps', () => this.account.strangeTwaps)
  }

  mid(coin: Coin): ReturnType<AccountView['mid']> {
    return this.ask(`mid:${coin}`, () => this.account.mid(coin))
  }
  mark(coin: Coin): ReturnType<AccountView['mark']> {
    return this.ask(`mark:${coin}`, () => this.account.mark(coin))
  }
  builderMarket(coin: Coin): ReturnType<AccountView['builderMarket']> {
    return this.ask(`builderMarket:${coin}`, () => this.account.builderMarket(coin))
  }
  bookWithin(coin: Coin, lowest: Decimal, highest: Decimal): ReturnType<AccountView['bookWithin']> {
    const question = `bookWithin:${coin}:${lowest.toString()}:${highest.toString()}`
    return this.ask(question, () => this.account.bookWithin(coin, lowest, highest))
  }
  stopGap(coin: Coin): Decimal | null {
    return this.ask(`stopGap:${coin}`, () => this.account.stopGap(coin))
  }
  leverage(coin: Coin): ReturnType<AccountView['leverage']> {
    return this.ask(`leverage:${coin}`, () => this.account.leverage(coin))
  }
  order(ref: OrderRef): OpenOrder | null {
    const name = 'oid' in ref ? String(ref.oid) : ref.cloid
    return this.ask(`order:${name}`, () => this.account.order(ref))
  }
  cloidOf(oid: number): string | null {
    return this.ask(`cloidOf:${oid}`, () => this.account.cloidOf(oid))
  }
  holderOf(cloid: string): string | null {
    return this.ask(`holderOf:${cloid}`, () => this.account.holderOf(cloid))
  }
  idOf(name: string): Cloid {
    return this.ask(`idOf:${name}`, () => this.account.idOf(name))
  }
  mayBeOpen(ref: OrderRef): boolean {
    const name = 'oid' in ref ? String(ref.oid) : ref.cloid
    return this.ask(`mayBeOpen:${name}`, () => this.account.mayBeOpen(ref))
  }
  entryOf(oid: number): RestingEntry | null {
    return this.ask(`entryOf:${oid}`, () => this.account.entryOf(oid))
  }
  hasBareEntry(coin: Coin, without: readonly number[]): boolean {
    const question = `hasBareEntry:${coin}:${without.join(',')}`
    return this.ask(question, () => this.account.hasBareEntry(coin, without))
  }
  extremeEntries(coin: Coin, without: readonly number[]): readonly StoppedEntry[] {
    const question = `extremeEntries:${coin}:${without.join(',')}`
    return this.ask(question, () => this.account.extremeEntries(coin, without))
  }
  hasEntryInFlight(coin: Coin): boolean {
    return this.ask(`hasEntryInFlight:${coin}`, () => this.account.hasEntryInFlight(coin))
  }
  marginInFlight(coin: Coin): Decimal {
    return this.ask(`marginInFlight:${coin}`, () => this.account.marginInFlight(coin))
  }
  filledUntold(coin: Coin): Decimal {
    return this.ask(`filledUntold:${coin}`, () => this.account.filledUntold(coin))
  }
  parentOf(oid: number): number | null {
    return this.ask(`parentOf:${oid}`, () => this.account.parentOf(oid))
  }
  stopsInFlight(coin: Coin): readonly StopInFlight[] {
    return this.ask(`stopsInFlight:${coin}`, () => this.account.stopsInFlight(coin))
  }
  closingSince(coin: Coin): Millis | null {
    return this.ask(`closingSince:${coin}`, () => this.account.closingSince(coin))
  }
  cancellingSince(oid: number): Millis | null {
    return this.ask(`cancellingSince:${oid}`, () => this.account.cancellingSince(oid))
  }
  cover(coin: Coin): Cover | null {
    return this.ask(`cover:${coin}`, () => this.account.cover(coin))
  }
  spareRisk(coin: Coin): Decimal {
    return this.ask(`spareRisk:${coin}`, () => this.account.spareRisk(coin))
  }
  coverAfter(coin: Coin, change: StopsChange): CoverChange | null {
    const added = change.added.map(
      ({ trigger, size, isBuy }) =>
        `${isBuy ? 'buy' : 'sell'} ${size.toString()} at ${trigger.toString()}`,
    )
    const question = `coverAfter:${coin}:${change.kind}:${change.removed.join(',')}:${added.join(',')}`
    return this.ask(question, () => this.account.coverAfter(coin, change))
  }
  guardStopsBeyond(coin: Coin, trigger: Decimal): readonly Stop[] {
    const question = `guardStopsBeyond:${coin}:${trigger.toString()}`
    return this.ask(question, () => this.account.guardStopsBeyond(coin, trigger))
  }
  exposure(): Exposure {
    return this.ask('exposure', () => this.account.exposure())
  }
  coinsWithoutStop(): readonly Coin[] {
    return this.ask('coinsWithoutStop', () => this.account.coinsWithoutStop())
  }
  coinExposure(coin: Coin, isBuy: boolean): CoinExposure {
    const question = `coinExposure:${coin}:${isBuy ? 'buy' : 'sell'}`
    return this.ask(question, () => this.account.coinExposure(coin, isBuy))
  }
  waitingValues(): readonly WaitingValue[] {
    return this.ask('waitingValues', () => this.account.waitingValues())
  }
  crossPool(): CrossPool {
    return this.ask('crossPool', () => this.account.crossPool())
  }
  dexPool(dex: string): CrossPool | null {
    return this.ask(`dexPool:${dex}`, () => this.account.dexPool(dex))
  }
  available(coin: Coin): Available | null {
    return this.ask(`available:${coin}`, () => this.account.available(coin))
  }
  market(coin: Coin): Market | null {
    return this.ask(`market:${coin}`, () => this.account.market(coin))
  }
}

/** The account's tokens. */
class QuestionedSpot implements SpotView {
  private readonly source: () => SpotView
  private readonly ask: Ask

  constructor(source: () => SpotView, ask: Ask) {
    this.source = source
    this.ask = ask
  }

  get at(): Millis | null {
    return this.ask('spot.at', () => this.source().at)
  }
  get arePairsKnown(): boolean {
    return this.ask('spot.arePairsKnown', () => this.source().arePairsKnown)
  }
  pair(asset: number): SpotPair | null {
    return this.ask(`spot.pair:${asset}`, () => this.source().pair(asset))
  }
  free(token: number): Decimal {
    return this.ask(`spot.free:${token}`, () => this.source().free(token))
  }
  order(ref: OrderRef): OpenOrder | null {
    const name = 'oid' in ref ? String(ref.oid) : ref.cloid
    return this.ask(`spot.order:${name}`, () => this.source().order(ref))
  }
}

/** One entry is one question; walking through it asks for all of it. */
class QuestionedMap<Key extends string | number, Value> implements ReadonlyMap<Key, Value> {
  private readonly prefix: string
  private readonly ask: Ask
  private readonly source: () => ReadonlyMap<Key, Value>

  constructor(prefix: string, ask: Ask, source: () => ReadonlyMap<Key, Value>) {
    this.prefix = prefix
    this.ask = ask
    this.source = source
  }

  get(key: Key): Value | undefined {
    return this.ask(`${this.prefix}${key}`, () => this.source().get(key) ?? null) ?? undefined
  }
  has(key: Key): boolean {
    return this.get(key) !== undefined
  }
  get size(): number {
    return this.ask(`${this.prefix}size`, () => this.source().size)
  }
  forEach(visit: (value: Value, key: Key, map: ReadonlyMap<Key, Value>) => void): void {
    for (const [key, value] of this.all()) visit(value, key, this)
  }
  entries(): MapIterator<[Key, Value]> {
    return new Map(this.all()).entries()
  }
  keys(): MapIterator<Key> {
    return new Map(this.all()).keys()
  }
  values(): MapIterator<Value> {
    return new Map(this.all()).values()
  }
  [Symbol.iterator](): MapIterator<[Key, Value]> {
    return this.entries()
  }

  private all(): readonly (readonly [Key, Value])[] {
    return this.ask(`${this.prefix}*`, () => [...this.source().entries()])
  }
}

/** Decimals are marked, so that a replay reads back the very same kinds of values. */
function toReads(recorded: ReadonlyMap<string, unknown>): RecordedReads {
  // Without a prototype it is kept as a hash table: names that hold an order's id never come again, and
  // V8 would make a new hidden class for each of them.
  const reads = Object.create(null) as { [question: string]: Json }
  for (const [question, value] of recorded) reads[question] = marked(value)
  return reads
}

type Fields = { readonly [name: string]: unknown }

function marked(value: unknown): Json {
  if (value === null || value === undefined) return null
  if (typeof value === 'number' || typeof value === 'boolean') return value
  if (typeof value === 'string') return value
  if (value instanceof Decimal) return { $: value.toString() }
  if (Array.isArray(value)) return value.map(marked)
  const fields: { [name: string]: Json } = {}
  for (const name of Object.keys(value)) fields[name] = marked((value as Fields)[name])
  return fields
}
