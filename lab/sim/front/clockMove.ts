import type { VenueControl } from '../engine/venueControl.ts'

/** Steps of the venue between two looks at what else there is to do. */
const stepsAtOnce = 200
/** Requests and messages that wait for a clock on its way; more are turned away. */
const waitingMax = 1_000

/** Calls back after whatever else waits has had its turn. */
export type Pause = (go: () => void) => void

/**
 * A clock that is moved far takes a while. It goes there in parts, and what comes meanwhile waits
 * until it has arrived: nobody sees the venue on its way.
 */
export class ClockMove {
  readonly #venue: VenueControl
  /** Null: the clock is moved in one go, and nothing else has a turn meanwhile. */
  readonly #pause: Pause | null
  readonly #tell: () => void
  #waiting: (() => void)[] = []
  isUnderWay = false

  constructor(venue: VenueControl, pause: Pause | null, tell: () => void) {
    this.#venue = venue
    this.#pause = pause
    this.#tell = tell
  }

  to(targetMs: number, done: () => void): void {
    this.isUnderWay = true
    const isThere = this.#venue.advanceTo(targetMs, this.#pause === null ? Infinity : stepsAtOnce)
    if (!isThere && this.#pause !== null) {
      this.#tell()
      this.#pause(() => {
        this.to(targetMs, done)
      })
      return
    }
    this.isUnderWay = false
    done()
    const waiting = this.#waiting
    this.#waiting = []
    for (const run of waiting) this.whenStill(run)
  }

  /** Runs it now, or when the clock has arrived; false when too much waits already. */
  whenStill(run: () => void): boolean {
    if (!this.isUnderWay) run()
    else if (this.#waiting.length >= waitingMax) return false
    else this.#waiting.push(run)
    return true
  }
}
