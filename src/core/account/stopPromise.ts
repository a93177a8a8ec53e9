import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { isWhole } from './coveringStops.ts'
import type { Covered, CoveringStops } from './coveringStops.ts'
import type { Stop } from './stop.ts'

/** So much of a position is to be stopped out at this trigger or a tighter one. */
export interface PromisedStop {
  readonly trigger: Decimal
  readonly size: Decimal
  /** Guard's record alone had it: nobody placed it beside the entry. */
  readonly isKept?: boolean
}

/** What an order that has ended closed of a position, as far as its fills were not told yet. */
export interface ClosedPart {
  readonly coin: Coin
  readonly isLong: boolean
  readonly oid: number | null
  readonly cloid: string | null
  /** That of a stop or a take profit; null for another order. */
  readonly trigger: Decimal | null
  readonly size: Decimal
}

/** What was promised for a position, tightest first, and how much of it nothing was promised for. */
export interface StopPromise {
  readonly stops: readonly PromisedStop[]
  readonly rest: Decimal
}

/** A stop of Guard's own that was decided on for a part of a position that nothing was promised for. */
export interface OwnStop {
  readonly coin: Coin
  readonly isLong: boolean
  readonly trigger: Decimal
  readonly size: Decimal
  /** Nothing was promised for any other part. */
  readonly isWhole: boolean
}

/** A stop that has covered all of a position, which had this size then. */
export interface CoveringStop extends PromisedStop {
  readonly coin: Coin
  readonly isLong: boolean
}

/** How much of a position was promised to be stopped out at `trigger` or tighter. */
function promisedBy(row: CoveringStops, { stops }: StopPromise, trigger: Decimal): Decimal {
  let sum = Decimal.zero
  for (const each of stops) if (row.isAsTight(each.trigger, trigger)) sum = sum.plus(each.size)
  return sum
}

/**
 * The tightest promised trigger at which less is covered than was promised, by the stops of a row and
 * those that stand `beside` it; null when none is.
 */
export function brokenAt(
  row: CoveringStops,
  position: Covered,
  promise: StopPromise,
  beside: CoveringStops | null = null,
): Decimal | null {
  for (const { trigger } of promise.stops) {
    const alone = row.coveredBy(trigger, position)
    const covered = beside === null ? alone : alone.plus(beside.coveredBy(trigger, position))
    if (covered.gte(position.size)) continue
    const promised = Decimal.min(promisedBy(row, promise, trigger), position.size)
    if (covered.lt(promised)) return trigger
  }
  return null
}

/** Stops of one side that go, and those that come for them. */
interface Exchange {
  readonly removed: readonly Stop[]
  readonly added: readonly Stop[]
}

/**
 * Whether less is stopped out at some trigger or a tighter one by the stops that come than by those
 * that go. Where it is not, whatever else stands there covers as much as before, and risks no more.
 */
export function loosens(row: CoveringStops, { removed, added }: Exchange): boolean {
  return removed.some(({ trigger }) => {
    const isAsTight = (stop: Stop): boolean => row.isAsTight(stop.trigger, trigger)
    const come = added.filter(isAsTight)
    if (come.some(isWhole)) return false
    const go = removed.filter(isAsTight)
    return go.some(isWhole) || sizeOf(go).gt(sizeOf(come))
  })
}

function sizeOf(stops: readonly Stop[]): Decimal {
  return stops.reduce((sum, { size }) => sum.plus(size), Decimal.zero)
}

/** A change of the stops that protect a position. */
interface RowChange {
  readonly before: CoveringStops
  readonly after: CoveringStops
  readonly position: Covered
  /** The stops that go: only at their triggers, and where something was promised, can cover fall. */
  readonly removed: readonly Pick<Stop, 'trigger'>[]
}

/**
 * A trigger at which less of the position is covered after a change than before it, and less than
 * was promised; null when there is none. Of a part that nothing was promised for, what covers it now
 * counts as promised. Without a promise at all (`null`) nothing may be covered less.
 */
export function weakenedAt(change: RowChange, promise: StopPromise | null): Decimal | null {
  const { before, after, position, removed } = change
  const levels = [...removed, ...(promise?.stops ?? [])]
  for (const { trigger } of levels) {
    const left = after.coveredBy(trigger, position)
    if (left.gte(position.size)) continue
    const promised =
      promise === null ? null : promisedBy(before, promise, trigger).plus(promise.rest)
    if (promised !== null && left.gte(promised)) continue
    if (left.lt(before.coveredBy(trigger, position))) return trigger
  }
  return null
}
