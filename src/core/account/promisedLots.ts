import { Decimal } from '../values/decimal.ts'
import { upTo } from './coverRecord.ts'
import type { CoverRecord } from './coverRecord.ts'
import type { ClosedPart, PromisedStop } from './stopPromise.ts'

export interface LotKind {
  /** Guard's own stop, where nobody had promised one: it gives way to what an entry was judged with. */
  readonly isGuards: boolean
  /** The stop of an entry that waited for a trigger: Guard's record alone had it. */
  readonly isKept: boolean
}

type Lot = PromisedStop & LotKind

/** What one position was promised, and what has covered it. */
export interface Promised {
  readonly isLong: boolean
  /** The parts that were promised a stop, the one with the tightest stop first. */
  lots: readonly Lot[]
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
  if (stop === null) return promised.lots
  const isKept = ({ trigger }: Lot): boolean =>
    promised.isLong ? trigger.lte(stop) : trigger.gte(stop)
  return taken(promised.lots, promised.lots.filter(isKept), by)
}

/** What is promised once these stops have closed what is above `left`, each the part it was promised. */
export function lotsAfter(
  promised: Promised,
  closed: readonly ClosedPart[],
  left: Decimal,
): readonly Lot[] {
  let { lots } = promised
  for (const { trigger, size } of closed) {
    const excess = sumOf(lots).minus(left)
    if (!excess.isPositive()) return lots
    lots = shrunk({ ...promised, lots }, Decimal.min(size, excess), trigger)
  }
  return lots
}

/** Where nothing tells what has closed a part, it was the stops that the price has passed, if any. */
export function withoutFired(
  promised: Promised,
  price: Decimal | null,
  left: Decimal,
): readonly Lot[] {
  const { lots, isLong } = promised
  const excess = sumOf(lots).minus(left)
  if (price === null || !excess.isPositive()) return lots
  const isPassed = ({ trigger }: Lot): boolean => (isLong ? trigger.gte(price) : trigger.lte(price))
  return taken(lots, lots.filter(isPassed), excess)
}

/** Neither promises nor records are about more than is held. */
export function fit(promised: Promised, held: Decimal): void {
  promised.lots = fitted(promised, held)
  promised.covers = upTo(promised.covers, held)
}

/** No more is promised than is held: Guard's own lots go first, then the loosest. */
function fitted(promised: Promised, held: Decimal): readonly Lot[] {
  const excess = sumOf(promised.lots).minus(held)
  if (!excess.isPositive()) return promised.lots
  const loosestFirst = [...promised.lots].reverse()
  const own = loosestFirst.filter(({ isGuards }) => isGuards)
  const others = loosestFirst.filter(({ isGuards }) => !isGuards)
  return taken(promised.lots, [...own, ...others], excess)
}

/** The lots without `by` of what `from` lists, taken in its order. */
function taken(lots: readonly Lot[], from: readonly Lot[], by: Decimal): readonly Lot[] {
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
