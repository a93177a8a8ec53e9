import { limits } from '../values/limits.ts'
import { Decimal } from '../values/decimal.ts'

/**
 * A change of equity that no report explained within the hold, so that it was counted as profit or
 * loss. It is kept because its report may still come: a deposit or withdrawal is then taken out again.
 */
export interface Absorbed {
  readonly usdc: Decimal
  /** When it was counted; a report of something later is not its own. */
  readonly at: number
  readonly equity: Decimal
  readonly day: string
  /** The peak before this change. The peak now is the highest of the first one's and of every `high`. */
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
 * The list without one change, and the peak that follows from the rest. `moved` scales every figure
 * from before that change by its flow; where it was no flow, `moved` leaves figures as they are. What
 * equity reached after it is counted as reached after the change before it.
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

/** Adds one; where the list is full the oldest goes, and stays counted as profit or loss. */
export function withAbsorbed(list: readonly Absorbed[], absorbed: Absorbed): readonly Absorbed[] {
  const [oldest] = list
  const isFull = oldest !== undefined && list.length >= absorbedMax
  const kept = isFull ? released(list, oldest, (base) => base).kept : list
  return [...kept, absorbed]
}

/** A deposit or withdrawal that was reported in time scales all figures from before it. */
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

/** Notes an equity that was seen as one reached after the last of these changes. */
export function raisedAbsorbed(list: readonly Absorbed[], equity: Decimal): readonly Absorbed[] {
  const last = list.at(-1)
  if (last === undefined) return list
  return [...list.slice(0, -1), { ...last, high: Decimal.max(last.high, equity) }]
}

function peakOf(list: readonly Absorbed[], base: Decimal): Decimal {
  return Decimal.max(list[0]?.peakBefore ?? base, ...list.map(({ high }) => high))
}
