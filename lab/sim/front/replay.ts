import type { Result } from '../../../src/core/values/result.ts'
import { ok } from '../../../src/core/values/result.ts'
import type { VenueControl } from '../engine/venueControl.ts'
import type { PriceMove } from '../scenarioFile.ts'

/** A price path on its way: each step is taken when the venue's clock reaches it. */
export class Replay {
  readonly #moves: readonly PriceMove[]
  readonly #startMs: number
  #next = 0

  constructor(moves: readonly PriceMove[], startMs: number) {
    this.#moves = moves
    this.#startMs = startMs
  }

  /** Brings the venue to each step up to `nowMs`; the first step that is no price ends it. */
  advanceTo(venue: VenueControl, nowMs: number): Result<void> {
    for (;;) {
      const move = this.#moves[this.#next]
      if (move === undefined || this.#startMs + move.atMs > nowMs) return ok(undefined)
      this.#next += 1
      venue.advanceTo(this.#startMs + move.atMs)
      const done = venue.setPrice(move.coin, {
        mid: move.mid,
        ...(move.mark === null ? {} : { mark: move.mark }),
        ...(move.oracle === null ? {} : { oracle: move.oracle }),
      })
      if (!done.ok) return done
    }
  }
}
