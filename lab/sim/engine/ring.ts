/** Keeps the newest entries, at most `capacity` of them. */
export class Ring<T> {
  private readonly capacity: number
  private items: T[] = []
  private start = 0

  constructor(capacity: number) {
    this.capacity = capacity
  }

  push(item: T): T | undefined {
    if (this.items.length < this.capacity) {
      this.items.push(item)
      return undefined
    }
    const dropped = this.items[this.start]
    this.items[this.start] = item
    this.start = (this.start + 1) % this.capacity
    return dropped
  }

  get size(): number {
    return this.items.length
  }

  /** Oldest first, as a copy. */
  toArray(): T[] {
    return [...this.items.slice(this.start), ...this.items.slice(0, this.start)]
  }

  /** Newest first, as a copy. */
  newestFirst(): T[] {
    return this.toArray().reverse()
  }

  /** The newest entry. */
  last(): T | undefined {
    return this.items.at(this.start === 0 ? -1 : this.start - 1)
  }
}
