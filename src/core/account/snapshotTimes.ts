import { dexOf } from '../protocol/coinKind.ts'
import type { Coin } from '../values/coin.ts'
import type { Millis } from '../values/millis.ts'

/** When a state is from: by the venue's own time, and by Guard's clock, what was confirmed by then is in it. */
interface StateTaken {
  readonly time: number
  readonly takenAt: number
}

/**
 * From when the snapshots are that the account includes. What is in flight is over once a snapshot
 * that was taken later than it could arrive does not show it.
 */
export class SnapshotTimes {
  #state: StateTaken = { time: 0, takenAt: 0 }
  /** Of dexes whose part of the last state was told before the rest. */
  readonly #older = new Map<string, StateTaken>()
  /** What was confirmed by then, by Guard's clock, is in the last list of orders: each dex has its own. */
  readonly #ordersTakenAt = new Map<string, number>()

  /** `dexTimes` has the dexes whose part was told before: their times stay as they are. */
  tookState(
    time: Millis,
    takenAt: number,
    dexTimes: ReadonlyMap<string, Millis> = new Map(),
  ): void {
    for (const dex of dexTimes.keys()) this.#older.set(dex, this.#older.get(dex) ?? this.#state)
    for (const dex of this.#older.keys()) if (!dexTimes.has(dex)) this.#older.delete(dex)
    const last = this.#state
    this.#state = { time: Math.max(last.time, time), takenAt: Math.max(last.takenAt, takenAt) }
  }

  /** The venue's time of the last state of a coin's dex. */
  stateTime(coin: Coin): number {
    return this.#stateOf(coin).time
  }

  /** What was confirmed by then, by Guard's clock, is in the last state of a coin's dex; of no coin, of the main dex. */
  stateTakenAt(coin: Coin | null): number {
    return this.#stateOf(coin).takenAt
  }

  #stateOf(coin: Coin | null): StateTaken {
    return (coin === null ? undefined : this.#older.get(dexOf(coin))) ?? this.#state
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
    this.#state = { ...this.#state, takenAt: this.#state.takenAt + back }
    for (const [dex, { time, takenAt }] of this.#older) {
      this.#older.set(dex, { time, takenAt: takenAt + back })
    }
    for (const [dex, at] of this.#ordersTakenAt) this.#ordersTakenAt.set(dex, at + back)
  }
}
