import type { Clock } from '../../engine/ports.ts'

/** So many of something in each minute of the clock; in any sixty seconds it is at most twice that. */
export class PerMinute {
  readonly #max: number
  readonly #clock: Pick<Clock, 'monotonicMs'>
  #minute = NaN
  #count = 0

  constructor(max: number, clock: Pick<Clock, 'monotonicMs'>) {
    this.#max = max
    this.#clock = clock
  }

  /** False when there were as many already. */
  take(): boolean {
    const minute = Math.floor(this.#clock.monotonicMs() / 60_000)
    if (minute !== this.#minute) this.#count = 0
    this.#minute = minute
    if (this.#count >= this.#max) return false
    this.#count += 1
    return true
  }
}
