import type { PositionView, WatchedAccount } from '../account/accountView.ts'
import type { Stop } from '../account/stop.ts'
import { brokenAt } from '../account/stopPromise.ts'
import type { StopPromise } from '../account/stopPromise.ts'
import { raisedBetween, risksBy } from '../account/coveringStops.ts'
import type { CoveringStops } from '../account/coveringStops.ts'
import type { StopRow } from '../account/stopRow.ts'
import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { limits } from '../values/limits.ts'

interface Stopped {
  readonly account: WatchedAccount
  /** What was promised for a coin's position: its entries' stops, or Guard's own. */
  readonly promises: ReadonlyMap<Coin, StopPromise>
}

/**
 * Guard's own stops that nothing needs any more: the position is gone, or the other stops cover it as
 * was promised. Tried in turn: remove all of them; keep one that covers all; remove a single one.
 */
export function idleStops(input: Stopped, room: RiskRoom, coin: Coin): readonly number[] {
  const { account } = input
  const [long, short] = [account.stopRow(coin, true), account.stopRow(coin, false)]
  if (!long.hasGuards && !short.hasGuards) return []
  if (!isSettled(account, coin, [long, short])) return []
  const position = account.positions.get(coin)
  if (position === undefined) return firstOf([long, short].flatMap(loosest))
  const isLong = position.size.isPositive()
  const [facing, wrongSide] = isLong ? [long, short] : [short, long]
  return firstOf([...needless(input, room, position, facing), ...loosest(wrongSide)])
}

/**
 * As many as one plan looks at and lets go, the tightest first: the others are looked at once these
 * are gone. The loosest go first, so that none that is left risks more than before meanwhile.
 */
function loosest(row: StopRow): readonly Stop[] {
  return row.loosestGuards(limits.tidiedStopsMax).reverse()
}

function firstOf(stops: readonly Stop[]): readonly number[] {
  return stops.slice(0, limits.tidiedStopsMax).map(({ oid }) => oid)
}

/** Which of Guard's own stops the position does without, the tightest first. */
function needless(
  { account, promises }: Stopped,
  room: RiskRoom,
  { coin, size }: PositionView,
  row: StopRow,
): readonly Stop[] {
  const covered = account.covered(coin)
  if (covered === null || !row.hasGuards) return []
  const surplus = row.all.surplusOver(covered.size)
  // One that the price has passed should close something in a moment: nothing goes meanwhile.
  if (!surplus.isPositive() || row.all.isPassed(covered.price)) return []
  const lent = account.lentStops(coin, row.isLong)
  const now = risksBy(row.all, covered, lent)
  const promise = promises.get(coin) ?? null
  const raisedBy = (after: CoveringStops): Decimal | null => {
    if (after.bareOf(covered).isPositive()) return null
    const isBroken = promise !== null && brokenAt(after, covered, promise) !== null
    return isBroken ? null : raisedBetween(now, risksBy(after, covered, lent))
  }
  const going = loosest(row)
  const raisedByAll = raisedBy(row.others)
  if (room.holds(coin, raisedByAll)) {
    room.take(raisedByAll)
    return going
  }
  const isUnused = row.all.isBeyondReach(covered, lent)
  const unused = going.filter(({ trigger }) => isUnused(trigger))
  if (unused.length > 0) return raisedBy(row.all) === null ? [] : unused
  const whole = row.guardsOver(size.abs())
  const beside = going.filter((stop) => stop !== whole)
  if (whole !== null && beside.length > 0) {
    const raised = raisedBy(row.others.with(whole))
    if (room.holds(coin, raised)) {
      room.take(raised)
      return beside
    }
  }
  for (const stop of leastUseful(going, surplus)) {
    const raised = raisedBy(row.all.without(stop))
    if (!room.holds(coin, raised)) continue
    room.take(raised)
    return [stop]
  }
  return []
}

/**
 * Those to try: small before large, loose before tight; and the loosest of all, which can go
 * where each of the small ones is needed because it is tight.
 */
function leastUseful(stops: readonly Stop[], surplus: Decimal): readonly Stop[] {
  const fitting = stops.filter((stop) => stop.size.lte(surplus)).reverse()
  const smallest = fitting.toSorted((left, right) => left.size.cmp(right.size))
  return [...smallest.slice(0, limits.idleStopTriesMax), ...fitting.slice(0, 1)]
}

/** What is left of the open risk, for all that one plan removes. */
export class RiskRoom {
  readonly #ask: (coin: Coin) => Decimal
  #taken = Decimal.zero

  constructor(ask: (coin: Coin) => Decimal) {
    this.#ask = ask
  }

  /** Whether there is room for what a change of a coin's stops risks more; never for null. */
  holds(coin: Coin, raised: Decimal | null): boolean {
    if (raised === null) return false
    return !raised.isPositive() || raised.plus(this.#taken).lte(this.#ask(coin))
  }

  take(raised: Decimal | null): void {
    if (raised?.isPositive() === true) this.#taken = this.#taken.plus(raised)
  }
}

/**
 * No fill can be on its way that one of these stops belongs to: a stop may be shown before the fill
 * it came with, and until then one of them only seems to be too many.
 */
function isSettled(account: WatchedAccount, coin: Coin, rows: readonly StopRow[]): boolean {
  if (account.hasUnconfirmedEntry(coin)) return false
  const seenUntil = account.venueTime ?? 0
  return rows.every(({ newest }) => newest < seenUntil)
}
