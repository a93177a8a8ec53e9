import type { PositionView, StopInFlight, WatchedAccount } from '../account/accountView.ts'
import { stopOf } from '../account/orderLife.ts'
import type { StopRow } from '../account/stopRow.ts'
import { Decimal } from '../values/decimal.ts'
import type { Millis } from '../values/millis.ts'
import { wholeCover } from './wholeCover.ts'

interface Watched {
  readonly account: WatchedAccount
  readonly now: Millis
}

/** The stops on their way for a position: Guard's own, and of the others also those that will cover it. */
interface Flying {
  readonly own: StopRow
  readonly others: readonly StopInFlight[]
  readonly coming: readonly StopInFlight[]
}

export function stopsOnTheirWay({ account, now }: Watched, { coin, size }: PositionView): Flying {
  const isLong = size.isPositive()
  const others = account.otherStopsInFlight(coin).filter(({ isBuy }) => isBuy !== isLong)
  const coming = others.filter((stop) => willCover(stop, size, now))
  return { own: account.ownStopsInFlight(coin, isLong), others, coming }
}

/**
 * Whether stops that are being cancelled give way to others, which are for all of the position or for all
 * that the rest lack: the old ones protect until the venue says they are gone.
 */
export function giveWay(
  { own, others }: Flying,
  account: WatchedAccount,
  position: PositionView,
): boolean {
  const { coin, size } = position
  const held = size.abs()
  const isWhole = own.guardsOver(held) !== null || others.some((stop) => stop.size.gte(held))
  if (!isWhole && others.length === 0) return false
  if (!isStoppedStill(account, position)) return false
  if (isWhole) return true
  const alone = others.filter(({ parent }) => parent === null)
  const coming = alone.reduce((sum, stop) => sum.plus(stop.size), Decimal.zero)
  const { uncovered } = wholeCover(account, coin, size)
  return uncovered.isPositive() && coming.gte(uncovered)
}

/** Whether what is on its way covers what is not covered yet. */
export function isOnItsWay(
  { own, coming }: Flying,
  { account }: Watched,
  { coin, size }: PositionView,
): boolean {
  if (coming.length === 0 && !own.hasGuards) return false
  const { uncovered } = wholeCover(account, coin, size)
  const ofGuard = own.all.surplusOver(Decimal.zero)
  return coming.reduce((total, stop) => total.plus(stop.size), ofGuard).gte(uncovered)
}

/**
 * A stop on its way that will do: Guard's, the bot's once the venue took it, or that of an entry
 * which left so shortly ago that the position may be its fill. One that has not left, or that nobody
 * has shown since, may belong to another order than the one that filled.
 */
function willCover(stop: StopInFlight, held: Decimal, now: Millis): boolean {
  const { owner, parent, leftSince, isAccepted, size } = stop
  if (parent !== null && isAccepted && stop.isParentFilled) return true
  if (parent !== null) return leftSince !== null && now - leftSince < entryShownMs
  return owner === 'guard' || (isAccepted && size.gte(held.abs()))
}

/** Whether the stops that the venue shows still cover it all, those being cancelled included. */
function isStoppedStill(account: WatchedAccount, { coin, size }: PositionView): boolean {
  let sum = Decimal.zero
  for (const order of account.ordersOf(coin)) {
    const stop = account.parentOf(order.oid) === null ? stopOf(order) : null
    if (stop !== null && stop.isBuy !== size.isPositive()) sum = sum.plus(stop.size)
  }
  return sum.gte(size.abs())
}

/** So long after an entry was decided on, its stop is shown if it is filled. */
const entryShownMs = 2_000
