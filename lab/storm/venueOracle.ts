import type { Address } from '../../src/core/values/address.ts'
import { Decimal } from '../../src/core/values/decimal.ts'
import type { Guard } from '../../src/engine/guard.ts'
import { guardCloidKind } from '../../src/core/protocol/guardCloid.ts'
import type { Venue } from '../sim/engine/venue.ts'
import type { OrderView } from '../sim/engine/views.ts'
import { checkPools } from './crossPools.ts'
import { coveredAt, isCovered, isStopFor, workingStops } from './stopCover.ts'
import { Violation } from './violation.ts'
import { dexOf, equityOf, everyOrder, everyPosition, perpOrders, shownOf } from './wholeAccount.ts'
import type { Shown } from './wholeAccount.ts'

/**
 * Coins whose position no market stop covers in full, as the venue itself has it: with all that TWAPs
 * which went through Guard are still to add to it. Those all have an end; what is made by hand has none.
 */
export function uncoveredCoins(
  venue: Venue,
  user: Address,
  { positions, orders }: Shown = shownOf(venue, user),
): readonly string[] {
  return positions
    .map(({ coin, size }) => ({ coin, size: size.plus(stillToCome(venue, user, coin, size)) }))
    .filter((each) => !isCovered(workingStops(orders, each), each))
    .map(({ coin }) => coin)
}

/** What TWAPs that have begun and went through Guard are still to add to a position, with its sign. */
export function stillToCome(venue: Venue, user: Address, coin: string, size: Decimal): Decimal {
  const left = venue
    .twaps(user)
    .filter(
      (twap) =>
        twap.coin === coin &&
        twap.isBuy === size.isPositive() &&
        !twap.isReduceOnly &&
        twap.stopPrice !== null &&
        twap.executedSize.isPositive(),
    )
    .reduce((sum, twap) => sum.plus(twap.size.minus(twap.executedSize)), Decimal.zero)
  return size.isPositive() ? left : left.negated()
}

/** Orders that could still open a position: none of those on a spot pair can. */
function openingOrders(venue: Venue, user: Address): readonly OrderView[] {
  return perpOrders(venue, user).filter(({ isReduceOnly }) => !isReduceOnly)
}

/** Positions, and orders and TWAPs that could open one: the coin of each, and what it is. */
function stillOpen(venue: Venue, user: Address): readonly { coin: string; what: string }[] {
  const slicing = venue.twaps(user).filter(({ isReduceOnly }) => !isReduceOnly)
  return [
    ...everyPosition(venue, user).map(({ coin, size }) => ({ coin, what: size.toString() })),
    ...openingOrders(venue, user).map(({ coin, oid }) => ({ coin, what: `order ${oid}` })),
    ...slicing.map(({ coin, twapId }) => ({ coin, what: `TWAP ${twapId}` })),
  ]
}

/** The coins on which something is still open, each once. */
export function openCoins(venue: Venue, user: Address): readonly string[] {
  return [...new Set(stillOpen(venue, user).map(({ coin }) => coin))]
}

/** No position, and no order or TWAP that could open one. */
export function checkFlat(venue: Venue, user: Address, why: string): void {
  const open = stillOpen(venue, user)
  if (open.length === 0) return
  const list = open.map(({ coin, what }) => `${coin} ${what}`)
  const isOnDex = open.every(({ coin }) => dexOf(coin) !== '')
  const rule = isOnDex ? 'dex_flat' : 'flat_in_the_end'
  throw new Violation(rule, `${why}, and the venue still shows ${list.join(', ')}`)
}

/** What is for a sub-account never reaches its owner's account. */
export function checkUntouched(venue: Venue, owner: Address): void {
  const { positions } = venue.perpState(owner)
  const orders = venue.historicalOrders(owner)
  if (positions.length === 0 && orders.length === 0) return
  throw new Violation('own_account', `${orders.length} orders went to the owner's account`)
}

