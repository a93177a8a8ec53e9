import type { CashView } from '../account/cash.ts'
import { limits } from '../values/limits.ts'
import { RecentMap } from '../account/recentMap.ts'
import { Decimal } from '../values/decimal.ts'
import { assert } from '../values/unreachable.ts'

/** What the cash of a doubtful sight should have been; null where none was known before. */
export interface CashDoubt {
  readonly expected: Decimal | null
}

/** A reported change of cash: a fill's result, a fee, a funding payment, a deposit, a withdrawal. */
export interface CashChange {
  readonly id: string
  readonly usdc: Decimal
  /** The venue's time. */
  readonly at: number
  /** A spot trade: reported in the order of time like a fill, but neither profit nor loss. */
  readonly isFlow?: boolean
  /** Nobody knows whether this flow happened: it counts only where cash moved by exactly its amount. */
  readonly isUnsure?: boolean
  /** By how many USD a flow moved equity, where positions came with it and that is not its cash. */
  readonly worth?: Decimal
}

/** What of the reported changes a view of the account includes. */
export interface Explanation {
  /** What no reported change explains; signed as cash is. */
  readonly residual: Decimal
  readonly isExplained: boolean
  /** The sum of what is in the view and neither profit nor loss: deposits, withdrawals, spot trades. */
  readonly flow: Decimal
  /** The sum of all reported changes that are in the view. */
  readonly reported: Decimal
  readonly movements: number
  readonly flows: readonly CashChange[]
}

export interface CashSeen {
  /** Equity less unrealised profit. */
  readonly cash: Decimal
  /** The other reading of a unified account, whose balance may not move with unrealised profit. */
  readonly otherCash: Decimal | null
  readonly tolerance: Decimal
}

/** The venue rounds what it shows: cash that differs by less is the same. */
export const cents = Decimal.of('0.05')
/** A unified account's balance and its positions come in two messages, a moment apart. */
const unifiedNoise = Decimal.of('0.0005')

type Base = Pick<CashSeen, 'cash' | 'otherCash'>

const movementsMax = limits.cashMovementsMax
const flowsMax = limits.cashFlowsMax
const seenMax = limits.cashSeenMax
const forgottenAfterMs = 600_000

/**
 * Decides by cash, not by clock, which reported changes a view already includes: cash moves only by
 * fills, fees, funding and flows, and the venue reports them all, sooner or later than the view.
 */
export class CashBook {
  #base: Base | null = null
  /** Changes the venue dates earlier are in the base. */
  #from = 0
  #movements: CashChange[] = []
  #flows: CashChange[] = []
  readonly #seen = new RecentMap<string, true>(seenMax)

  get isStarted(): boolean {
    return this.#base !== null
  }
  get base(): Decimal | null {
    return this.#base?.cash ?? null
  }
  get otherBase(): Decimal | null {
    return this.#base?.otherCash ?? null
  }
  get from(): number {
    return this.#from
  }
  get movements(): readonly CashChange[] {
    return this.#movements
  }
  get flows(): readonly CashChange[] {
    return this.#flows
  }

  /** Starts from a view: all that was reported up to its time is in it. */
  start(seen: Base, from: number): void {
    this.#base = { cash: seen.cash, otherCash: seen.otherCash }
    this.#from = from
    this.#movements = this.#movements.filter(({ at }) => at > from)
    this.#flows = this.#flows.filter(({ at }) => at > from)
  }

  /** Whether a fill or a funding payment is news, and not in the base from the start. */
  isNewMovement(change: CashChange): boolean {
    return change.at > this.#from && this.#isNew(change)
  }

