import type { Clock } from '../../engine/ports.ts'

const minuteMs = 60_000

/** Allows at most `max` of something in any sixty seconds, as the venue counts. */
export class PerMinute {
  readonly #max: number
  readonly #clock: Pick<Clock, 'monotonicMs'>
  /** When those of the last minute were taken, the earliest first. */
  #taken: number[] = []

  constructor(max: number, clock: Pick<Clock, 'monotonicMs'>) {
    this.#max = max
    this.#clock = clock
  }

  hasRoomFor(count: number): boolean {
    const now = this.#clock.monotonicMs()
    const kept = this.#taken.findIndex((at) => now - at < minuteMs)
    this.#taken = kept < 0 ? [] : this.#taken.slice(kept)
    return this.#taken.length + count <= this.#max
  }

  /** Takes all of them or, where there is no room for all, none. */
  take(count = 1): boolean {
    if (!this.hasRoomFor(count)) return false
    const now = this.#clock.monotonicMs()
    for (let n = 0; n < count; n += 1) this.#taken.push(now)
    return true
  }
}
