import type { BuilderDex } from '../../../core/protocol/decodeDexes.ts'
import type { Clock } from '../../ports.ts'

/** Which dexes are known, and which are no more, once a list was read. */
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
 * too, or until the main dex was told for 10 s and this one was not, and the list lacks it still.
 */
export class LeftOutDexes {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  /** When each was left out first, or was told of last since then, by the monotonic clock. */
  readonly #toldMs = new Map<string, number>()
  /**
   * The dexes that the stream's last states of all dexes had, and those that a list had since; null before
   * this connection has told any.
   */
  #inStream: Set<string> | null = null
  /** When the main dex was told last: while nothing is told at all, silence about another proves nothing. */
  #mainMs = -Infinity

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock
  }

  has(dex: string): boolean {
    return this.#toldMs.has(dex)
  }

  of(dexes: readonly string[]): readonly string[] {
    return dexes.filter((dex) => this.has(dex))
  }

  get areAny(): boolean {
    return this.#toldMs.size > 0
  }

  /** Whether the stream agrees of one of them that it is gone. */
  get isAgreed(): boolean {
    return [...this.#toldMs.keys()].some((dex) => this.#isMissedByStream(dex))
  }

  /** States were told, of all dexes by the stream or of some by a read; null where one was not read. */
  told(states: ReadonlyMap<string, object | null>, isOfAll: boolean): void {
    if (isOfAll) this.#inStream = new Set(states.keys())
    const nowMs = this.#clock.monotonicMs()
    for (const [dex, state] of states) {
      const isNamed = state !== null || isOfAll
      if (isNamed && this.#toldMs.has(dex)) this.#toldMs.set(dex, nowMs)
      if (isNamed && dex === '') this.#mainMs = nowMs
    }
  }

  /** The connection is lost: what it told of all dexes says nothing of what comes after. */
  streamLost(): void {
    this.#inStream = null
  }

  /**
   * A list was read. `before` are the dexes that were known with their places, `withState` those of which
   * a state is known: one of them that was not known is gone at once.
   */
  take(
    listed: readonly BuilderDex[],
    before: readonly BuilderDex[],
    withState: readonly string[],
  ): Joined {
    // A dex that is listed now may be younger than what the stream told last.
    for (const { name } of listed) this.#inStream?.add(name)
    const isListed = (dex: string): boolean => listed.some(({ name }) => name === dex)
    const isLacking = (dex: string): boolean => !isListed(dex)
    const lacking = before.map(({ name }) => name).filter(isLacking)
    const nowMs = this.#clock.monotonicMs()
    const sinceMs = new Map(lacking.map((dex) => [dex, this.#toldMs.get(dex) ?? nowMs]))
    this.#toldMs.clear()
    for (const [dex, ms] of sinceMs) {
      if (!this.#isMissedByStream(dex) && this.#mainMs - ms < goneAfterMs) this.#toldMs.set(dex, ms)
    }
    const kept = before.filter(({ name }) => this.has(name))
    return {
      dexes: [...listed, ...kept].toSorted((left, right) => left.index - right.index),
      inPlace: kept.filter(({ index }) => !listed.some((dex) => dex.index === index)),
      gone: [...new Set([...lacking, ...withState.filter(isLacking)])].filter(
        (dex) => !this.has(dex),
      ),
    }
  }

  #isMissedByStream(dex: string): boolean {
    return this.#inStream?.has(dex) === false
  }
}
