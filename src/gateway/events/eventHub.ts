import type { Clock, EventReader, Timers } from '../../engine/ports.ts'
import type { HttpMetrics } from '../metrics/guardMetrics.ts'

/** How often a stream says that it is alive, and looks whether its reader is. */
const heartbeatMs = 15_000
/**
 * How long new events wait for company. An order's decision and what became of it are told together
 * then, and as a rule only when the bot has its reply.
 */
export const gatherMs = 10
/** So many readers are told in one turn; a request that came meanwhile is served before the next. */
const perTurn = 8

/** Someone who follows the events. */
export interface Follower {
  /** There is something new. */
  wake(): void
  heartbeat(): void
  /** Guard stops: what is still to be told is told, and no more is waited for. */
  end(): void
}

/**
 * Wakes followers once for a whole group of new events, a few in each turn of the loop: however
 * many read, a request on its way to the venue does not wait for them.
 */
export class EventHub {
  readonly #followers = new Set<Follower>()
  readonly #timers: Timers
  readonly #stop: (() => void)[]
  #isWoken = false

  constructor(reader: EventReader, timers: Timers, clock: Clock, metrics: HttpMetrics) {
    this.#timers = timers
    this.#stop = [
      reader.subscribe((event) => {
        metrics.eventLag(clock.now() - event.at_ms)
        this.#wakeSoon()
      }),
      timers.every(heartbeatMs, () => {
        this.#inTurns((follower) => {
          follower.heartbeat()
        })
      }),
    ]
  }

  /** The returned function ends it. */
  follow(follower: Follower): () => void {
    this.#followers.add(follower)
    return () => this.#followers.delete(follower)
  }

  /** Guard stops; followers hear the end of it. */
  end(): void {
    for (const follower of [...this.#followers]) follower.end()
  }

  close(): void {
    for (const stop of this.#stop) stop()
    this.#followers.clear()
  }

  #wakeSoon(): void {
    if (this.#isWoken || this.#followers.size === 0) return
    this.#isWoken = true
    this.#timers.after(gatherMs, () => {
      this.#isWoken = false
      this.#inTurns((follower) => {
        follower.wake()
      })
    })
  }

  #inTurns(tell: (follower: Follower) => void): void {
    const left = [...this.#followers]
    const turn = (): void => {
      for (const follower of left.splice(0, perTurn)) {
        if (this.#followers.has(follower)) tell(follower)
      }
      if (left.length > 0) setImmediate(turn)
    }
    turn()
  }
}
