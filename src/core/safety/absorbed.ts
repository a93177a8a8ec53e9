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
 * The list, and the peak that follows from it, after one change, the one at `place`, is explained so
 * far that only `rest` of it is left; where that is null, nothing. `moved` scales every figure from
 * before the change by its flow. What equity reached after a change of which nothing is left is
 * counted as reached after the change before it.
 */
export function explainedAt(
  list: readonly Absorbed[],
  place: number,
  rest: Pick<Absorbed, 'usdc' | 'equity'> | null,
  moved: (base: Decimal) => Decimal,
): Released {
  const after = list.slice(place + 1)
  const late = list[place] as Absorbed
  const before = [...movedAbsorbed(list.slice(0, place), moved)]
  const peakBefore = moved(late.peakBefore)
  if (rest !== null) return withPeak([...before, { ...late, ...rest, peakBefore }, ...after])
  const last = before.pop()
  const base = Decimal.max(last?.high ?? peakBefore, late.high)
  if (last !== undefined) return withPeak([...before, { ...last, high: base }, ...after])
  return withPeak(
    after.map((each) => ({ ...each, peakBefore: base })),
    base,
  )
}

/** Adds one; where the list is full the oldest goes, and stays counted as profit or loss. */
export function withAbsorbed(list: readonly Absorbed[], absorbed: Absorbed): readonly Absorbed[] {
  const isFull = list.length >= absorbedMax
  const kept = isFull ? explainedAt(list, 0, null, (base) => base).kept : list
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

function withPeak(kept: readonly Absorbed[], base = Decimal.zero): Released {
  const peak = Decimal.max(kept[0]?.peakBefore ?? base, ...kept.map(({ high }) => high))
  return { kept, peak }
}
