import type { Market } from '../../src/core/protocol/market.ts'
import type { Address } from '../../src/core/values/address.ts'
import type { Coin } from '../../src/core/values/coin.ts'
import { Decimal } from '../../src/core/values/decimal.ts'
import type { Venue } from '../sim/engine/venue.ts'
import type { OrderView, PositionView } from '../sim/engine/views.ts'

/** What the venue has of an account, and of its markets, on the main dex and on all of its builders'. */

export function everyPosition(venue: Venue, user: Address): readonly PositionView[] {
  return venue.dexNames().flatMap((dex) => venue.perpState(user, dex).positions)
}

export function everyOrder(venue: Venue, user: Address): OrderView[] {
  return venue.dexNames().flatMap((dex) => venue.openOrders(user, dex))
}

/** What the venue shows of an account at one moment: several checks look at it. */
export interface Shown {
  readonly positions: readonly PositionView[]
  readonly orders: readonly OrderView[]
}

export function shownOf(venue: Venue, user: Address): Shown {
  return { positions: everyPosition(venue, user), orders: everyOrder(venue, user) }
}

/** The open orders on perps; the venue lists those on spot pairs among the ones of the main dex. */
export function perpOrders(
  venue: Venue,
  user: Address,
  orders: readonly OrderView[] = everyOrder(venue, user),
): OrderView[] {
  return orders.filter(({ coin }) => venue.market(coin) !== null)
}

/** The perps of builder dexes. */
export function builderMarkets(venue: Venue): readonly Market[] {
  return venue.dexNames().flatMap((dex) => (dex === '' ? [] : venue.markets(dex)))
}

export function everyMarket(venue: Venue): readonly Market[] {
  return [...venue.markets(), ...builderMarkets(venue)]
}

export function midOf(venue: Venue, coin: Coin): Decimal | undefined {
  return venue.mids(dexOf(coin)).get(coin)
}

export function everyMid(venue: Venue): ReadonlyMap<Coin, Decimal> {
  const names = venue.dexNames()
  if (names.length === 1) return venue.mids()
  return new Map(names.flatMap((dex) => [...venue.mids(dex)]))
}

/** Of an account that is one pool the one balance, of a plain one what it has on each dex. */
export function equityOf(venue: Venue, user: Address): Decimal {
  if (venue.mode(user) !== 'disabled') return venue.spotState(user).usdcTotal
  return venue
    .dexNames()
    .reduce((sum, dex) => sum.plus(venue.perpState(user, dex).margin.accountValue), Decimal.zero)
}

/** The builder dex of a coin; nothing on the main one. */
export function dexOf(coin: string): string {
  const end = coin.indexOf(':')
  return end === -1 ? '' : coin.slice(0, end)
}