/**
 * At rest no stop of Guard's own is left that its position does not need. One that the mark has gone
 * beyond has fired: where a price jumps over its limit, by one reading of the venue it rests there as
 * the order that closes the position, and which of several does so nobody can tell. Guard leaves them
 * as they are until the position is gone.
 */
export function checkNoIdleStops(venue: Venue, user: Address): void {
  const open = everyOrder(venue, user)
  const waiting = new Set(open.flatMap(({ children }) => children.map(({ oid }) => oid)))
  const sizes = new Map<string, Decimal>(
    everyPosition(venue, user).map(({ coin, size }) => [coin, size]),
  )
  for (const order of open) {
    if (guardCloidKind(order.cloid) !== 'stop' || waiting.has(order.oid)) continue
    const { coin, trigger } = order
    const size = sizes.get(coin) ?? Decimal.zero
    // A looser stop does not make a tighter one idle: it would cost more.
    const others = workingStops(open, { coin, size }).filter((each) => each.order !== order)
    const covered = coveredAt(others, trigger?.price ?? Decimal.zero, size.isPositive())
    const isNeeded = covered.lt(size.abs()) || hasFired(venue, order)
    if (isStopFor(order, size) && isNeeded) continue
    throw new Violation('idle_stop', `${coin}: Guard's stop ${order.oid} protects nothing`)
  }
}

/** Whether the mark lies beyond a stop's trigger: it does not wait for it any more. */
function hasFired(venue: Venue, { coin, isBuy, trigger }: OrderView): boolean {
  const mark = venue.contexts(dexOf(coin)).find((each) => each.coin === coin)?.markPrice
  if (mark === undefined || trigger === null) return false
  return isBuy ? mark.gt(trigger.price) : mark.lt(trigger.price)
}

/** What happened at the venue without anybody's doing, for the table of what was met. */
export function venueHappenings(venue: Venue, user: Address): readonly string[] {
  const fills = venue.fills(user)
  const found: string[] = []
  if (fills.some(({ liquidation }) => liquidation !== null)) found.push('liquidation')
  if (venue.fundings(user).length > 0) found.push('funding_paid')
  const rows = venue.historicalOrders(user)
  const isPartial = rows.some(
    ({ order }) => order.size.isPositive() && order.size.lt(order.originalSize),
  )
  if (isPartial) found.push('partial_fill')
  const cancelled = new Set(
    rows.filter(({ status }) => status === 'canceled').map(({ order }) => order.oid),
  )
  if (fills.some(({ oid }) => cancelled.has(oid))) found.push('fill_of_a_cancelled_order')
  return found
}

/** In a world at rest Guard's account is the venue's, to the last digit. */
export function checkSameAccount(venue: Venue, user: Address, guard: Guard): void {
  const status = guard.status()
  const equity = equityOf(venue, user)
  const shown = status.risk.equity
  // Of an account without a mode nobody knows whose money is behind it: nothing is sized in it.
  const isSized = venue.abstraction(user) !== null
  if (isSized ? shown === null || !Decimal.of(shown).eq(equity) : shown !== null) {
    throw new Violation('equity', `Guard has ${String(shown)}, the venue ${equity.toString()}`)
  }
  const ours = status.positions
    .map(({ coin, side, size }) => `${coin} ${side === 'short' ? '-' : ''}${size}`)
    .sort()
  const theirs = everyPosition(venue, user)
    .map(({ coin, size }) => `${coin} ${size.toString()}`)
    .sort()
  if (ours.join() !== theirs.join()) {
    throw new Violation('positions', `Guard has [${ours.join()}], the venue [${theirs.join()}]`)
  }
  const count = everyOrder(venue, user).length
  if (status.open_orders !== count) {
    throw new Violation('orders', `Guard has ${status.open_orders}, the venue ${count}`)
  }
  if (isSized) checkPools(venue, user, status)
  if (status.in_flight !== 0) {
    throw new Violation('in_flight', `${status.in_flight} are in flight in a world at rest`)
  }
}
