import { medianOf, spreadOf } from './quantiles.ts'
import type { Spread } from './quantiles.ts'

/** What one thing costs once after a rest, and at p50 when nothing else is done between two. */
export interface Cost extends Spread {
  readonly loop: number
}

/** How one thing is timed: once after a rest, or with nothing else between two. */
export type How = 'rested' | 'looped'

/** The times of one thing. */
export class Times {
  readonly #rested: number[] = []
  readonly #looped: number[] = []

  add(how: How, took: number): void {
    if (how === 'rested') this.#rested.push(took)
    else this.#looped.push(took)
  }

  get cost(): Cost {
    return { ...spreadOf(this.#rested), loop: medianOf(this.#looped) }
  }
}
