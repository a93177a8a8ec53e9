import type { PositionView, StopInFlight, WatchedAccount } from '../account/accountView.ts'
import { brokenAt } from '../account/stopPromise.ts'
import type { StopPromise } from '../account/stopPromise.ts'
import type { StopRow } from '../account/stopRow.ts'
import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import type { Millis } from '../values/millis.ts'
import { promisedAt } from './promisedPart.ts'

interface Recorded {
  readonly account: Pick<WatchedAccount, 'covered' | 'stopRow'>
  readonly now: Millis
  /** The tightest stop that has covered all of a coin's position, of the size it has. */
  readonly recordedStops: ReadonlyMap<Coin, Decimal>
  readonly promises: ReadonlyMap<Coin, StopPromise>
}

/** The stops on their way that will cover something: Guard's own, and others. */
interface Coming {
  readonly own: StopRow
  readonly coming: readonly StopInFlight[]
}

/**
 * The trigger for the stop of a position that is not covered in full; null when nothing is recorded.
 * It is the tighter of two: the stop promised for the part that lacks it, and the stop that has covered
 * a position of this size before. A small tight stop that is there, or on its way, keeps its promise for
 * its own size, and does not make the stop of all the rest as tight.
 */
export function recordedStop(
  recorded: Recorded,
  { coin, size }: PositionView,
  flying: Coming,
): Decimal | null {
  const isLong = size.isPositive()
  const covered = recorded.recordedStops.get(coin) ?? null
  const owed = owedStop(recorded, coin, isLong, flying)
  if (owed === null || covered === null) return owed ?? covered
  return isLong ? Decimal.max(owed, covered) : Decimal.min(owed, covered)
}

/** The promised stop that is placed first. */
function owedStop(
  { account, now, promises }: Recorded,
  coin: Coin,
  isLong: boolean,
  flying: Coming,
): Decimal | null {
  const promise = promises.get(coin)
  const covered = account.covered(coin)
  if (promise === undefined || covered === null) return null
  let beside = flying.own.all
  for (const [at, { cloid, owner, isBuy, trigger, size }] of flying.coming.entries()) {
    const stop = { cloid, owner, isBuy, trigger, size, isPositionTpsl: false, placedAt: now }
    beside = beside.with({ ...stop, oid: at })
  }
  const row = account.stopRow(coin, isLong).all
  const broken = brokenAt(row, covered, promise, beside)
  if (!promise.rest.isZero()) return broken
  // Where more lacks a stop than was promised it, the loosest is for all, and each tighter one comes then.
  const isEnough =
    broken !== null &&
    promisedAt(promise, isLong, broken)
      .minus(row.coveredBy(broken, covered))
      .gte(row.bareOf(covered))
  return isEnough ? broken : (promise.stops.at(-1)?.trigger ?? null)
}
