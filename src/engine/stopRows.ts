import type { CoveringStop, OwnStop } from '../core/account/stopPromise.ts'
import type { Json } from '../core/protocol/action.ts'
import type { Coin } from '../core/values/coin.ts'
import { Decimal } from '../core/values/decimal.ts'
import type { Millis } from '../core/values/millis.ts'

/** Stops as rows of a record: written with the event that relies on them, and read after a crash. */

/** One of Guard's own stops, as records keep it. */
export function ownStopJson(stop: OwnStop): Json {
  return [...coveringJson(stop), stop.isWhole]
}

/** A stop that covers all of a position, as records keep it. */
export function coveringJson({ coin, isLong, trigger, size }: CoveringStop): readonly Json[] {
  return [coin, isLong, trigger.toString(), size.toString()]
}

type Dated<T> = T & { readonly at: Millis }

/** Guard's own stops as the record of an event of this time keeps them. */
export function readOwnStops(json: Json | undefined, at: Millis): readonly Dated<OwnStop>[] {
  return listOf(json).flatMap((each) =>
    readStop(each, at).map((stop) => ({ ...stop, isWhole: listOf(each)[4] === true })),
  )
}

/** The stops that covered all of a position at a decision, as the record of it keeps them. */
export function readCovering(json: Json | undefined, at: Millis): readonly Dated<CoveringStop>[] {
  return listOf(json).flatMap((each) => readStop(each, at))
}

/** A row of coin, whether it is for a long position, trigger and size; nothing where it is none. */
function readStop(json: Json, at: Millis): readonly Dated<CoveringStop>[] {
  const [coin, isLong, trigger, size] = listOf(json)
  if (typeof coin !== 'string' || typeof trigger !== 'string' || typeof size !== 'string') return []
  if (!isPrice(trigger) || !isPrice(size)) return []
  const stop = { trigger: Decimal.of(trigger), size: Decimal.of(size) }
  return [{ coin: coin as Coin, isLong: isLong === true, ...stop, at }]
}

export function isPrice(text: string): boolean {
  const parsed = Decimal.parse(text)
  return parsed.ok && parsed.value.isPositive()
}

export function listOf(json: Json | undefined): readonly Json[] {
  return Array.isArray(json) ? (json as readonly Json[]) : []
}
