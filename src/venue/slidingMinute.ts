import type { Clock } from '../engine/ports.ts'

const windowSeconds = 60

/** Weight by the second over a sliding minute: what came in the current second 60 s ago is out of it. */
export class SlidingMinute {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #buckets = new Array<number>(windowSeconds + 1).fill(0)
  #newest: number
  #total = 0

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock
    this.#newest = this.#second()
  }

  /** The weight that was added in the last minute. */
  total(): number {
    this.#roll()
    return this.#total
  }

  /** The current second, by the monotonic clock: a step of the wall clock must not free or freeze anything. */
  now(): number {
    this.#roll()
    return this.#newest
  }

  /** Adds to a second; false, and nothing added, where that is a minute ago. */
  add(weight: number, second = this.now()): boolean {
    this.#roll()
    if (this.#newest - second > windowSeconds) return false
    const at = this.#placeOf(second)
    this.#buckets[at] = (this.#buckets[at] ?? 0) + weight
    this.#total += weight
    return true
  }

  /** Of each second of the last minute, this one first. */
  history(): readonly number[] {
    this.#roll()
    return this.#buckets.map((_, ago) => this.#buckets[this.#placeOf(this.#newest - ago)] ?? 0)
  }

  #second(): number {
    return Math.floor(this.#clock.monotonicMs() / 1_000)
  }

  /** A monotonic clock may begin at zero: a second of the minute before is then negative. */
  #placeOf(second: number): number {
    const { length } = this.#buckets
    return ((second % length) + length) % length
  }

  #roll(): void {
    const now = this.#second()
    const steps = Math.min(now - this.#newest, this.#buckets.length)
    for (let step = 1; step <= steps; step++) {
      const at = this.#placeOf(now - steps + step)
      this.#total -= this.#buckets[at] ?? 0
      this.#buckets[at] = 0
    }
    this.#newest = Math.max(now, this.#newest)
  }
}
