import type { Clock } from '../engine/ports.ts'

/**
 * How long ago something was asked for, by the monotonic clock and by the venue's time, whichever says
 * more: a machine that was suspended stops the one, and a step of the other is no reason to go on.
 */
export class LeaseTerm {
  readonly #clock: Clock
  readonly #askedMs: number
  readonly #askedAt: number

  /** Made before it is asked for, so that no way to the store and back is counted for its holder. */
  constructor(clock: Clock) {
    this.#clock = clock
    this.#askedMs = clock.monotonicMs()
    this.#askedAt = clock.now()
  }

  get ageMs(): number {
    const { monotonicMs, now } = this.#clocks()
    return Math.max(monotonicMs - this.#askedMs, now - this.#askedAt)
  }

  /** When it will be that old, by the venue's time. */
  endsAt(termMs: number): number {
    return Math.round(this.#clocks().now + termMs - this.ageMs)
  }

  #clocks(): { readonly monotonicMs: number; readonly now: number } {
    return { monotonicMs: this.#clock.monotonicMs(), now: this.#clock.now() }
  }
}
