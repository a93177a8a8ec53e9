import { limits } from '../../core/values/limits.ts'
import type { Millis } from '../../core/values/millis.ts'
import type { VenueClock } from '../venueClock.ts'
import type { WeightBudget } from '../ports.ts'
import type { EngineMemory } from './engineMemory.ts'
import type { RiskKept } from './riskMemory.ts'

/** What earlier runs say they spent of the request weight. */
export interface SpentWeight {
  /** In each second before `at`, the last one first. */
  readonly history: readonly number[]
  /** When that was, UTC epoch milliseconds. */
  readonly at: Millis
  /** When runs began of which no count was kept: each has read the account at least. */
  readonly starts: readonly Millis[]
}

/** What the records and snapshots of earlier runs tell. */
interface Earlier {
  readonly memory: EngineMemory | null
  readonly spent: SpentWeight
  /** When the last record was written after which no memory was saved; null when there is none. */
  readonly unsavedAt: Millis | null
}

/** The last count that was kept: the risk memory is written whenever some more was spent. */
export function spentWeight(
  memory: EngineMemory | null,
  risk: RiskKept | null,
  starts: readonly Millis[],
): SpentWeight {
  const kept =
    risk?.spent === undefined ? memory?.weight : { history: risk.spent, at: risk.at as Millis }
  const { history, at } = kept ?? { history: [], at: 0 as Millis }
  return { history, at, starts: starts.filter((each) => each > at).slice(-limits.countedStartsMax) }
}

/**
 * The venue counts on over a restart. How long ago something was spent is known once the venue has
 * told its time: until then it counts as spent just now, however far the machine's clock has moved.
 */
export function takeUpWeight(earlier: Earlier, budget: WeightBudget, clock: VenueClock): void {
  const { memory } = earlier
  const takeBack = takeUpSpent(earlier, budget, () => 0)
  clock.whenLearned(() => {
    takeBack()
    const agoMs = (at: Millis): number => Math.max(clock.now() - at, 0)
    takeUpSpent(earlier, budget, agoMs)
    if (memory !== null) budget.actedBefore(memory.weight.day, agoMs(memory.weight.at))
  })
}

/**
 * What the host's ledger knows of the last run is the whole of it, also where the state is older, as
 * after a restore. Else a run that wrote anything after its count was last kept may have spent more.
 */
function takeUpSpent(
  { spent, unsavedAt }: Earlier,
  budget: WeightBudget,
  agoMs: (at: Millis) => number,
): () => void {
  const known = budget.knownBefore()
  if (known !== null) return budget.spentBefore(known.history, known.agoMs)
  const isUnsaved = unsavedAt !== null && unsavedAt > spent.at
  const taken = [
    budget.spentBefore(spent.history, agoMs(spent.at)),
    ...spent.starts.map((at) => budget.spentBefore('start', agoMs(at))),
    ...(isUnsaved ? [budget.spentBefore('unknown', agoMs(unsavedAt))] : []),
  ]
  return () => {
    for (const takeBack of taken) takeBack()
  }
}
