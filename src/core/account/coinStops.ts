import { Decimal } from '../values/decimal.ts'
import type { OrderLife } from './orderLife.ts'
import type { Stop } from './stop.ts'
import { StopRow } from './stopRow.ts'
import type { TwapLife } from './twapLife.ts'

/** The stops of one side, in two rows that are one and the same while no fill is unseen. */
interface Side {
  /** All that work. */
  all: StopRow
  /** The same without what belongs to fills that the position does not show. */
  settled: StopRow
  /** By how much all of `settled` is smaller, in units of the coin. */
  early: Decimal
}

/** A stop as it is counted, with the names its entry may have. */
interface CountedStop {
  readonly stop: Stop
  readonly entries: readonly string[]
}

/**
 * The working market stops of one coin. The venue may tell that an entry's stop works before the
 * position shows the entry's fill. Until it does, that stop protects nothing of the position that is
 * shown: what was held before has its own, perhaps looser, stops, and its risk is counted at those.
 */
export class CoinStops {
  readonly #long = sideOf(true)
  readonly #short = sideOf(false)
  /** By the name of an entry, how much of it may be filled though the position does not show it. */
  readonly #unseen = new Map<string, Decimal>()
  /** The names under which each of those entries stands there. */
  readonly #hidden = new Map<OrderLife | TwapLife, readonly string[]>()
  readonly #byEntry = new Map<string, Set<CountedStop>>()
  readonly #counted = new Map<OrderLife | TwapLife, CountedStop>()

  /** The working stops of a long or of a short position. */
  all(isLong: boolean): StopRow {
    return (isLong ? this.#long : this.#short).all
  }

  /** Those of the fills that the position shows. */
  settled(isLong: boolean): StopRow {
    return (isLong ? this.#long : this.#short).settled
  }

  /** How much of the stops belongs to fills that the position does not show. */
  early(isLong: boolean): Decimal {
    return (isLong ? this.#long : this.#short).early
  }

  /** An order works as a stop from now on. */
  add(life: OrderLife, stop: Stop): void {
    const counted = { stop, entries: entriesOf(life) }
    this.#counted.set(life, counted)
    for (const name of counted.entries) {
      const others = this.#byEntry.get(name)
      if (others === undefined) this.#byEntry.set(name, new Set([counted]))
      else others.add(counted)
    }
    const side = this.#sideOf(stop)
    const part = this.#settledPart(counted)
    const wasOne = side.settled === side.all
    side.all = side.all.with(stop)
    side.settled = wasOne && part === stop ? side.all : side.settled.with(part)
    side.early = side.early.plus(lessOf(stop, part))
  }

  /** Takes out what was counted of an order, as a stop and as an entry. */
  forget(life: OrderLife | TwapLife): void {
    this.#removeStop(life)
    for (const name of this.#hidden.get(life) ?? []) this.#setUnseen(name, null)
    this.#hidden.delete(life)
  }

  #removeStop(life: OrderLife | TwapLife): void {
    const counted = this.#counted.get(life)
    if (counted === undefined) return
    this.#counted.delete(life)
    for (const name of counted.entries) {
      const others = this.#byEntry.get(name)
      others?.delete(counted)
      if (others?.size === 0) this.#byEntry.delete(name)
    }
    const { stop } = counted
    const side = this.#sideOf(stop)
    const part = this.#settledPart(counted)
    const wasOne = side.settled === side.all
    side.all = side.all.without(stop)
    side.early = side.early.minus(lessOf(stop, part))
    side.settled = wasOne || side.early.isZero() ? side.all : side.settled.without(part)
  }

  /** So much of an entry may be filled though the position does not show it. */
  hide(entry: OrderLife, size: Decimal): void {
    const names = namesOf(entry)
    this.#hidden.set(entry, names)
    for (const name of names) this.#setUnseen(name, size)
  }

  #setUnseen(name: string, size: Decimal | null): void {
    const stops = [...(this.#byEntry.get(name) ?? [])]
    const before = stops.map((counted) => this.#settledPart(counted))
    if (size === null) this.#unseen.delete(name)
    else this.#unseen.set(name, size)
    for (const [nth, counted] of stops.entries()) this.#resettle(counted, before[nth])
  }

  #resettle(counted: CountedStop, before: Stop | undefined): void {
    const now = this.#settledPart(counted)
    const { stop } = counted
    if (before === undefined || now === before) return
    const side = this.#sideOf(stop)
    side.early = side.early.plus(lessOf(before, now))
    side.settled = side.early.isZero() ? side.all : side.settled.without(before).with(now)
  }

  /** The stop with what is left of it for the position that is shown. */
  #settledPart({ stop, entries }: CountedStop): Stop {
    // A stop without a size of its own takes whatever is held.
    if (stop.size.isZero()) return stop
    let unseen = Decimal.zero
    for (const name of entries) {
      unseen = Decimal.max(unseen, this.#unseen.get(name) ?? Decimal.zero)
    }
    if (unseen.isZero()) return stop
    return { ...stop, size: stop.size.minus(Decimal.min(unseen, stop.size)) }
  }

  #sideOf({ isBuy }: Stop): Side {
    return isBuy ? this.#short : this.#long
  }
}

function sideOf(isLong: boolean): Side {
  const none = new StopRow(isLong)
  return { all: none, settled: none, early: Decimal.zero }
}

/** By how much a stop has got smaller. */
function lessOf(before: Stop, after: Stop): Decimal {
  return before.size.minus(after.size)
}

/** The names of the entry that a stop came with: as the venue listed it, and as Guard planned it. */
function entriesOf({ action, plan, oid }: OrderLife): readonly string[] {
  const listed = `child ${oid}`
  const parent = plan?.parent ?? null
  return parent === null ? [listed] : [listed, `${action} ${parent}`]
}

/** The same names, as the entry itself has them. */
function namesOf({ action, plan, shown }: OrderLife): readonly string[] {
  const listed = (shown?.children ?? []).map((child) => `child ${child}`)
  return plan === null ? listed : [...listed, `${action} ${plan.index}`]
}
