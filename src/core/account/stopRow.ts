import type { Decimal } from '../values/decimal.ts'
import { CoveringStops, emptyTree, isEmpty, isWhole, placed } from './coveringStops.ts'
import type { Covered, Lent, Placed } from './coveringStops.ts'
import type { Cover, Stop } from './stop.ts'
import type { SumTree } from './sumTree.ts'

interface Parts {
  readonly all: CoveringStops
  readonly others: CoveringStops
  readonly guards: SumTree<Placed>
  readonly newest: number
}

/**
 * The working market stops that protect one side of one coin, and which of them are Guard's own. It
 * never changes; `with` and `without` answer another row.
 */
export class StopRow {
  readonly isLong: boolean
  /** When the venue took the youngest that ever stood here, by its own clock. */
  readonly newest: number
  /** What they cover, all together. */
  readonly all: CoveringStops
  /** What those that are not Guard's own cover. */
  readonly others: CoveringStops
  readonly #guards: SumTree<Placed>

  constructor(isLong: boolean, parts?: Parts) {
    this.isLong = isLong
    this.all = parts?.all ?? new CoveringStops(isLong)
    this.others = parts?.others ?? this.all
    this.#guards = parts?.guards ?? emptyTree(isLong, true)
    this.newest = parts?.newest ?? 0
  }

  /** Whether one of them is Guard's own. */
  get hasGuards(): boolean {
    return !this.#guards.isEmpty
  }

  with(stop: Stop): StopRow {
    if (isEmpty(stop)) return this
    const isGuards = isGuardsOwn(stop)
    return new StopRow(this.isLong, {
      all: this.all.with(stop),
      others: isGuards ? this.others : this.others.with(stop),
      guards: isGuards ? this.#guards.with(placed(stop)) : this.#guards,
      newest: Math.max(this.newest, stop.placedAt),
    })
  }

  without(stop: Stop): StopRow {
    if (isEmpty(stop)) return this
    const isGuards = isGuardsOwn(stop)
    return new StopRow(this.isLong, {
      all: this.all.without(stop),
      others: isGuards ? this.others : this.others.without(stop),
      guards: isGuards ? this.#guards.without(placed(stop)) : this.#guards,
      newest: this.newest,
    })
  }

  cover(position: Covered, lent: Lent | null = null): Cover {
    return this.all.cover(position, lent)
  }

  list(): readonly Stop[] {
    return this.all.list()
  }

  /** The tightest stop of Guard's own that is at least so large; null when there is none. */
  guardsOver(size: Decimal): Stop | null {
    return this.#guards.firstMarked(size)?.stop ?? null
  }

  /** The tightest stop of Guard's own; null when there is none. */
  get tightestOfGuard(): Stop | null {
    return this.#guards.head?.stop ?? null
  }

  /** At most `most` of Guard's own stops, the loosest first. */
  loosestGuards(most: number): Stop[] {
    const found: Stop[] = []
    for (const { stop } of this.#guards.fromLast()) {
      if (found.length === most) break
      found.push(stop)
    }
    return found
  }

  /** At most `most` of Guard's own stops that are looser than a trigger, the loosest first. */
  guardsBeyond(trigger: Decimal, most: number): readonly Stop[] {
    const found: Stop[] = []
    for (const { stop } of this.#guards.fromLast()) {
      if (found.length === most || this.all.isAsTight(stop.trigger, trigger)) break
      found.push(stop)
    }
    return found
  }
}

/** One of Guard's own that has a size; one that takes whatever is held is never Guard's. */
function isGuardsOwn(stop: Stop): boolean {
  return stop.owner === 'guard' && !isWhole(stop)
}
