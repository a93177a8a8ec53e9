import { dexOf } from '../protocol/coinKind.ts'
import type { Coin } from '../values/coin.ts'
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
  /** The same of lists of orders: each dex has its own. */
  readonly #ordersTakenAt = new Map<string, number>()

  tookState(time: Millis, takenAt: number): void {
    this.stateTime = Math.max(this.stateTime, time)
    this.stateTakenAt = Math.max(this.stateTakenAt, takenAt)
  }

  tookOrders(takenAt: number, dex = ''): void {
    this.#ordersTakenAt.set(dex, Math.max(this.#ofDex(dex), takenAt))
  }

  /** What was confirmed by then is in the last list of the coin's dex; of no coin, in that of the main dex. */
  ordersTakenAt(coin: Coin | null): number {
    return this.#ofDex(coin === null ? '' : dexOf(coin))
  }

  #ofDex(dex: string): number {
    return this.#ordersTakenAt.get(dex) ?? 0
  }

  /** The clock was set: set ahead, earlier snapshots stay where they are and show nothing of what comes. */
  shift(ms: number): void {
    const back = Math.min(ms, 0)
    this.stateTakenAt += back
    for (const [dex, at] of this.#ordersTakenAt) this.#ordersTakenAt.set(dex, at + back)
  }
}
