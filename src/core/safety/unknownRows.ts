import type { AccountEvent } from '../account/accountEvent.ts'
import { RecentMap } from '../account/recentMap.ts'
import { limits } from '../values/limits.ts'

/** What is older is history: the list of the ledger begins long ago. */
const newsMs = 600_000

/** Finds rows of the venue's ledger of which nobody can tell what they did; each is told once. */
export class UnknownRows {
  readonly #seen = new RecentMap<string, true>(limits.unknownRowsMax)

  told(event: AccountEvent): readonly string[] {
    if (event.kind !== 'ledger') return []
    return event.entries.flatMap(({ id, type, unknown, at }) => {
      if (unknown === undefined || this.#seen.has(id)) return []
      this.#seen.set(id, true)
      if (event.at - at > newsMs) return []
      return [
        `the venue's ledger has a row that Guard cannot account for, ${type.slice(0, limits.unknownRowCharsMax)} of ${unknown.toString()} USDC: it counts as a deposit or a withdrawal where the balance moved by just that, and whatever else moved counts as profit or loss`,
      ]
    })
  }
}
