import type { PositionView, WatchedAccount } from '../account/accountView.ts'
import type { Covered } from '../account/coveringStops.ts'
import type { Cover } from '../account/stop.ts'
import type { Coin } from '../values/coin.ts'
import type { Decimal } from '../values/decimal.ts'

/** The signed size that a stop must be for: with all that TWAPs of its side are still to add. */
export function wholeSize({ twaps }: WatchedAccount, { coin, size }: PositionView): Decimal {
  const isLong = size.isPositive()
  const left = twaps.leftOf(coin, isLong)
  return isLong ? size.plus(left) : size.minus(left)
}

/** What covers a position together with all that TWAPs of its side are still to add to it. */
export function wholeCover(account: WatchedAccount, coin: Coin, size: Decimal): Cover {
  const isLong = size.isPositive()
  const left = account.twaps.leftOf(coin, isLong)
  // A position that is looked at has a cover, full or not.
  if (left.isZero()) return account.cover(coin) as Cover
  const covered = account.covered(coin) as Covered
  return account.stopRow(coin, isLong).cover({ ...covered, size: covered.size.plus(left) })
}
