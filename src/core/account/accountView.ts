import type { Market, Markets } from '../protocol/market.ts'
import type { AccountMode, Leverage, OpenOrder } from '../protocol/venueState.ts'
import type { OrderRef } from '../protocol/action.ts'
import type { Cloid } from '../values/cloid.ts'
import type { Coin } from '../values/coin.ts'
import type { Decimal } from '../values/decimal.ts'
import type { Millis } from '../values/millis.ts'
import type { BookDepth, BuilderMarketView } from './builderMarkets.ts'
import type { StopChooser, TwapExposure } from './reservation.ts'
import type { SpotView } from './spotHoldings.ts'
import type { StopPromise } from './stopPromise.ts'
import type { Covered, Lent } from './coveringStops.ts'
import type { StopRow } from './stopRow.ts'
import type { Stop, Cover } from './stop.ts'

/**
 * What judge and safety read of the account. Every question costs the same with one open order and
 * with a thousand: aggregates are kept per coin as events come, never by scanning orders.
 */
export interface AccountView {
  readonly markets: Markets
  readonly mode: AccountMode
  /** By account mode (venue reference, section 13); null until the account was seen. */
  readonly equity: Decimal | null
  /** The venue's own time of the last positions snapshot. */
  readonly venueTime: Millis | null
  /** When the open orders were last listed, by the stream or by a read. */
  readonly ordersAt: Millis | null
  /** When the account's state (positions, equity and orders) was last confirmed, the oldest of them. */
  readonly confirmedAt: Millis | null
  /** The stream is live, stale or down; an open and silent socket is down. */
  readonly stream: 'live' | 'stale' | 'down'

  mid(coin: Coin): { readonly price: Decimal; readonly at: Millis } | null
  mark(coin: Coin): Decimal | null
  /** What was last told of a perp of a builder dex; null for others, and before anything was told. */
  builderMarket(coin: Coin): BuilderMarketView | null
  /**
   * What its book shows from the lowest bid to the highest ask asked for, without the account's own
   * orders; null where none was read.
   */
  bookWithin(coin: Coin, lowest: Decimal, highest: Decimal): BookDepth | null
  /**
   * How far beyond the worst fill of its stop a trade on a builder dex may end, as a share of the
   * price: its risk is counted to there. Null on the main dex, where it is counted to the stop.
   */
  stopGap(coin: Coin): Decimal | null

  /** Confirmed positions, without reservations. */
  readonly positions: ReadonlyMap<Coin, PositionView>
  /** The coin's leverage setting, position or not, and when it was seen; null when unknown. */
  leverage(coin: Coin): { readonly leverage: Leverage; readonly at: Millis } | null

  order(ref: OrderRef): OpenOrder | null
  /** The client order id of an order the venue has told of, in an answer or since; also after its end. */
  cloidOf(oid: number): string | null
  /** How the order is called that has a client order id now, on its way or open; null when none has. */
  holderOf(cloid: string): string | null
  /**
   * The id at the venue of the order that a bot calls by its own client order id: that very one, or
   * one of Guard's where it took the place of another. All questions here take either.
   */
  idOf(name: string): Cloid
  /**
   * Whether an order may be open at the venue: it is shown, an answer told its number, or it may be
   * one of those on their way. False for one whose end was told, and for one that nobody has shown.
   */
  mayBeOpen(ref: OrderRef): boolean
  /** Orders that the venue shows open. */
  readonly openOrderCount: number
  /** Places for open orders that are taken: by those that are open, and by all in flight. */
  readonly orderCount: number
  /** An open order as the entry it is; null when it is none. */
  entryOf(oid: number): RestingEntry | null
  /** Whether the coin has an entry resting without its stop, those of `without` left out. */
  hasBareEntry(coin: Coin, without: readonly number[]): boolean
  /**
   * The entries of a coin, resting and in flight, between whose stops (as a share of the price) all
   * others lie, those of `without` left out: at most four, and they decide what leverage all bear.
   */
  extremeEntries(coin: Coin, without: readonly number[]): readonly StoppedEntry[]
  /** Whether an entry on the coin is on its way. */
  hasEntryInFlight(coin: Coin): boolean
  /**
   * What the venue says was filled on the coin, by its answers too, and the position does not show yet;
   * negative when sold. Where a state came before its fills they count twice.
   */
  filledUntold(coin: Coin): Decimal

