import { Decimal } from '../values/decimal.ts'
import { upTo } from './coverRecord.ts'
import type { CoverRecord } from './coverRecord.ts'
import type { PromisedStop } from './stopPromise.ts'

export interface LotKind {
  /** Guard's own stop, where nobody had promised one: it gives way to what an entry was judged with. */
  readonly isGuards: boolean
  /** The stop of an entry that waited for a trigger: Guard's record alone had it. */
  readonly isKept: boolean
}

type Lot = PromisedStop & LotKind

/** A position as a state shows it, and the price that was known then. */
interface Shown {
  readonly size: Decimal
  readonly price: Decimal | null
  /** When the venue says that it was so, in ms. */
  readonly at: number
}

/** What one position was promised, and what has covered it. */
export interface Promised {
  readonly isLong: boolean
  /**
   * The parts that were promised a stop, the one with the tightest stop first: as the fills and the ends of
   * stops tell them. A state may show a smaller position before anything tells what closed a part of it.
   */
  told: readonly Lot[]
  /** The last state; null where a fill came after it. */
  shown: Shown | null
  /** The stops that have covered all of the position. */
  covers: CoverRecord
}

export function tightness({ isLong }: Promised, one: Lot, other: Lot): number {
  return isLong ? other.trigger.cmp(one.trigger) : one.trigger.cmp(other.trigger)
}

export function isTighter({ isLong }: Promised, trigger: Decimal, than: Decimal): boolean {
  return isLong ? trigger.gt(than) : trigger.lt(than)
}

export function sumOf(lots: readonly PromisedStop[]): Decimal {
  return lots.reduce((sum, { size }) => sum.plus(size), Decimal.zero)
}

/**
 * What is promised after a stop has closed a part: the promise that it kept is over, which is the
 * nearest one that is no tighter than it. What anything else closes is taken from the loosest.
 */
export function shrunk(promised: Promised, by: Decimal, stop: Decimal | null): readonly Lot[] {
  const { told, isLong } = promised
  if (stop === null) return told
  const isKept = ({ trigger }: Lot): boolean => (isLong ? trigger.lte(stop) : trigger.gte(stop))
  return taken(told, told.filter(isKept), by)
}

/**
 * What is promised for the position as the last state shows it. Of what it lacks, while nothing tells what
 * closed it, the stops that the price has passed come first.
 */
export function lotsOf({ told, shown, isLong }: Promised): readonly Lot[] {
  if (shown === null) return told
  const { size, price } = shown
  const isPassed = ({ trigger }: Lot): boolean =>
    price !== null && (isLong ? trigger.gte(price) : trigger.lte(price))
  return fitted(taken(told, told.filter(isPassed), sumOf(told).minus(size)), size)
}

/** Neither promises nor records are about more than is held. */
export function fit(promised: Promised, held: Decimal): void {
  promised.told = fitted(promised.told, held)
  promised.covers = upTo(promised.covers, held)
}

/** No more is promised than is held: Guard's own lots go first, then the loosest. */
function fitted(lots: readonly Lot[], held: Decimal): readonly Lot[] {
  const loosestFirst = [...lots].reverse()
  const own = loosestFirst.filter(({ isGuards }) => isGuards)
  const others = loosestFirst.filter(({ isGuards }) => !isGuards)
  return taken(lots, [...own, ...others], sumOf(lots).minus(held))
}

/** The lots without `by` of what `from` lists, taken in its order. */
function taken(lots: readonly Lot[], from: readonly Lot[], by: Decimal): readonly Lot[] {
  if (!by.isPositive()) return lots
  const sizes = new Map(lots.map((lot) => [lot, lot.size]))
  let left = by
  for (const lot of from) {
    const part = Decimal.min(lot.size, left)
    sizes.set(lot, lot.size.minus(part))
    left = left.minus(part)
  }
  return lots.flatMap((lot) => {
    const size = sizes.get(lot) ?? Decimal.zero
    return size.isPositive() ? [{ ...lot, size }] : []
  })
}
