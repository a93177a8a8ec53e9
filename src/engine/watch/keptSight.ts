import { limits } from '../../core/values/limits.ts'
import type { Clock } from '../ports.ts'

/** One dex is looked at like this at most so often, and all of them together so many times a minute. */
const sameDexMs = 15_000
const minuteMs = 60_000

/**
 * A few reads of positions a minute that may take request weight kept for stops, so that no other read
 * can use it up: a position that is not seen gets no stop. They are so few that stops and closes keep
 * nearly all of that weight.
 */
export class KeptSight {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  #looks: readonly { readonly dex: string; readonly atMs: number }[] = []

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock
  }

  /** True when there is one for the positions on this dex, which is used by asking. */
  take(dex: string): boolean {
    const nowMs = this.#clock.monotonicMs()
    this.#looks = this.#looks.filter(({ atMs }) => nowMs - atMs < minuteMs)
    const isSoon = this.#looks.some((look) => look.dex === dex && nowMs - look.atMs < sameDexMs)
    if (isSoon || this.#looks.length >= limits.keptLooksMax) return false
    this.#looks = [...this.#looks, { dex, atMs: nowMs }]
    return true
  }
}
