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

  /** Of the newest entries as many as are wanted without a gap; oldest first, as a copy. */
  newestWhile(isWanted: (item: T) => boolean): T[] {
    const late = newestWhile(this.items.slice(0, this.start), isWanted)
    if (late.length < this.start) return late
    return [...newestWhile(this.items.slice(this.start), isWanted), ...late]
  }

  /** The newest entry. */
  last(): T | undefined {
    return this.items.at(this.start === 0 ? -1 : this.start - 1)
  }
}

/** The same of a list whose newest entry is the last. */
export function newestWhile<T>(items: readonly T[], isWanted: (item: T) => boolean): T[] {
  return items.slice(items.findLastIndex((item) => !isWanted(item)) + 1)
}
