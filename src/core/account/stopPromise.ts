import { Decimal } from '../values/decimal.ts'
import type { Covered, CoveringStops } from './coveringStops.ts'

/** So much of a position is to be stopped out at this trigger or a tighter one. */
export interface PromisedStop {
  readonly trigger: Decimal
  readonly size: Decimal
  /** Guard's record alone had it: nobody placed it beside the entry. */
  readonly isKept?: boolean
}

/** What was promised for a position, tightest first, and how much of it nothing was promised for. */
export interface StopPromise {
  readonly stops: readonly PromisedStop[]
  readonly rest: Decimal
}

/** How much of a position was promised to be stopped out at `trigger` or tighter. */
function promisedBy(row: CoveringStops, { stops }: StopPromise, trigger: Decimal): Decimal {
  let sum = Decimal.zero
  for (const each of stops) if (row.isAsTight(each.trigger, trigger)) sum = sum.plus(each.size)
  return sum
}

/** The tightest promised trigger at which less is covered than was promised; null when none is. */
export function brokenAt(
  row: CoveringStops,
  position: Covered,
  promise: StopPromise,
): Decimal | null {
  for (const { trigger } of promise.stops) {
    const promised = Decimal.min(promisedBy(row, promise, trigger), position.size)
    if (row.coveredBy(trigger, position).lt(promised)) return trigger
  }
  return null
}

/** A change of the stops that protect a position. */
interface RowChange {
  readonly before: CoveringStops
  readonly after: CoveringStops
  readonly position: Covered
  /** The triggers of the stops that go: only there, and where something was promised, can cover fall. */
  readonly removed: readonly Decimal[]
}

/**
 * A trigger at which less of the position is covered after a change than before it, and less than
 * was promised; null when there is none. Of a part that nothing was promised for, what covers it now
 * counts as promised. Without a promise at all (`null`) nothing may be covered less.
 */
export function weakenedAt(change: RowChange, promise: StopPromise | null): Decimal | null {
  const { before, after, position, removed } = change
  const levels = promise === null ? removed : [...removed, ...promise.stops.map(triggerOf)]
  for (const level of levels) {
    const had = before.coveredBy(level, position)
    const needed =
      promise === null
        ? had
        : Decimal.min(had, promisedBy(before, promise, level).plus(promise.rest))
    if (after.coveredBy(level, position).lt(needed)) return level
  }
  return null
}

function triggerOf({ trigger }: PromisedStop): Decimal {
  return trigger
}