  /** USD of isolated margin on its way to the coin's position. */
  marginInFlight(coin: Coin): Decimal
  /** The entry that an order waits for: listed by the venue, and not working yet; null when it works. */
  parentOf(oid: number): number | null
  /** Stops on their way to the venue that it has not shown yet: never a reason to send another. */
  stopsInFlight(coin: Coin): readonly StopInFlight[]
  /** Since when a close by Guard is in flight on the coin; null when none is. */
  closingSince(coin: Coin): Millis | null
  /** Since when a cancel of the order is in flight; null when none is. */
  cancellingSince(oid: number): Millis | null

  /**
   * What covers the position on this coin; null when there is no position. A stop whose cancel is in
   * flight does not cover, nor one that is on its way, that waits, or that lies beyond the price at
   * which the venue liquidates.
   */
  cover(coin: Coin): Cover | null
  /**
   * USD that the position risks more once entries have taken every stop beyond its size; zero where
   * there is neither a position nor such a stop.
   */
  spareRisk(coin: Coin): Decimal
  /** What would cover it without some of its orders and with others; null when there is no position. */
  coverAfter(coin: Coin, change: StopsChange): CoverChange | null
  /**
   * Guard's own stops that are looser than a trigger, the loosest first; as many as give way at once.
   * None while a TWAP fills that they are to stop, too.
   */
  guardStopsBeyond(coin: Coin, trigger: Decimal): readonly Stop[]

  /** Totals, everything in flight included at its worst case. */
  exposure(): Exposure
  /** The coins of its `uncoveredOrders`, without the sums. */
  coinsWithoutStop(): readonly Coin[]
  /** One coin's, for the side of an entry asked for. */
  coinExposure(coin: Coin, isBuy: boolean): CoinExposure
  /** What the entries that wait for a trigger are worth by coin, in USD; coins without any left out. */
  waitingValues(): readonly WaitingValue[]
  readonly inFlight: number
  /** TWAPs that run, wait or are on their way, those made elsewhere among them. */
  readonly twapCount: number
  /** The coin of a TWAP that is known; null where none of that number is. */
  twapCoin(id: number): Coin | null
  /** Coins on which a TWAP that was made elsewhere may open a position. */
  readonly strangeTwaps: readonly Coin[]
  /**
   * What entries on cross margin lean on, and what coins ask of it: the main dex's collateral, since
   * nothing opens on cross margin on a builder dex, or all of an account that is one balance.
   */
  crossPool(): CrossPool
  /**
   * What a dex, the main one called by an empty name, has to take margin from; null where that is all
   * that the account has.
   */
  dexPool(dex: string): CrossPool | null
  /** What the venue said can be put into new orders on the coin, and when; null when it has not. */
  available(coin: Coin): Available | null

  market(coin: Coin): Market | null
  /** What the account holds of each token on the spot market. */
  readonly spot: SpotView
}

