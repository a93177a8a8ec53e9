import type { RestingEntry } from './accountView.ts'

/**
 * The entries whose stop lies nearest to and farthest from their price, as a share of it, on each
 * side: at most four, and every other entry's share lies between theirs. What leverage all entries
 * of a coin bear depends on that share alone, so these few stand for any number of them.
 */
export class EntryExtremes {
  readonly #sides = new Map<boolean, Extremes>()

  add(entry: RestingEntry): void {
    if (entry.stop === null) return
    const known = this.#sides.get(entry.isBuy)
    if (known === undefined) {
      this.#sides.set(entry.isBuy, { least: entry, most: entry })
      return
    }
    if (isLower(entry, known.least)) known.least = entry
    if (isLower(known.most, entry)) known.most = entry
  }

  /** Whether the entry is one of them: without it they must be found anew. */
  has(entry: RestingEntry): boolean {
    const side = this.#sides.get(entry.isBuy)
    return side !== undefined && (side.least === entry || side.most === entry)
  }

  list(): RestingEntry[] {
    return [...this.#sides.values()].flatMap(({ least, most }) =>
      least === most ? [least] : [least, most],
    )
  }
}

interface Extremes {
  least: RestingEntry
  most: RestingEntry
}

/** Compares stop over price, multiplied out so that nothing is divided. */
function isLower(left: RestingEntry, right: RestingEntry): boolean {
  if (left.stop === null || right.stop === null) return false
  return left.stop.times(right.price).lt(right.stop.times(left.price))
}
