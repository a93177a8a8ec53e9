import type { Market, Markets } from '../protocol/market.ts'
import type { AccountMode, Leverage, OpenOrder } from '../protocol/venueState.ts'
import type { OrderRef } from '../protocol/action.ts'
import type { Coin } from '../values/coin.ts'
import type { Decimal } from '../values/decimal.ts'
import type { Millis } from '../values/millis.ts'

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
  /** When the account's state (positions, equity and orders) was last confirmed, the oldest of them. */
  readonly confirmedAt: Millis | null
  /** The stream is live, stale or down; an open and silent socket is down. */
  readonly stream: 'live' | 'stale' | 'down'

  mid(coin: Coin): { readonly price: Decimal; readonly at: Millis } | null
  mark(coin: Coin): Decimal | null

  /** Confirmed positions, without reservations. */
  readonly positions: ReadonlyMap<Coin, PositionView>
  /** The coin's leverage setting, position or not, and when it was seen; null when unknown. */
  leverage(coin: Coin): { readonly leverage: Leverage; readonly at: Millis } | null

  order(ref: OrderRef): OpenOrder | null
  /** The client order id of an order the venue has told of, in an answer or since; also after its end. */
  cloidOf(oid: number): string | null
  readonly openOrderCount: number
  /** Entries resting on a coin, confirmed or in flight, with the stop each of them carries. */
  restingEntries(coin: Coin): readonly RestingEntry[]
  /** The few of them between whose stops, as a share of the price, all others lie; see EntryExtremes. */
  extremeEntries(coin: Coin): readonly RestingEntry[]
  /** Whether an entry on the coin is on its way. */
  hasEntryInFlight(coin: Coin): boolean
  /** All confirmed orders on a coin. */
  ordersOf(coin: Coin): readonly OpenOrder[]
  coinsWithOrders(): Iterable<Coin>

  /** An order that waits for its parent's fill: listed by the venue, and not working yet. */
  isWaiting(oid: number): boolean
  /** Every confirmed, working market stop on the coin, for either side, cancels in flight included. */
  stops(coin: Coin): readonly Stop[]
  /** Stops on their way to the venue that it has not shown yet: never a reason to send another. */
  stopsInFlight(coin: Coin): readonly StopInFlight[]
  /** Since when a close by Guard is in flight on the coin; null when none is. */
  closingSince(coin: Coin): Millis | null
  /** Since when a cancel of the order is in flight; null when none is. */
  cancellingSince(oid: number): Millis | null

  /**
   * Which stops cover the position on this coin; null when there is no position. A stop whose cancel
   * is in flight does not cover, and neither does one that is still on its way.
   */
  cover(coin: Coin): Cover | null

  /** Totals, reservations at their worst case included. */
  exposure(): Exposure
  /** The coins of its `uncoveredOrders`, without the sums. */
  coinsWithoutStop(): readonly Coin[]
  /** One coin's, for the side of an entry asked for. */
  coinExposure(coin: Coin, isBuy: boolean): CoinExposure
  readonly inFlight: number

  market(coin: Coin): Market | null
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
  /** The venue's reply took it; only the stream has not shown it yet. */
  readonly isAccepted: boolean
  /** Its own side: a sell stop protects a long position. */
  readonly isBuy: boolean
  readonly trigger: Decimal
  readonly size: Decimal
}

export interface Stop {
  /** The stop's own side: a sell stop protects a long position. */
  readonly isBuy: boolean
  readonly oid: number
  readonly cloid: string | null
  readonly trigger: Decimal
  readonly size: Decimal
  readonly owner: 'bot' | 'guard'
  readonly isPositionTpsl: boolean
  /** When the venue took it, by the venue's clock. */
  readonly placedAt: Millis
}

/** Partial stops add up, tightest first; position TP/SL covers the rest; a stop-limit never covers. */
export interface Cover {
  readonly isFull: boolean
  /** The stops that cover, tightest first, each with the size it covers. */
  readonly stops: readonly { readonly stop: Stop; readonly covers: Decimal }[]
  readonly uncovered: Decimal
  /** The loosest covering trigger; null when nothing covers. */
  readonly loosest: Decimal | null
  /** Sum of size x |mid - trigger| over what is covered; a stop beyond the mid counts as zero. */
  readonly risk: Decimal
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
}

export interface Exposure {
  /** USD lost at the stops, without costs: positions, resting entries and everything in flight. */
  readonly openRisk: Decimal
  /**
   * USD value of positions at the mid, of resting entries at their limit, and of entries in flight
   * at the higher of the two: they count as resting and as filled, whichever is worse.
   */
  readonly openValue: Decimal
  /** Coins whose position is not covered in full by confirmed stops. */
  readonly uncoveredPositions: readonly Coin[]
  /** Coins with an entry resting without its stop. */
  readonly uncoveredOrders: readonly Coin[]
}

export interface CoinExposure {
  /** Value held plus resting plus in flight on the side asked for, in USD. */
  readonly sideValue: Decimal
}
