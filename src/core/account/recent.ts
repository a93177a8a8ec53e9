/** A map that remembers the last `max` keys and forgets the oldest. */
export class Recent<K, V> {
  readonly #max: number
  readonly #entries = new Map<K, V>()

  constructor(max: number) {
    this.#max = max
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
    if (this.#entries.size <= this.#max) return
    const [oldest] = this.#entries.keys()
    this.#entries.delete(oldest as K)
  }

  keys(): Iterable<K> {
    return this.#entries.keys()
  }
}
