import { Decimal } from '../values/decimal.ts'
import { KeptAnswers } from './keptAnswers.ts'
import type { Cover, Stop } from './stop.ts'
import { beyondStop, lossPerUnit } from './stopLoss.ts'
import { isWrittenAlike, nothing, SumTree } from './sumTree.ts'
import type { Sum, TreeOrder, Weighted } from './sumTree.ts'

/** A stop as it stands in a tree. */
export interface Placed extends Weighted {
  readonly stop: Stop
}

export const placed = (stop: Stop): Placed => ({
  id: stop.oid,
  size: stop.size,
  price: stop.trigger,
  stop,
})

/** Stops of one side, the tightest first: as the price would meet them; marked, where they are sought by size. */
export function emptyTree(isLong: boolean, areMarked: boolean): SumTree<Placed> {
  const order: TreeOrder<Placed> = {
    compare: (first, second) =>
      isLong ? second.price.cmp(first.price) : first.price.cmp(second.price),
    isMarked: () => areMarked,
  }
  return new SumTree(order)
}

/** A position as its stops see it. */
export interface Covered {
  /** Its size without a sign. */
  readonly size: Decimal
  /** What it is worth now: a stop loses the distance from here. */
  readonly price: Decimal
  /** Where the venue liquidates it; a stop from there on is never reached. Null when unknown. */
  readonly liquidation: Decimal | null
  /** On a builder dex how far beyond its stops it may end, as a share of its price. */
  readonly gap?: Decimal | null
}

/** How much of the stops may cover something else than the position, in units of the coin. */
export interface Lent {
  readonly lent: Decimal
  /** The part of it that belongs to no entry which is counted: what it covers risks as much as it lets go. */
  readonly unexplained: Decimal
}

export const nothingLent: Lent = { lent: Decimal.zero, unexplained: Decimal.zero }

/** Which of the stops do not cover the position, and what takes whatever they leave. */
interface Split {
  /** So much of the tightest: lent, or passed by the price. */
  readonly gone: Decimal
  /** The part of it that belongs to no entry which is counted. */
  readonly unexplained: Decimal
  readonly whole: Stop | null
  /** How much of the position `whole` has to take. */
  readonly byWhole: Decimal
  readonly passed: Sum
}

/** Stops from the tightest on: their size, size x trigger, and the last of them. */
type Leading = ReturnType<SumTree<Placed>['cut']>

interface Parts {
  readonly sized: SumTree<Placed>
  readonly wholes: readonly Stop[]
}

/**
 * Working market stops of one side of one coin: what they cover of a position, and what is lost at
 * them. It never changes; `with` and `without` answer others, so that a cancel can be judged by what
 * would be left.
 */
export class CoveringStops {
  readonly isLong: boolean
  readonly #sized: SumTree<Placed>
  /** Position stops without a size of their own: each takes all that is left where it stands. */
  readonly #wholes: readonly Stop[]
  readonly #before = new KeptAnswers<Decimal, Decimal>(isWrittenAlike)
  /** Without one of them, or with another: tidying tries the same at every price. */
  readonly #left = new KeptAnswers<Stop, CoveringStops>(isThat)
  readonly #joined = new KeptAnswers<Stop, CoveringStops>(isThat)

  constructor(isLong: boolean, parts?: Parts) {
    this.isLong = isLong
    this.#sized = parts?.sized ?? emptyTree(isLong, false)
    this.#wholes = parts?.wholes ?? []
  }

  with(stop: Stop): CoveringStops {
    if (isEmpty(stop)) return this
    if (!isWhole(stop)) {
      return this.#joined.of(stop, () => this.#having(this.#sized.with(placed(stop)), this.#wholes))
    }
    return this.#having(this.#sized, this.#sorted([...this.#wholes, stop]))
  }