/** What protection and flattening read beside: lists, which cost what they are long. */
export interface WatchedAccount extends AccountView {
  readonly twaps: WatchedTwaps
  /** When the mark was last told; null before that. */
  markAt(coin: Coin): Millis | null
  /** The oracle price as it was last told; null before that. */
  oracle(coin: Coin): Decimal | null
  /** Entries of a coin, resting or in flight, with the stop each of them carries. */
  restingEntries(coin: Coin): readonly RestingEntry[]
  /** Whether an entry of the coin has not been listed with its children yet. */
  hasUnconfirmedEntry(coin: Coin): boolean
  /** Whether entries of an earlier run whose stop Guard keeps may have filled, and no fills were told yet. */
  readonly mayHaveFired: boolean
  /** All orders of a coin that the venue shows open. */
  ordersOf(coin: Coin): readonly OpenOrder[]
  coinsWithOrders(): Iterable<Coin>
  /** Entries that the venue took by its answer, and that it has not shown yet: they may rest there. */
  takenUnseen(): Iterable<TakenEntry>
  /** The stops that work for a long or for a short position. */
  stopRow(coin: Coin, isLong: boolean): StopRow
  /** Guard's own on their way for a long or for a short position, each sent alone. */
  ownStopsInFlight(coin: Coin, isLong: boolean): StopRow
  /** The other stops on their way: bots', and those that go with an entry. */
  otherStopsInFlight(coin: Coin): readonly StopInFlight[]
  /** Guard's own that the venue shows open, and that were decided on for a position that has ended since. */
  outlivedStops(coin: Coin): readonly number[]
  /** How much of them may cover something else than the position that is shown. */
  lentStops(coin: Coin, isLong: boolean): Lent
  /** The position as its stops see it; null when there is none. */
  covered(coin: Coin): Covered | null
  /** What was promised for the position; null when there is none. */
  promise(coin: Coin): StopPromise | null
  /** The tightest stop that has covered all of a position of this size; null when unknown. */
  recordedStop(coin: Coin): Decimal | null
}

export interface WatchedTwaps {
  /** All of them: Guard's own, those on their way among them, and those made elsewhere. */
  views(): readonly TwapView[]
  /** How much of a coin's TWAPs of one side is still to come, of those that have begun to fill. */
  leftOf(coin: Coin, isBuy: boolean): Decimal
}

/** A TWAP as far as anybody has told of it. */
export interface TwapView {
  /** Null until the venue has told its number. */
  readonly id: number | null
  readonly coin: Coin
  readonly isBuy: boolean
  readonly size: Decimal
  readonly executed: Decimal
  readonly minutes: number
  readonly hasStarted: boolean
  /** It can only reduce, and there is nothing to reduce. */
  readonly isIdle: boolean
  /** It is over, and only its last slices may be untold. */
  readonly isOver: boolean
  /** It is not reduce-only. */
  readonly mayOpen: boolean
  /** What it was judged with; null where it only reduces, or was made elsewhere. */
  readonly judged: TwapExposure | null
  readonly owner: 'bot' | 'elsewhere'
}

/** Stops that go and stops that come. */
export interface StopsChange {
  /** The orders that go; one that is no stop at work covers nothing. */
  readonly removed: readonly number[]
  readonly added: readonly Stop[]
  /** A cancel has to leave what was promised; a modify all that is covered now. */
  readonly kind: 'cancel' | 'modify'
}

/** What a change of the stops of a position comes to: the first of these that holds of it. */
export type CoverChange =
  /** More than before would be without a stop: so much. */
  | { readonly kind: 'bared'; readonly size: Decimal }
  /** Less would be covered at a trigger or a tighter one than has to be. */
  | { readonly kind: 'weakened'; readonly at: Decimal }
  | {
      readonly kind: 'kept'
      /** USD that the position risks more: by the stops alone or as it is counted, whichever rises more. */
      readonly raised: Decimal
      /** The same as it is counted: with what is lent to entries. */
      readonly counted: Decimal
    }

export interface PositionView {
  readonly coin: Coin
  /** Signed: positive is long. */
  readonly size: Decimal
  readonly entryPrice: Decimal
  readonly unrealisedPnl: Decimal
  readonly leverage: Leverage
  readonly liquidationPrice: Decimal | null
  /** When this position first appeared or last changed size. */
  readonly since: Millis
}

