import { Decimal } from '../values/decimal.ts'
import type { OrderLife } from './orderLife.ts'
import type { Stop } from './stop.ts'
import type { PromisedStop } from './stopPromise.ts'
import { StopRow } from './stopRow.ts'
import type { TwapLife } from './twapLife.ts'

/** The stops of a long position, or those of a short one. */
interface Side {
  row: StopRow
  /** How much of them may belong to fills that the position does not show, in units of the coin. */
  early: Decimal
  /** The part of it that belongs to no entry which still counts. */
  unexplained: Decimal
}

/** A stop as it is counted, with the names its entry may have. */
interface CountedStop {
  readonly life: OrderLife
  readonly stop: Stop
  readonly entries: readonly string[]
  /** Nobody planned it, and no state was taken since it was first shown: its fill may be in none. */
  isYoung: boolean
}

/**
 * The working market stops of one coin. The venue may tell that an entry's stop works before the
 * position shows the entry's fill: the stop is `early`, and protects nothing of what was held before.
 * A stop that works, of an entry that still counts, is early by as much as counts. One that Guard did
 * not send in this run, so that its entry is not known, is early until a state was taken after it.
 */
export class CoinStops {
  readonly #long = emptySide(true)
  readonly #short = emptySide(false)
  /** By the name of an entry, how much of it still counts: it rests, is on its way, or filled unseen. */
  readonly #counting = new Map<string, Decimal>()
  /** The names under which each entry stands there. */
  readonly #named = new Map<OrderLife | TwapLife, readonly string[]>()
  readonly #byEntry = new Map<string, Set<CountedStop>>()
  readonly #counted = new Map<OrderLife | TwapLife, CountedStop>()
  readonly #young = new Set<CountedStop>()

  /** The working stops of a long or of a short position. */
  row(isLong: boolean): StopRow {
    return this.#of(isLong).row
  }

  /** How much of them may belong to fills that the position does not show, in units of the coin. */
  early(isLong: boolean): Decimal {
    return this.#of(isLong).early
  }

  /** The part of that which belongs to no entry that still counts. */
  unexplained(isLong: boolean): Decimal {
    return this.#of(isLong).unexplained
  }

  /** The early parts of stops, as what is promised for the fills that they belong to. */
  earlyPromises(isLong: boolean): readonly PromisedStop[] {
    return [...this.#counted.values()].flatMap((counted) => {
      const { isBuy, trigger } = counted.stop
      const size = this.#earlyPart(counted)
      return isBuy === isLong || size.isZero() ? [] : [{ trigger, size }]
    })
  }

  /** An order works as a stop from now on; what is in a state that was taken at `stateTakenAt` is seen. */
  add(life: OrderLife, stop: Stop, stateTakenAt: number): void {
    const isYoung = life.plan === null && (life.shownSince ?? 0) > stateTakenAt
    const counted = { life, stop, entries: entryNamesOfStop(life), isYoung }
    this.#counted.set(life, counted)
    if (isYoung) this.#young.add(counted)
    for (const name of counted.entries) {
      const others = this.#byEntry.get(name)
      if (others === undefined) this.#byEntry.set(name, new Set([counted]))
      else others.add(counted)
    }
    const side = this.#sideOf(stop)
    side.row = side.row.with(stop)
    this.#addEarly(counted, 1)
  }

  /** An entry may still fill, or has filled unseen, so much: its stop is early by as much. */
  count(entry: OrderLife, size: Decimal): void {
    const names = ownNames(entry)
    this.#named.set(entry, names)
    for (const name of names) this.#setCounting(name, size)
  }

  /** Takes out what was counted of an order, as a stop and as an entry. */
  forget(life: OrderLife | TwapLife): void {
    this.#removeStop(life)
    for (const name of this.#named.get(life) ?? []) this.#setCounting(name, null)
    this.#named.delete(life)
  }

  /** A state was taken then; whether a stop is not early any more by it. */
  stateTaken(at: number): boolean {
    let hasChanged = false
    for (const counted of this.#young) {
      if ((counted.life.shownSince ?? 0) > at) continue
      hasChanged = true
      this.#young.delete(counted)
      this.#change([counted], () => {
        counted.isYoung = false
      })
    }
    return hasChanged
  }

  #removeStop(life: OrderLife | TwapLife): void {
    const counted = this.#counted.get(life)
    if (counted === undefined) return
    this.#counted.delete(life)
    this.#young.delete(counted)
    for (const name of counted.entries) {
      const others = this.#byEntry.get(name)
      others?.delete(counted)
      if (others?.size === 0) this.#byEntry.delete(name)
    }
    const side = this.#sideOf(counted.stop)
    side.row = side.row.without(counted.stop)
    this.#addEarly(counted, -1)
  }

  #setCounting(name: string, size: Decimal | null): void {
    this.#change(this.#byEntry.get(name) ?? [], () => {
      if (size === null) this.#counting.delete(name)
      else this.#counting.set(name, size)
    })
  }

  /** Changes what these stops are early by, and keeps the sums. */
  #change(stops: Iterable<CountedStop>, change: () => void): void {
    for (const counted of stops) this.#addEarly(counted, -1)
    change()
    for (const counted of stops) this.#addEarly(counted, 1)
  }

  #addEarly(counted: CountedStop, sign: 1 | -1): void {
    const side = this.#sideOf(counted.stop)
    const early = this.#earlyPart(counted)
    const unexplained = early.minus(this.#explainedPart(counted))
    side.early = sign === 1 ? side.early.plus(early) : side.early.minus(early)
    side.unexplained =
      sign === 1 ? side.unexplained.plus(unexplained) : side.unexplained.minus(unexplained)
  }

  #earlyPart(counted: CountedStop): Decimal {
    return counted.isYoung ? counted.stop.size : this.#explainedPart(counted)
  }

  /** What of a stop belongs to an entry that still counts; one without a size takes whatever is held. */
  #explainedPart({ stop, entries }: CountedStop): Decimal {
    let counting = Decimal.zero
    for (const name of entries) {
      counting = Decimal.max(counting, this.#counting.get(name) ?? Decimal.zero)
    }
    return Decimal.min(counting, stop.size)
  }

  #sideOf({ isBuy }: Stop): Side {
    return this.#of(!isBuy)
  }

  #of(isLong: boolean): Side {
    return isLong ? this.#long : this.#short
  }
}

function emptySide(isLong: boolean): Side {
  return { row: new StopRow(isLong), early: Decimal.zero, unexplained: Decimal.zero }
}

/** The names of the entry that a stop came with: as the venue listed it, and as Guard planned it. */
function entryNamesOfStop({ action, plan, oid }: OrderLife): readonly string[] {
  const listed = `child ${oid}`
  const parent = plan?.parent ?? null
  return parent === null ? [listed] : [listed, `${action} ${parent}`]
}

/** The same names, as the entry itself has them. */
function ownNames({ action, plan, shown }: OrderLife): readonly string[] {
  const listed = (shown?.children ?? []).map((child) => `child ${child}`)
  return plan === null ? listed : [...listed, `${action} ${plan.index}`]
}