  addMovement(change: CashChange): void {
    this.#movements.push(change)
    this.#movements.sort(byTime)
    if (this.#movements.length > movementsMax) this.#takeOldest()
  }

  /**
   * There is no room for all that no view has included yet. The oldest profit or loss is counted into
   * the base, so that its effect on the cash is not forgotten.
   */
  #takeOldest(): void {
    const [first] = this.#movements as [CashChange]
    const oldest = this.#movements.find(({ isFlow }) => isFlow !== true) ?? first
    this.#movements = this.#movements.filter((each) => each !== oldest)
    if (oldest.isFlow === true || this.#base === null) return
    const { cash, otherCash } = this.#base
    const moved = (before: Decimal): Decimal => before.plus(oldest.usdc)
    this.#base = { cash: moved(cash), otherCash: otherCash === null ? null : moved(otherCash) }
  }

  /** Whether a deposit or withdrawal is news; a view may have included it before it was reported. */
  isNewFlow(change: CashChange): boolean {
    return change.at > this.#from - forgottenAfterMs && this.#isNew(change)
  }

  /** Where there are too many, one that may never have been goes before one that is known. */
  addFlow(change: CashChange): void {
    this.#flows.push(change)
    this.#flows.sort(byTime)
    if (this.#flows.length <= flowsMax) return
    const unsure = this.#flows.find(({ isUnsure }) => isUnsure === true)
    if (unsure === undefined) this.#flows.shift()
    else this.remove(unsure)
  }

  /** The cash, in USD, that all reports together lead to, and the part of it that flows brought. */
  get expected(): Sums {
    const { cash } = this.#base as Base
    const { all, flow } = runningSums(this.#movements).at(-1) as Sums
    const added = (sum: Sums, change: CashChange): Sums => ({
      all: sum.all.plus(change.usdc),
      flow: sum.flow.plus(worthOf(change)),
    })
    return this.#flows.reduce(added, { all: cash.plus(all), flow })
  }

  /**
   * Takes a view after the account was set up anew as the new base. Its cash cannot be compared with
   * the cash before, so only reported trades count as profit or loss: returns the rest of the change,
   * in USD, which is neither.
   */
  takeAnew(seen: CashSeen, from: number): Decimal {
    const { all, flow } = this.expected
    this.#movements = []
    this.start(seen, from)
    return seen.cash.minus(all).plus(flow)
  }

  /** What of the flows, taken together or left out, is nearest to a change of equity. */
  flowNear(change: Decimal): Decimal {
    const sure = this.#flows.filter(({ isUnsure }) => isUnsure !== true)
    const worths = subsets(sure).map(({ worth }) => worth)
    return worths.reduce((best, each) =>
      each.minus(change).abs().lt(best.minus(change).abs()) ? each : best,
    )
  }

  /** The best account of how cash came from the base to what is seen. */
  explain(seen: CashSeen): Explanation {
    const base = this.#base
    assert(base !== null, 'a view was seen')
    const changes = [seen.cash.minus(base.cash)]
    if (base.otherCash !== null && seen.otherCash !== null) {
      changes.push(seen.otherCash.minus(base.otherCash))
    }
    let best: Explanation | null = null
    for (const change of changes) {
      for (const candidate of this.#candidates(change, seen.tolerance)) {
        if (best !== null && best.residual.abs().lte(candidate.residual.abs())) continue
        best = candidate
        if (best.residual.isZero()) return best
      }
    }
    return best as Explanation
  }

  /**
   * Takes an explanation as it is: what it includes is done with, and the view is the new base.
   * Where there are two readings, a view may be half of a change whose other half is in the next
   * message, and a small one looks like noise: both bases move only by what was reported.
   */
  accept(explanation: Explanation, seen: CashSeen, from: number): void {
    this.#base = this.#moved(explanation, seen)
    this.#movements.splice(0, explanation.movements)
    explanation.flows.forEach((flow) => this.remove(flow))
    const oldest = from - forgottenAfterMs
    this.#movements = this.#movements.filter(({ at }) => at > oldest)
    this.#flows = this.#flows.filter(({ at }) => at > oldest)
  }

  /**
   * The reports up to a time of the venue that no view has included, each with its part that is neither
   * profit nor loss, in USD. What may never have happened is none of them.
   */
  overdue(until: number): readonly (readonly [CashChange, Decimal])[] {
    return [
      ...this.#movements.map((each) => [each, movedFlow(each)] as const),
      ...this.#flows.map((each) => [each, worthOf(each)] as const),
    ].filter(([{ at, isUnsure }]) => at > this.#from && at <= until && isUnsure !== true)
  }

  /** A report is done with: a view that counted for something else had included it. */
  remove(change: CashChange): void {
    this.#movements = this.#movements.filter((each) => each !== change)
    this.#flows = this.#flows.filter((each) => each !== change && !areOfOneRow(each, change))
  }

  /** Takes up what an earlier run left. */
  restore(
    base: Base | null,
    from: number,
    movements: readonly CashChange[],
    flows: readonly CashChange[],
    seen: readonly string[],
  ): void {
    this.#base = base
    this.#from = from
    this.#movements = [...movements]
    this.#flows = [...flows]
    for (const id of seen) this.#seen.set(id, true)
  }

  /** The ids that were noted, the last ones, for the next start. */
  seenIds(): readonly string[] {
    return [...this.#seen.keys()].slice(-movementsMax)
  }

  #moved({ isExplained, reported }: Explanation, seen: CashSeen): Base {
    const base = this.#base
    if (base?.otherCash == null || seen.otherCash === null || !isExplained) return seen
    return { cash: base.cash.plus(reported), otherCash: base.otherCash.plus(reported) }
  }

  #isNew({ id }: CashChange): boolean {
    if (this.#seen.has(id)) return false
    this.#seen.set(id, true)
    return true
  }

  /**
   * Every account of the change that is tried, the likeliest first: with all movements, then without
   * the latest ones; and for each of these without a flow, then with every choice of the flows.
   */
  *#candidates(change: Decimal, tolerance: Decimal): Iterable<Explanation> {
    const sums = runningSums(this.#movements)
    const choices = subsets(this.#flows)
    for (let movements = sums.length - 1; movements >= 0; movements--) {
      const moved = sums[movements] as Sums
      for (const { flows, cash, worth, isUnsure } of choices) {
        const reported = moved.all.plus(cash)
        const residual = change.minus(reported)
        const isExplained = residual.abs().lte(tolerance)
        if (isUnsure && !isExplained) continue
        yield { residual, isExplained, flow: moved.flow.plus(worth), reported, movements, flows }
      }
    }
  }
}

interface Sums {
  readonly all: Decimal
  /** The part that is neither profit nor loss. */
  readonly flow: Decimal
}

/** The sums of the first 0, 1, 2, ... movements. */
function runningSums(movements: readonly CashChange[]): readonly Sums[] {
  let last: Sums = { all: Decimal.zero, flow: Decimal.zero }
  const sums = [last]
  for (const movement of movements) {
    last = { all: last.all.plus(movement.usdc), flow: last.flow.plus(movedFlow(movement)) }
    sums.push(last)
  }
  return sums
}

interface Choice {
  readonly flows: readonly CashChange[]
  readonly cash: Decimal
  /** By how many USD the flows moved equity. */
  readonly worth: Decimal
  readonly isUnsure: boolean
}

/** The part of a movement, in USD, that is neither profit nor loss. */
export function movedFlow({ usdc, isFlow }: CashChange): Decimal {
  return isFlow === true ? usdc : Decimal.zero
}

/** What a flow moved equity by. */
export function worthOf({ usdc, worth }: CashChange): Decimal {
  return worth ?? usdc
}

/** Every choice of the flows, the smaller choices first. */
function subsets(flows: readonly CashChange[]): readonly Choice[] {
  const none = { flows: [], cash: Decimal.zero, worth: Decimal.zero, isUnsure: false }
  let choices: Choice[] = [none]
  for (const change of flows) {
    const withIt = choices.map((choice) => ({
      flows: [...choice.flows, change],
      cash: choice.cash.plus(change.usdc),
      worth: choice.worth.plus(worthOf(change)),
      isUnsure: choice.isUnsure || change.isUnsure === true,
    }))
    choices = [...choices, ...withIt]
  }
  return choices.sort((left, right) => left.flows.length - right.flows.length)
}

/** Whether both stand for one ledger row, as money that came and as money that left: one counts at most. */
function areOfOneRow(one: CashChange, other: CashChange): boolean {
  const rowOf = ({ id }: CashChange): string => id.replace(/:(in|out)$/, '')
  return one.isUnsure === true && other.isUnsure === true && rowOf(one) === rowOf(other)
}

function byTime(left: CashChange, right: CashChange): number {
  return left.at - right.at || (left.id < right.id ? -1 : 1)
}

/** A sight's cash, as it is compared with what was reported. */
export function seenOf({ equity, cash, isUnified }: CashView): CashSeen {
  const tolerance = isUnified ? Decimal.max(cents, equity.abs().times(unifiedNoise)) : cents
  return { cash, otherCash: isUnified ? equity : null, tolerance }
}
