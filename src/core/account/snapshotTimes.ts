import type { Millis } from '../values/millis.ts'

/**
 * From when the snapshots are that the account includes. What is in flight is over once a snapshot
 * that was taken later than it could arrive does not show it.
 */
export class SnapshotTimes {
  /** The venue's own time of the last state. */
  stateTime = 0
  /** By Guard's clock: what was confirmed by then is in the last state, in the last list. */
  stateTakenAt = 0
  ordersTakenAt = 0

  tookState(time: Millis, takenAt: number): void {
    this.stateTime = Math.max(this.stateTime, time)
    this.stateTakenAt = Math.max(this.stateTakenAt, takenAt)
  }

  tookOrders(takenAt: number): void {
    this.ordersTakenAt = Math.max(this.ordersTakenAt, takenAt)
  }

  /** The clock was set: set ahead, earlier snapshots stay where they are and show nothing of what comes. */
  shift(ms: number): void {
    const back = Math.min(ms, 0)
    this.stateTakenAt += back
    this.ordersTakenAt += back
  }
}
