import type { BuilderDex } from '../../../core/protocol/decodeDexes.ts'
import type { Clock } from '../../ports.ts'

/** What a list leaves known. */
interface Joined {
  /** Those that it has, and those that it lacks and that stay, by their places. */
  readonly dexes: readonly BuilderDex[]
  /** Those that stay and whose place has not become another's: only their perps have an id that may be right. */
  readonly inPlace: readonly BuilderDex[]
  readonly gone: readonly string[]
}

/** So long nothing may have told of a dex that the venue's list lacks before the list is believed. */
const goneAfterMs = 10_000

/**
 * Dexes that the venue's last list lacks though they were there. One answer alone may be wrong, and with
 * a dex go its positions, its stops and its ids: it stays until the stream's states of all dexes lack it
 * too, or until nothing has told of it for 10 s and the list lacks it still.
 */
export class LeftOutDexes {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  /** When each was left out first, or was told of last since then, by the monotonic clock. */
  readonly #toldMs = new Map<string, number>()
  /** The dexes in the stream's last states of all dexes; null before it has told any. */
  #inStream: ReadonlySet<string> | null = null

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock
  }

  has(dex: string): boolean {
    return this.#toldMs.has(dex)
  }

  /** Whether the stream agrees of one of them that it is gone. */
  get isAgreed(): boolean {
    return [...this.#toldMs.keys()].some((dex) => this.#isMissedByStream(dex))
  }

  /** States were told, of all dexes by the stream or of some by a read; null where one was not read. */
  told(states: ReadonlyMap<string, object | null>, isOfAll: boolean): void {
    if (isOfAll) this.#inStream = new Set(states.keys())
    for (const [dex, state] of states) {
      if (state !== null && this.#toldMs.has(dex)) this.#toldMs.set(dex, this.#clock.monotonicMs())
    }
  }

  /**
   * A list was read. `before` are the dexes that were known with their places, `told` those of which the
   * account was told a state.
   */
  take(
    listed: readonly BuilderDex[],
    before: readonly BuilderDex[],
    told: readonly string[],
  ): Joined {
    const isListed = (dex: string): boolean => listed.some(({ name }) => name === dex)
    const known = [...new Set([...before.map(({ name }) => name), ...told])].filter(
      (dex) => !isListed(dex),
    )
    const nowMs = this.#clock.monotonicMs()
    const sinceMs = new Map(known.map((dex) => [dex, this.#toldMs.get(dex) ?? nowMs]))
    this.#toldMs.clear()
    for (const [dex, ms] of sinceMs) {
      if (!this.#isMissedByStream(dex) && nowMs - ms < goneAfterMs) this.#toldMs.set(dex, ms)
    }
    const kept = before.filter(({ name }) => this.has(name))
    return {
      dexes: [...listed, ...kept].toSorted((left, right) => left.index - right.index),
      inPlace: kept.filter(({ index }) => !listed.some((dex) => dex.index === index)),
      gone: known.filter((dex) => !this.has(dex)),
    }
  }

  #isMissedByStream(dex: string): boolean {
    return this.#inStream?.has(dex) === false
  }
}