  without(stop: Stop): CoveringStops {
    if (isEmpty(stop)) return this
    if (!isWhole(stop)) {
      return this.#left.of(stop, () =>
        this.#having(this.#sized.without(placed(stop)), this.#wholes),
      )
    }
    const left = this.#wholes.filter(({ oid }) => oid !== stop.oid)
    return this.#having(this.#sized, left)
  }

  #having(sized: SumTree<Placed>, wholes: readonly Stop[]): CoveringStops {
    return new CoveringStops(this.isLong, { sized, wholes })
  }

  #sorted(stops: readonly Stop[]): readonly Stop[] {
    return [...stops].sort(
      (first, second) => this.#compare(first.trigger, second.trigger) || first.oid - second.oid,
    )
  }

  /** Below zero when the first trigger is tighter: the price meets it earlier. */
  #compare(first: Decimal, second: Decimal): number {
    return this.isLong ? second.cmp(first) : first.cmp(second)
  }

  /** Whether a trigger is at least as tight as another. */
  isAsTight(trigger: Decimal, as: Decimal): boolean {
    return this.#compare(trigger, as) <= 0
  }

  /**
   * What the stops cover of a position, and what is lost when they are hit: by the stops alone, or as it
   * is counted where `by` tells what is lent. So much of them may cover something else: the risk is that
   * of the loosest which are left then. So it is with those that the price has passed, since nobody
   * knows why they have not closed anything.
   */
  cover(position: Covered, by: Lent | null = null): Cover {
    const { size, price, liquidation, gap = null } = position
    const whole = this.#wholeBefore(liquidation)
    const passed = this.#passed(price)
    const { lent, unexplained } = by ?? nothingLent
    const elsewhere = by === null || passed === nothing ? lent : lent.plus(passed.size)
    const reach = elsewhere.isZero() ? size : size.plus(elsewhere)
    const all = this.#leading(reach, liquidation, whole)
    const covered = Decimal.min(all.size, size)
    const rest = size.minus(covered)
    const isHeldWhole = whole !== null && rest.isPositive()
    const held = isHeldWhole ? size : covered
    const most = whole === null ? all.size.minus(size) : all.size
    const gone = Decimal.max(Decimal.min(elsewhere, most), Decimal.zero)
    const byWhole = whole === null ? Decimal.zero : size.minus(all.size).plus(gone)
    const risk = this.#riskOf(price, all, { gone, unexplained, whole, byWhole, passed })
    return {
      isFull: isHeldWhole || !rest.isPositive(),
      uncovered: isHeldWhole ? Decimal.zero : rest,
      loosest: whole !== null && byWhole.isPositive() ? whole.trigger : (all.last?.price ?? null),
      risk: beyondStop(this.isLong, held.times(price), risk, gap),
    }
  }

  /** The tightest stops up to a size, but none from the liquidation or from a whole position's stop on. */
  #leading(size: Decimal, liquidation: Decimal | null, whole: Stop | null): Leading {
    let reach = size
    for (const end of [liquidation, whole?.trigger ?? null]) {
      if (end === null) continue
      const usable = this.#sizeBefore(end)
      if (usable.lt(reach)) reach = usable
    }
    return this.#sized.cut(reach)
  }

  /** What a position loses at the stops of `all`, less the tightest that are lent to what counts itself. */
  #riskOf(price: Decimal, all: Leading, by: Split): Decimal {
    const { gone, unexplained, whole, byWhole, passed } = by
    const counted = Decimal.max(gone.minus(unexplained), Decimal.zero)
    let risk = this.#lossOf(all, price, passed)
    if (!counted.isZero()) {
      risk = risk.minus(this.#lossOf(this.#sized.cut(counted), price, passed))
    }
    if (whole === null) return risk
    return risk.plus(byWhole.times(lossPerUnit(this.isLong, price, whole.trigger, null)))
  }

  /** The same once all stops beyond the position's size cover something else. */
  coverWithoutSpare(position: Covered, { unexplained }: Lent): Cover {
    return this.cover(position, { lent: this.#sized.total.size, unexplained })
  }

  /** Whether the price has reached one of them, which should close something in a moment. */
  isPassed(price: Decimal): boolean {
    return this.#passed(price) !== nothing
  }

  /** Whether a stop at a trigger covers nothing, of the position or of what is lent. */
  isBeyondReach({ size, liquidation }: Covered, { lent }: Lent): (trigger: Decimal) => boolean {
    const reach = size.plus(lent)
    const all = this.#leading(reach, liquidation, null)
    const last = all.size.lt(reach) ? null : all.last
    const end = this.#wholeBefore(liquidation) === null ? (last?.price ?? null) : null
    return (trigger) =>
      (liquidation !== null && !this.#isBefore(trigger, liquidation)) ||
      (end !== null && this.#isBefore(end, trigger))
  }

  /** How much of a position none of them stops out before it is liquidated. */
  bareOf({ size, liquidation }: Covered): Decimal {
    if (this.#wholeBefore(liquidation) !== null) return Decimal.zero
    const covered = liquidation === null ? this.#sized.total.size : this.#sizeBefore(liquidation)
    return covered.gte(size) ? Decimal.zero : size.minus(covered)
  }

  /** How much of a position is stopped out before the price is worse than `trigger`. */
  coveredBy(trigger: Decimal, { size, liquidation }: Covered): Decimal {
    const isReached = (at: Decimal): boolean =>
      this.isAsTight(at, trigger) && (liquidation === null || this.#isBefore(at, liquidation))
    if (this.#wholes.some((stop) => isReached(stop.trigger))) return size
    const all = this.#leading(size, liquidation, null)
    if (all.last === null || this.isAsTight(all.last.price, trigger)) return all.size
    return this.#sized.sizeWhile((each) => this.isAsTight(each.price, trigger))
  }

  /** By how much the stops exceed a position; all of it where one of them takes whatever is left. */
  surplusOver(size: Decimal): Decimal {
    const { size: total } = this.#sized.total
    return this.#wholes.length > 0 ? total : total.minus(size)
  }

  /** All of them, the tightest first. */
  list(): readonly Stop[] {
    return this.#sorted([...[...this.#sized.items()].map(({ stop }) => stop), ...this.#wholes])
  }

  /** Strictly on the near side of a price: the market meets it first. */
  #isBefore(trigger: Decimal, price: Decimal): boolean {
    return this.#compare(trigger, price) < 0
  }

  #wholeBefore(liquidation: Decimal | null): Stop | null {
    const [first] = this.#wholes
    if (first === undefined) return null
    return liquidation === null || this.#isBefore(first.trigger, liquidation) ? first : null
  }

  /** All of those that the market meets before a price. */
  #sizeBefore(price: Decimal): Decimal {
    const { head, tail, total } = this.#sized
    if (head === null || tail === null || !this.#isBefore(head.price, price)) return Decimal.zero
    if (this.#isBefore(tail.price, price)) return total.size
    return this.#before.of(price, () =>
      this.#sized.sizeWhile((each) => this.#isBefore(each.price, price)),
    )
  }

  /** The stops that the price has reached or passed already. */
  #passed(price: Decimal): Sum {
    const { head } = this.#sized
    if (head === null || this.#isBefore(price, head.price)) return nothing
    return this.#sized.sumWhile((each) => !this.#isBefore(price, each.price))
  }

  /** What is lost from a price to these stops; those that it has passed lose nothing, and win nothing. */
  #lossOf({ size, value }: Sum, price: Decimal, passed: Sum): Decimal {
    if (passed.size.gte(size)) return Decimal.zero
    const worth = price.times(size.minus(passed.size))
    const ends = value.minus(passed.value)
    return this.isLong ? worth.minus(ends) : ends.minus(worth)
  }
}

function isThat(one: Stop, other: Stop): boolean {
  return one === other
}

/** A stop that has nothing left to sell or buy. */
export function isEmpty(stop: Stop): boolean {
  return !stop.isPositionTpsl && stop.size.isZero()
}

export function isWhole(stop: Stop): boolean {
  return stop.isPositionTpsl && stop.size.isZero()
}

/** USD that a position risks by some stops: by them alone, and as it is counted. */
interface Risks {
  readonly alone: Decimal
  readonly counted: Decimal
}

export function risksBy(stops: CoveringStops, position: Covered, lent: Lent): Risks {
  return { alone: stops.cover(position).risk, counted: stops.cover(position, lent).risk }
}

/** By how much a change of the stops raises either: what is counted already must not hide the other. */
export function raisedBetween(before: Risks, after: Risks): Decimal {
  return Decimal.max(after.alone.minus(before.alone), after.counted.minus(before.counted))
}
