/**
 * A map that remembers the latest keys, `max` of them at most and never fewer than half as many. It
 * forgets the older half at once: a map that lets go of one key for each it takes is laid out anew
 * all the time.
 */
export class Recent<K, V> {
  readonly #half: number
  #older = new Map<K, V>()
  #newer = new Map<K, V>()

  constructor(max: number) {
    this.#half = Math.ceil(max / 2)
  }

  get(key: K): V | undefined {
    return this.#newer.get(key) ?? this.#older.get(key)
  }

  has(key: K): boolean {
    return this.#newer.has(key) || this.#older.has(key)
  }

  set(key: K, value: V): void {
    if (this.#newer.size >= this.#half && !this.#newer.has(key)) {
      this.#older = this.#newer
      this.#newer = new Map()
    }
    this.#newer.set(key, value)
  }

  /** Oldest first. */
  keys(): Iterable<K> {
    const older = [...this.#older.keys()].filter((key) => !this.#newer.has(key))
    return [...older, ...this.#newer.keys()]
  }
}
