import { limits } from '../values/limits.ts'
import { Decimal } from '../values/decimal.ts'

/** An unexplained change that was counted as profit or loss, should its report still come. */
export interface Absorbed {
  readonly usdc: Decimal
  /** When it was counted; a report of something later is not its own. */
  readonly at: number
  readonly equity: Decimal
  readonly day: string
  /** The peak up to then; of the first of them it is the base of all that follows. */
  readonly peakBefore: Decimal
  /** The highest equity from then until the next of them. */
  readonly high: Decimal
}

interface Released {
  readonly kept: readonly Absorbed[]
  readonly peak: Decimal
}

const absorbedMax = limits.absorbedMax

/**
 * Lets one go. All that was reached before it is moved, as its flow moves it; a change that was no
 * flow moves nothing. What it was followed by belongs to the one before it from now on.
 */
export function released(
  list: readonly Absorbed[],
  late: Absorbed,
  moved: (base: Decimal) => Decimal,
): Released {
  const place = list.indexOf(late)
  const after = list.slice(place + 1)
  const before = list.slice(0, place).map((each) => ({
    ...each,
    peakBefore: moved(each.peakBefore),
    high: moved(each.high),
  }))
  const last = before.pop()
  if (last !== undefined) {
    const kept = [...before, { ...last, high: Decimal.max(last.high, late.high) }, ...after]
    return { kept, peak: peakOf(kept, last.peakBefore) }
  }
  const base = Decimal.max(moved(late.peakBefore), late.high)
  const kept = after.map((each) => ({ ...each, peakBefore: base }))
  return { kept, peak: peakOf(kept, base) }
}

/** Adds one; the oldest is kept no longer than the number of them is bounded. */
export function withAbsorbed(list: readonly Absorbed[], absorbed: Absorbed): readonly Absorbed[] {
  const [oldest] = list
  const isFull = oldest !== undefined && list.length >= absorbedMax
  const kept = isFull ? released(list, oldest, (base) => base).kept : list
  return [...kept, absorbed]
}

/** A flow that is known in time moves everything that was reached before it. */
export function movedAbsorbed(
  list: readonly Absorbed[],
  moved: (base: Decimal) => Decimal,
): readonly Absorbed[] {
  return list.map((each) => ({
    ...each,
    peakBefore: moved(each.peakBefore),
    high: moved(each.high),
  }))
}

/** An equity that is seen belongs to what came last. */
export function raisedAbsorbed(list: readonly Absorbed[], equity: Decimal): readonly Absorbed[] {
  const last = list.at(-1)
  if (last === undefined) return list
  return [...list.slice(0, -1), { ...last, high: Decimal.max(last.high, equity) }]
}

function peakOf(list: readonly Absorbed[], base: Decimal): Decimal {
  return Decimal.max(list[0]?.peakBefore ?? base, ...list.map(({ high }) => high))
}
