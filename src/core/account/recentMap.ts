/** A map that remembers the last `max` keys and forgets the oldest. */
export class RecentMap<K, V> {
  readonly #max: number
  readonly #entries = new Map<K, V>()
  /**
   * Stands before the oldest key. It is kept: a new walk would first pass over the places of all
   * that was forgotten since the map was last laid out anew.
   */
  readonly #oldest = this.#entries.keys()

  constructor(max: number) {
    this.#max = max
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: K): V | undefined {
    return this.#entries.get(key)
  }

  has(key: K): boolean {
    return this.#entries.has(key)
  }

  set(key: K, value: V): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    if (this.#entries.size > this.#max) this.#entries.delete(this.#oldest.next().value as K)
  }

  delete(key: K): void {
    this.#entries.delete(key)
  }

  /** Oldest first. */
  keys(): Iterable<K> {
    return this.#entries.keys()
  }

  /** Oldest first. */
  values(): Iterable<V> {
    return this.#entries.values()
  }
}
