import type { Fill } from '../protocol/venueState.ts'
import type { Decimal } from '../values/decimal.ts'

/** A position reduced to what fills change. */
export interface Held {
  readonly size: Decimal
  readonly entryPrice: Decimal
}

/** What a fill adds to the position, signed. */
export function signedSize(fill: Fill): Decimal {
  return fill.isBuy ? fill.size : fill.size.negated()
}

/** Whether a fill makes a position larger, or one of the other side. */
export function opens(fill: Fill): boolean {
  const { startPosition: start, isBuy } = fill
  return start.isZero() || start.isPositive() === isBuy || fill.size.gt(start.abs())
}

function endOf(fill: Fill): Decimal {
  return fill.startPosition.plus(signedSize(fill))
}

/**
 * The fills that come after a snapshot of `size` taken at venue time `time`, in the order they
 * happened: by time, and within one millisecond by the position each of them started from. Fills of
 * the snapshot's own millisecond count only where they continue from it.
 */
export function chained(size: Decimal, time: number, fills: readonly Fill[]): readonly Fill[] {
  const sorted = [...fills].sort((left, right) => left.at - right.at)
  const inOrder: Fill[] = []
  let from = 0
  let held = size
  while (from < sorted.length) {
    const at = (sorted[from] as Fill).at
    let to = from
    while (to < sorted.length && (sorted[to] as Fill).at === at) to += 1
    const group = sorted.slice(from, to)
    from = to
    if (at < time) continue
    for (const fill of orderedGroup(held, group, at === time)) {
      inOrder.push(fill)
      held = endOf(fill)
    }
  }
  return inOrder
}

/** One millisecond's fills as a chain; `strict` leaves out what does not continue from `size`. */
function orderedGroup(size: Decimal, group: readonly Fill[], strict: boolean): readonly Fill[] {
  if (!isChain(group)) return linked(size, group, strict)
  if (strict) return after(size, group)
  // There and back is a chain in either order: what was held tells which of the two came first.
  const startsAt = group.findIndex(({ startPosition }) => startPosition.eq(size))
  return startsAt > 0 ? linked(size, group, strict) : group
}

/** Each fill starts where the one before it ended: as they arrived is as they happened. */
function isChain(fills: readonly Fill[]): boolean {
  return fills.every((fill, index) => {
    const before = fills[index - 1]
    return before === undefined || endOf(before).eq(fill.startPosition)
  })
}

/** The part of a chain after the last point where the position was `size`; none if it never was. */
function after(size: Decimal, chain: readonly Fill[]): readonly Fill[] {
  const last = chain.findLastIndex((fill) => endOf(fill).eq(size))
  if (last >= 0) return chain.slice(last + 1)
  return chain[0]?.startPosition.eq(size) === true ? chain : []
}

/** Fills that arrived out of order, each put after the one that leads to it. */
function linked(size: Decimal, group: readonly Fill[], strict: boolean): readonly Fill[] {
  const left = [...group].sort((one, other) => one.tid - other.tid)
  const ordered: Fill[] = []
  let held = size
  while (left.length > 0) {
    let next = left.findIndex((fill) => fill.startPosition.eq(held))
    if (next < 0 && strict) break
    if (next < 0) next = headOf(left)
    const [fill] = left.splice(next, 1) as [Fill]
    ordered.push(fill)
    held = endOf(fill)
  }
  return ordered
}

/** The fill that no other one leads to; the first of them all when they go round in a circle. */
function headOf(fills: readonly Fill[]): number {
  const head = fills.findIndex((fill) =>
    fills.every((other) => other === fill || !endOf(other).eq(fill.startPosition)),
  )
  return Math.max(head, 0)
}

/**
 * The position after a fill. The venue's own start position is believed over what was held: where
 * they differ a fill was missed. The entry price moves only when the position grows or turns.
 */
export function afterFill(before: Held, fill: Fill): Held {
  const start = fill.startPosition
  const size = endOf(fill)
  const entryPrice = start.eq(before.size) ? before.entryPrice : fill.price
  if (size.isZero()) return { size, entryPrice }
  const turned = !start.isZero() && start.isNegative() !== size.isNegative()
  if (start.isZero() || turned) return { size, entryPrice: fill.price }
  if (size.abs().lt(start.abs())) return { size, entryPrice }
  const cost = entryPrice.times(start.abs()).plus(fill.price.times(fill.size))
  return { size, entryPrice: cost.over(size.abs(), 12, 'half-even') }
}

/** In the order they happened: a snapshot lists the newest first. */
export function inTime(fills: readonly Fill[]): readonly Fill[] {
  return [...fills].sort((left, right) => left.at - right.at)
}
