/** The last of many, up to a bound; once full it takes no more and no less memory. */
export class LastFew<T> {
  readonly #max: number
  readonly #items: T[] = []
  /** Where the oldest stands, once it is full. */
  #oldest = 0

  constructor(max: number) {
    this.#max = max
  }

  get size(): number {
    return this.#items.length
  }

  add(item: T): void {
    if (this.#items.length < this.#max) {
      this.#items.push(item)
      return
    }
    this.#items[this.#oldest] = item
    this.#oldest = (this.#oldest + 1) % this.#max
  }

  /** The one so many places before the newest; undefined when that is further back than is kept. */
  back(places: number): T | undefined {
    const { length } = this.#items
    if (places < 0 || places >= length) return undefined
    return this.#items[(this.#oldest + length - 1 - places) % length]
  }

  /** The newest so many, oldest first. */
  newest(count: number): T[] {
    const { length } = this.#items
    const first = this.#oldest + Math.max(0, length - count)
    // The two runs in which they stand: up to the end, and from the beginning on.
    const wrapped = Math.max(0, first - length)
    return [...this.#items.slice(first), ...this.#items.slice(wrapped, this.#oldest)]
  }
}
