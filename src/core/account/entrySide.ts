import { Decimal } from '../values/decimal.ts'
import type { RestingEntry, StoppedEntry } from './accountView.ts'

/** An entry as it is counted, under a number of its own. */
export interface CountedEntry {
  readonly id: number
  readonly entry: RestingEntry
  /** Its size x its limit. */
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

function byPrice({ entry: left }: CountedEntry, { entry: right }: CountedEntry): number {
  return left.price.cmp(right.price)
}

/**
 * One side's entries of a coin: what they are worth at any mid, and whose stops are farthest. The sums
 * are kept for the mid that was asked for last; another mid moves only what lies between the two.
 */
export class EntrySide {
  readonly #byPrice: CountedEntry[] = []
  /** The entries that have a stop, sorted by how far it lies from their price as a share of it. */
  readonly #byShare: CountedStopped[] = []
  #total = Decimal.zero
  #mid: Decimal | null = null
  /** How many of `byPrice` lie below the mid, with the sums of their sizes and values. */
  #below = 0
  #belowSize = Decimal.zero
  #belowValue = Decimal.zero

  add(counted: CountedEntry): void {
    if (hasStop(counted)) {
      this.#byShare.splice(placeOf(this.#byShare, counted, byStopShare), 0, counted)
    }
    const place = placeOf(this.#byPrice, counted, byPrice)
    this.#byPrice.splice(place, 0, counted)
    this.#total = this.#total.plus(counted.value)
    if (this.#isBelow(counted)) this.#move(counted, 1)
  }

  remove(counted: CountedEntry): void {
    if (hasStop(counted)) this.#byShare.splice(placeOf(this.#byShare, counted, byStopShare), 1)
    this.#byPrice.splice(placeOf(this.#byPrice, counted, byPrice), 1)
    this.#total = this.#total.minus(counted.value)
    if (this.#isBelow(counted)) this.#move(counted, -1)
  }

  /** The sum of size x the higher of limit and mid: what they are worth when they are filled. */
  valueAt(mid: Decimal | null): Decimal {
    if (mid === null || this.#byPrice.length === 0) return this.#total
    this.#moveTo(mid)
    if (this.#below === 0) return this.#total
    return this.#total.minus(this.#belowValue).plus(this.#belowSize.times(mid))
  }

  #moveTo(mid: Decimal): void {
    if (this.#mid === mid) return
    this.#mid = mid
    for (;;) {
      const last = this.#byPrice[this.#below - 1]
      if (last === undefined || last.entry.price.lt(mid)) break
      this.#move(last, -1)
    }
    for (;;) {
      const next = this.#byPrice[this.#below]
      if (next === undefined || !next.entry.price.lt(mid)) break
      this.#move(next, 1)
    }
  }

  #isBelow({ entry }: CountedEntry): boolean {
    return this.#mid !== null && entry.price.lt(this.#mid)
  }

  #move({ entry, value }: CountedEntry, sign: 1 | -1): void {
    this.#below += sign
    this.#belowSize =
      sign === 1 ? this.#belowSize.plus(entry.size) : this.#belowSize.minus(entry.size)
    this.#belowValue = sign === 1 ? this.#belowValue.plus(value) : this.#belowValue.minus(value)
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
