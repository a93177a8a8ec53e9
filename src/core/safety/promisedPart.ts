import type { PositionView, WatchedAccount } from '../account/accountView.ts'
import type { Covered } from '../account/coveringStops.ts'
import type { StopPromise } from '../account/stopPromise.ts'
import type { Market } from '../protocol/market.ts'
import { Decimal } from '../values/decimal.ts'
import { sizeOfMinimum } from '../venueLimits/minimumValue.ts'

/** How much of a position, in units of its coin, was promised a stop at least as tight as this one. */
export function promisedAt(promise: StopPromise, isLong: boolean, trigger: Decimal): Decimal {
  const isAsTight = (at: Decimal): boolean => (isLong ? at.gte(trigger) : at.lte(trigger))
  return promise.stops
    .filter((stop) => isAsTight(stop.trigger))
    .reduce((sum, { size }) => sum.plus(size), Decimal.zero)
}

/** How much of a position, in units, the stops that rest cover at this trigger or a tighter one. */
export function coveredAt(
  account: Pick<WatchedAccount, 'covered' | 'stopRow'>,
  { coin, size }: PositionView,
  trigger: Decimal,
): Decimal {
  const row = account.stopRow(coin, size.isPositive()).all
  // A position that is looked at has a size to cover.
  return row.coveredBy(trigger, account.covered(coin) as Covered)
}

interface Parted {
  /** The signed size of the position, with all that TWAPs are still to add to it. */
  readonly whole: Decimal
  /** How much of it nothing covers, what TWAPs are still to add counted. */
  readonly uncovered: Decimal
  /** How much of what is held nothing covers. */
  readonly bare: Decimal
  /** How much of it stops that are at least as tight as the recorded one cover already. */
  readonly there: Decimal
  readonly promise: StopPromise | undefined
  /** The trigger that is recorded for the stop; null where none is. */
  readonly recorded: Decimal | null
}

/**
 * The signed size of a stop, or of the close in its place. Where looser stops cover all the rest it is only
 * what was promised the recorded one and lacks it, so that a small tight stop is never that of a whole
 * position; and no less than the venue takes.
 */
export function sizeToStop(
  market: Market,
  { whole, uncovered, bare, there, promise, recorded }: Parted,
): Decimal {
  if (promise === undefined || recorded === null) return whole
  const isLong = whole.isPositive()
  const promised = promisedAt(promise, isLong, recorded)
  const missing = promised.minus(there)
  const all = promise.stops.reduce((sum, { size }) => sum.plus(size), Decimal.zero)
  const isAll = promise.rest.isZero() && promised.gte(all)
  if (promised.isZero() || isAll || missing.lt(bare)) return whole
  const part = Decimal.max(missing, uncovered, sizeOfMinimum(market, recorded))
  if (part.gte(whole.abs())) return whole
  return whole.isNegative() ? part.negated() : part
}
