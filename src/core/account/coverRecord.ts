import type { Decimal } from '../values/decimal.ts'
import type { PromisedStop } from './stopPromise.ts'

/**
 * Triggers at which all of a position was covered, each with the largest size that it covered then, in
 * units of the coin: the tightest first, each looser and larger than the one before it. The size is kept
 * since a stop that covered all of a small position says nothing of what was added to it later.
 */
export type CoverRecord = readonly PromisedStop[]

/** The most that are kept of one position; beyond it those of the smallest sizes are forgotten. */
const keptMax = 64

/** The record once a stop at this trigger has covered all of a position of this size. */
export function covering(record: CoverRecord, isLong: boolean, by: PromisedStop): CoverRecord {
  const isAsTight = (one: PromisedStop, as: PromisedStop): boolean =>
    isLong ? one.trigger.gte(as.trigger) : one.trigger.lte(as.trigger)
  if (record.some((each) => isAsTight(each, by) && each.size.gte(by.size))) return record
  const others = record.filter((each) => !isAsTight(by, each) || each.size.gt(by.size))
  const tighter = others.filter((each) => each.size.lt(by.size))
  const looser = others.filter((each) => each.size.gt(by.size))
  return [...tighter, by, ...looser].slice(-keptMax)
}

/** The record after a position has shrunk to this size: no stop in it is over more than that. */
export function upTo(record: CoverRecord, held: Decimal): CoverRecord {
  const at = record.findIndex((each) => each.size.gte(held))
  const last = record[at]
  return last === undefined ? record : [...record.slice(0, at), { ...last, size: held }]
}

/** The tightest trigger that has covered a position of at least this size in full; null when none has. */
export function coverOf(record: CoverRecord, held: Decimal): Decimal | null {
  return record.find((each) => each.size.gte(held))?.trigger ?? null
}
