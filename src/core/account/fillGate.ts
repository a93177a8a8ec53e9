import type { Fill } from '../protocol/venueState.ts'
import { RecentMap } from './recentMap.ts'

const fillsRemembered = 8192

/**
 * `new`: told for the first time. `known`: new to this run, but an earlier one has counted it; the
 * stream tells recent fills again after every start. `seen`: this run has had it.
 */
export type FillNews = 'new' | 'known' | 'seen'

/** Which fills a run has counted: all up to a moment of the venue, and those of that moment by name. */
export interface CountedFills {
  readonly until: number
  readonly fills: readonly string[]
}

/** The one place that knows which fills were told before; nothing behind it sees one twice. */
export class FillGate {
  readonly #seen = new RecentMap<string, true>(fillsRemembered)
  #earlier: { readonly until: number; readonly fills: ReadonlySet<string> } = {
    until: -1,
    fills: new Set(),
  }
  #until = -1
  #atUntil = new Set<string>()

  /** What a fill would be, were it taken now. */
  newsOf(fill: Fill): FillNews {
    const key = keyOf(fill)
    if (this.#seen.has(key)) return 'seen'
    const { until, fills } = this.#earlier
    return fill.at < until || (fill.at === until && fills.has(key)) ? 'known' : 'new'
  }

  take(fill: Fill): FillNews {
    const news = this.newsOf(fill)
    if (news === 'seen') return news
    const key = keyOf(fill)
    this.#seen.set(key, true)
    if (fill.at > this.#until) this.#atUntil = new Set()
    if (fill.at >= this.#until) {
      this.#until = fill.at
      this.#atUntil.add(key)
    }
    return news
  }

  /** What has been counted by now, for the next start. */
  record(): CountedFills {
    return { until: this.#until, fills: [...this.#atUntil] }
  }

  /** What an earlier run had counted; before the first fill. */
  restore({ until, fills }: CountedFills): void {
    if (until <= this.#earlier.until) return
    this.#earlier = { until, fills: new Set(fills) }
    this.#until = until
    this.#atUntil = new Set(fills)
  }
}

function keyOf({ tid, oid }: Fill): string {
  return `${tid}:${oid}`
}
