/**
 * The last of many, up to a bound on their number and one on what they weigh together. The newest is
 * always kept, whatever it weighs.
 */
export class LastFew<T> {
  readonly #max: number
  readonly #weightMax: number
  readonly #items: (T | undefined)[] = []
  readonly #weights: number[] = []
  /** Where the oldest stands, and how many there are from there on, over the end to the front. */
  #oldest = 0
  #size = 0
  #weight = 0

  constructor(max: number, weightMax = Infinity) {
    this.#max = max
    this.#weightMax = weightMax
  }

  get size(): number {
    return this.#size
  }

  add(item: T, weight = 0): void {
    while (this.#size > 0 && (this.#size >= this.#max || this.#weight + weight > this.#weightMax)) {
      this.#dropOldest()
    }
    const place = (this.#oldest + this.#size) % this.#max
    this.#items[place] = item
    this.#weights[place] = weight
    this.#weight += weight
    this.#size += 1
  }

  /** The one so many places before the newest; undefined when that is further back than is kept. */
  back(places: number): T | undefined {
    if (places < 0 || places >= this.#size) return undefined
    return this.#items[(this.#oldest + this.#size - 1 - places) % this.#max]
  }

  /** The newest so many, oldest first. */
  newest(count: number): T[] {
    const wanted = Math.min(count, this.#size)
    const first = (this.#oldest + this.#size - wanted) % this.#max
    // The two runs in which they stand: up to the end, and from the beginning on.
    const upToEnd = this.#items.slice(first, Math.min(first + wanted, this.#max))
    const wrapped = this.#items.slice(0, wanted - upToEnd.length)
    return [...upToEnd, ...wrapped] as T[]
  }

  #dropOldest(): void {
    this.#weight -= this.#weights[this.#oldest] ?? 0
    this.#items[this.#oldest] = undefined
    this.#oldest = (this.#oldest + 1) % this.#max
    this.#size -= 1
  }
}
