import type { Millis } from '../core/values/millis.ts'

/**
 * Whether the venue's own time stands still: snapshots keep coming and say the same moment. Such a
 * stream looks alive and knows nothing.
 */
export class StoppedVenueTime {
  private readonly afterMs: number
  private time: Millis | null = null
  private movedMs = 0
  private stands = false

  constructor(afterMs: number) {
    this.afterMs = afterMs
  }

  get isStanding(): boolean {
    return this.stands
  }

  /** How long the same moment has been told. */
  forMs(nowMs: number): number {
    return this.stands ? nowMs - this.movedMs : 0
  }

  /** A snapshot of this venue time came: also on a new connection the same moment is no news. */
  seen(time: Millis, nowMs: number): void {
    if (this.time === null || time > this.time) {
      this.time = time
      this.movedMs = nowMs
    }
    this.stands = nowMs - this.movedMs >= this.afterMs
  }
}
