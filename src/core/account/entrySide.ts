import { Decimal } from '../values/decimal.ts'
import type { RestingEntry, StoppedEntry } from './accountView.ts'
import { entryLoss, leastWorth } from './worstLoss.ts'

/** An entry as it is counted, under a number of its own. */
export interface CountedEntry {
  readonly id: number
  readonly entry: RestingEntry
  /** Its size x what a unit of it is worth at least. */
  readonly value: Decimal
}

type CountedStopped = CountedEntry & { readonly entry: StoppedEntry }

function hasStop(counted: CountedEntry): counted is CountedStopped {
  return counted.entry.stop !== null
}

/** Compares stop over price, multiplied out so that nothing is divided. */
function byStopShare({ entry: left }: CountedStopped, { entry: right }: CountedStopped): number {
  return left.stop.times(right.price).cmp(right.stop.times(left.price))
}

/** Sums of what entries may lose at their stops: filled at their limits, and for each USD of the mid. */
interface Losses {
  readonly atLimits: Decimal
  readonly belowAtLimits: Decimal
  readonly belowPerPrice: Decimal
}

const noLosses: Losses = {
  atLimits: Decimal.zero,
  belowAtLimits: Decimal.zero,
  belowPerPrice: Decimal.zero,
}

function byWorth({ entry: left }: CountedEntry, { entry: right }: CountedEntry): number {
  return leastWorth(left).cmp(leastWorth(right))
}

/**
 * One side's entries of a coin: what they are worth at any mid, and whose stops are farthest. The sums
 * are kept for the mid that was asked for last; another mid moves only what lies between the two.
 */
export class EntrySide {
  readonly #byWorth: CountedEntry[] = []
  /** The entries that have a stop, sorted by how far it lies from their price as a share of it. */
  readonly #byShare: CountedStopped[] = []
  #total = Decimal.zero
  #size = Decimal.zero
  #mid: Decimal | null = null
  /** How many of `byWorth` lie below the mid, with the sums of their sizes and values. */
  #below = 0
  #belowSize = Decimal.zero
  #belowValue = Decimal.zero
  /** Kept from when it is first asked for: accounts on isolated margin never ask. */
  #losses: Losses | null = null

  /** All of them together, in units of the coin. */
  get size(): Decimal {
    return this.#size
  }

  add(counted: CountedEntry): void {
    if (hasStop(counted)) {
      this.#byShare.splice(placeOf(this.#byShare, counted, byStopShare), 0, counted)
    }
    const place = placeOf(this.#byWorth, counted, byWorth)
    this.#byWorth.splice(place, 0, counted)
    this.#total = this.#total.plus(counted.value)
    this.#size = this.#size.plus(counted.entry.size)
    this.#countLoss(counted, 1)
    if (this.#isBelow(counted)) this.#move(counted, 1)
  }

  remove(counted: CountedEntry): void {
    if (hasStop(counted)) this.#byShare.splice(placeOf(this.#byShare, counted, byStopShare), 1)
    this.#byWorth.splice(placeOf(this.#byWorth, counted, byWorth), 1)
    this.#total = this.#total.minus(counted.value)
    this.#size = this.#size.minus(counted.entry.size)
    this.#countLoss(counted, -1)
    if (this.#isBelow(counted)) this.#move(counted, -1)
  }

  /** The sum of size x the higher of limit and mid: what they are worth when they are filled. */
  valueAt(mid: Decimal | null): Decimal {
    if (mid === null) return this.#total
    this.#moveTo(mid)
    return this.#total.minus(this.#belowValue).plus(this.#belowSize.times(mid))
  }

  /**
   * What they lose, in USD, when each of them is filled, counted at the higher of limit and mid, and
   * is stopped out at its worst.
   */
  lossAt(mid: Decimal | null): Decimal {
    if (this.#losses === null) {
      this.#losses = noLosses
      for (const counted of this.#byWorth) this.#countLoss(counted, 1)
      for (const counted of this.#byWorth.slice(0, this.#below)) this.#countLossBelow(counted, 1)
    }
    if (mid === null) return this.#losses.atLimits
    this.#moveTo(mid)
    const { atLimits, belowAtLimits, belowPerPrice } = this.#losses
    return atLimits.minus(belowAtLimits).plus(belowPerPrice.times(mid))
  }

  #countLoss({ entry }: CountedEntry, sign: 1 | -1): void {
    if (this.#losses === null) return
    const atLimits = changed(this.#losses.atLimits, entryLoss(entry).atLeast, sign)
    this.#losses = { ...this.#losses, atLimits }
  }

  #countLossBelow({ entry }: CountedEntry, sign: 1 | -1): void {
    if (this.#losses === null) return
    const { atLimits, belowAtLimits, belowPerPrice } = this.#losses
    const loss = entryLoss(entry)
    this.#losses = {
      atLimits,
      belowAtLimits: changed(belowAtLimits, loss.atLeast, sign),
      belowPerPrice: changed(belowPerPrice, loss.perPrice, sign),
    }
  }

  #moveTo(mid: Decimal): void {
    this.#mid = mid
    for (;;) {
      const last = this.#byWorth[this.#below - 1]
      if (last === undefined || leastWorth(last.entry).lt(mid)) break
      this.#move(last, -1)
    }
    for (;;) {
      const next = this.#byWorth[this.#below]
      if (next === undefined || !leastWorth(next.entry).lt(mid)) break
      this.#move(next, 1)
    }
  }

  #isBelow({ entry }: CountedEntry): boolean {
    return this.#mid !== null && leastWorth(entry).lt(this.#mid)
  }

  #move(counted: CountedEntry, sign: 1 | -1): void {
    const { entry, value } = counted
    this.#below += sign
    this.#belowSize = changed(this.#belowSize, entry.size, sign)
    this.#belowValue = changed(this.#belowValue, value, sign)
    this.#countLossBelow(counted, sign)
  }

  /**
   * The entries whose stop lies nearest to and farthest from their price, as a share of it, without
   * those that `isLeftOut` names: every other entry's share lies between theirs, and what leverage
   * all entries of a coin bear depends on that share alone.
   */
  extremes(isLeftOut: (entry: RestingEntry) => boolean): readonly StoppedEntry[] {
    const counts = ({ entry }: CountedStopped): boolean => !isLeftOut(entry)
    const least = this.#byShare.find(counts)
    if (least === undefined) return []
    const most = this.#byShare.findLast(counts) ?? least
    return least === most ? [least.entry] : [least.entry, most.entry]
  }
}

function changed(sum: Decimal, by: Decimal, sign: 1 | -1): Decimal {
  return sign === 1 ? sum.plus(by) : sum.minus(by)
}

/** Where an item stands in a sorted list, or would stand; equal ones are ordered by their numbers. */
function placeOf<Counted extends CountedEntry>(
  list: readonly Counted[],
  item: Counted,
  compare: (one: Counted, other: Counted) => number,
): number {
  let [from, to] = [0, list.length]
  while (from < to) {
    const middle = (from + to) >> 1
    const other = list[middle] as Counted
    const order = compare(other, item) || other.id - item.id
    if (order < 0) from = middle + 1
    else to = middle
  }
  return from
}
