import { limits } from '../values/limits.ts'
import { shifted } from '../values/millis.ts'
import type { Millis } from '../values/millis.ts'
import type { Taken } from './accountEvent.ts'

/** How old what a message says may be when it arrives. */
const streamLagMs = 1_000

/** When the venue last confirmed the state and the orders, and how old what it says is. */
export class Confirmations {
  #stateAt: Millis | null = null
  /** By dex, the main one with an empty name. */
  readonly #ordersAt = new Map<string, Millis>()
  /** The latest moment of the venue that the stream has told, and when it came. */
  #streamTold: { readonly time: Millis; readonly at: Millis } | null = null

  /** When the open orders were last listed, by the stream or by a read. */
  ordersAt(dex = ''): Millis | null {
    return this.#ordersAt.get(dex) ?? null
  }

  /** The stream told a state of this moment of the venue, whether or not it was news. */
  toldState(time: Millis, at: Millis): void {
    const last = this.#streamTold
    if (last === null || time > last.time) this.#streamTold = { time, at }
  }

  confirmState(at: Millis): void {
    this.#stateAt = at
  }

  confirmOrders(at: Millis, dex = ''): void {
    this.#ordersAt.set(dex, at)
  }

  /** The clock was set: what was confirmed keeps its age. */
  shift(ms: number): void {
    if (this.#streamTold !== null) {
      const { time, at } = this.#streamTold
      this.#streamTold = { time, at: shifted(at, ms) }
    }
    if (this.#stateAt !== null) this.#stateAt = shifted(this.#stateAt, ms)
    for (const [dex, at] of this.#ordersAt) this.#ordersAt.set(dex, shifted(at, ms))
  }

  /** Since when all of it is known, with `others` that count too; null until all of them came. */
  oldest(isLive: boolean, others: readonly (Millis | null)[]): Millis | null {
    // The stream sends orders on change only: while it is live, silence about them is news too.
    const listedAt = this.ordersAt()
    const ordersAt = isLive && listedAt !== null ? this.#stateAt : listedAt
    const all = [this.#stateAt, ordersAt, ...others]
    const known = all.filter((at) => at !== null)
    return known.length === all.length ? (Math.min(...known) as Millis) : null
  }

  /**
   * The latest moment, by Guard's clock, that a snapshot certainly still includes. What the stream
   * says is as old as the last moment it told, however often it repeats itself.
   */
  takenAt({ source, at, askedAt }: Taken & { readonly at: Millis }): number {
    if (source === 'read') return askedAt ?? at - limits.accountAgeMsMax
    return Math.min(at, this.#streamTold?.at ?? at) - streamLagMs
  }
}
