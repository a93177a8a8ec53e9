import type { Decimal } from '../values/decimal.ts'
import type { PromisedStop } from './stopPromise.ts'

/**
 * The stops that have covered all of a position, each with the most that it covered then: the tightest
 * first, each one looser than the one before it, and over more. A stop over a tenth of what is held now
 * once covered all there was, and says nothing of the rest.
 */
export type CoverRecord = readonly PromisedStop[]

/** Of so many the ones over the smallest sizes are forgotten. */
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

/** What of the record is about a position that is no larger than this. */
export function upTo(record: CoverRecord, held: Decimal): CoverRecord {
  const at = record.findIndex((each) => each.size.gte(held))
  const last = record[at]
  return last === undefined ? record : [...record.slice(0, at), { ...last, size: held }]
}

/** The tightest stop that has covered so much while it was all there was; null where none has. */
export function coverOf(record: CoverRecord, held: Decimal): Decimal | null {
  return record.find((each) => each.size.gte(held))?.trigger ?? null
}