export interface StopInFlight {
  readonly cloid: string
  readonly owner: 'bot' | 'guard'
  /** The id of the entry it was sent with, and works once that is filled; null when sent alone. */
  readonly parent: string | null
  /** The venue took that entry, which cannot rest: what was to fill of it has filled. */
  readonly isParentFilled: boolean
  /** When it was decided on; null while its action has not left for the venue. */
  readonly leftSince: Millis | null
  /** The venue's reply took it; only the stream has not shown it yet. */
  readonly isAccepted: boolean
  /** Its own side: a sell stop protects a long position. */
  readonly isBuy: boolean
  readonly trigger: Decimal
  readonly size: Decimal
}

export interface RestingEntry {
  readonly coin: Coin
  readonly isBuy: boolean
  readonly price: Decimal
  readonly size: Decimal
  /** The market stop among its children; null when it has none. */
  readonly stop: Decimal | null
  readonly oid: number | null
  readonly cloid: string | null
  /** The venue listed it with its children; until then `stop` is what Guard sent with it. */
  readonly isConfirmed: boolean
  /** Set where it waits for a trigger price, and its stop stands in Guard's record alone. */
  readonly watched?: WatchedEntry
}

/** What is known of an entry that Guard watches. */
export interface WatchedEntry {
  readonly stopBy: StopChooser
  /** USD that a unit of it counts as, at least. */
  readonly worth: Decimal
  /** It has not fired, as far as anybody has told: the venue holds no margin for it. */
  readonly hasNotFired: boolean
  /** Its stop is in Guard's record alone: filled while Guard is away, it has none. */
  readonly needsGuard: boolean
}

/** An entry that the venue has numbered in its answer. */
export interface TakenEntry {
  readonly coin: Coin
  readonly oid: number
}

/** An entry that carries a stop. */
export type StoppedEntry = RestingEntry & { readonly stop: Decimal }

export interface Exposure {
  /** USD lost at the stops, without costs: positions, resting entries and everything in flight. */
  readonly openRisk: Decimal
  /** USD value of positions at the mid, and of entries at the higher of their limit and the mid. */
  readonly openValue: Decimal
  /** Coins whose position is not covered in full by confirmed stops. */
  readonly uncoveredPositions: readonly Coin[]
  /** Coins with an entry resting without its stop. */
  readonly uncoveredOrders: readonly Coin[]
}

/** One coin's part in the collateral that all share, in USD: at its worst, with all in flight. */
export interface PoolRow {
  readonly coin: Coin
  /** Whether the coin's position or entries are, or may be, on cross margin. */
  readonly isCross: boolean
  /** The leverage it is set to on cross margin, the lowest that it may be; 1 where nobody knows. */
  readonly crossLeverage: number
  /** The isolated leverage at which its entries take margin when they fill; null where none does. */
  readonly isolatedLeverage: number | null
  /** The position at the mid, and entries of both sides at the higher of their limit and the mid. */
  readonly value: Decimal
  /** Of that, the entries. */
  readonly entryValue: Decimal
  /** Of the entries, those on their way, at their limits. */
  readonly inFlightValue: Decimal
  /** What is lost, of all of it, when every stop fills at its worst. */
  readonly loss: Decimal
  /** Of that, what shorts lose: by so much they are worth more at the end. */
  readonly shortLoss: Decimal
}

export interface CrossPool {
  /** The dex whose collateral it is, empty for the main one; null where all of the account is one. */
  readonly dex: string | null
  /** What stands behind the cross positions, in USD; null where it is not known. */
  readonly collateral: Decimal | null
  /** On a unified account, what of the balance nothing holds; null elsewhere. */
  readonly unheld: Decimal | null
  readonly rows: readonly PoolRow[]
}

/** USD of margin that the venue has left for orders of either side. */
export interface Available {
  readonly buy: Decimal
  readonly sell: Decimal
  readonly at: Millis
}

/** USD of a coin's entries that wait for a trigger, at the highest of limit, trigger and price. */
export interface WaitingValue {
  readonly coin: Coin
  readonly value: Decimal
}

export interface CoinExposure {
  /** Value held plus resting plus in flight on the side asked for, in USD. */
  readonly sideValue: Decimal
  /** The same in units of the coin, whatever each of them costs. */
  readonly sideSize: Decimal
}
