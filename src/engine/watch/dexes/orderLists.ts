import type { Millis } from '../../../core/values/millis.ts'
import type { VenueNews } from '../../ports.ts'

/**
 * Of which dexes the open orders are known since the start; the main one is ''. What rests there from
 * before is in nobody's memory: until it is listed, no sum has it.
 *
 * A list of the stream has no time, and one that stands still lists what was there before the last run
 * placed its last orders. So after an earlier run the orders of a builder dex are read, as those of the
 * main dex are. Where that fails the stream's list counts, if what the stream tells of the dex is not
 * older than that run's end.
 */
export class OrderLists {
  /** By the venue's time, in milliseconds; null where there was no earlier run. */
  #endedAt: number | null = null
  /** The latest moment of the venue that the stream has told of each. */
  readonly #toldAt = new Map<string, Millis>()
  readonly #streamed = new Set<string>()
  readonly #read = new Set<string>()
  readonly #unread = new Set<string>()
  #expected: readonly string[] = []

  /** `endedAt`: when the last run wrote its last record; null where there was none. */
  restore(endedAt: number | null): void {
    this.#endedAt = endedAt
  }

  /** Dexes on which an earlier run knew of something. */
  expect(dexes: readonly string[]): void {
    this.#expected = dexes
  }

  told(news: VenueNews): void {
    if (news.kind === 'orders') {
      const lists = news.source === 'read' ? this.#read : this.#streamed
      lists.add(news.dex ?? '')
    }
    const isState = news.kind === 'state' || news.kind === 'dex_states'
    if (!isState || news.source !== 'stream') return
    const states = news.kind === 'state' ? [['', news.state] as const] : news.states
    for (const [dex, state] of states) if (state !== null) this.#toldAt.set(dex, state.time)
  }

  /** The orders of a dex could not be read: from now on what the stream lists there may count. */
  failed(dex: string): void {
    this.#unread.add(dex)
  }

  /** Whether the orders of a dex are known as of now. */
  has(dex: string): boolean {
    if (this.#read.has(dex)) return true
    if (!this.#streamed.has(dex)) return false
    if (this.#endedAt === null) return true
    const isOfNow = (this.#toldAt.get(dex) ?? -Infinity) >= this.#endedAt
    return isOfNow && (dex === '' || this.#unread.has(dex))
  }

  /** Those of `names` that are not listed, and that are `wanted` or were expected. */
  missing(names: readonly string[], wanted: () => readonly string[]): readonly string[] {
    const unlisted = names.filter((name) => !this.has(name))
    if (unlisted.length === 0) return []
    const all = new Set([...this.#expected, ...wanted()])
    return unlisted.filter((name) => all.has(name))
  }
}
