import type { Clock, EventReader, Timers } from '../../engine/ports.ts'
import type { HttpMetrics } from '../metrics/guardMetrics.ts'

/** How often a stream says that it is alive, and looks whether its reader is. */
export const heartbeatMs = 15_000

/** Someone who follows the events. */
export interface Follower {
  /** There is something new. */
  wake(): void
  heartbeat(): void
  /** Guard stops, or the follower is too slow. */
  end(): void
}

/**
 * Wakes followers once for a whole group of new events, after the current tick: however many read,
 * a request on its way to the venue never waits for them.
 */
export class EventHub {
  readonly #followers = new Set<Follower>()
  readonly #stop: (() => void)[]
  #isWoken = false

  constructor(reader: EventReader, timers: Timers, clock: Clock, metrics: HttpMetrics) {
    this.#stop = [
      reader.subscribe((event) => {
        metrics.eventLag(clock.now() - event.at_ms)
        this.#wakeSoon()
      }),
      timers.every(heartbeatMs, () => {
        for (const follower of this.#followers) follower.heartbeat()
      }),
    ]
  }

  /** The returned function ends it. */
  follow(follower: Follower): () => void {
    this.#followers.add(follower)
    return () => this.#followers.delete(follower)
  }

  close(): void {
    for (const stop of this.#stop) stop()
    for (const follower of this.#followers) follower.end()
    this.#followers.clear()
  }

  #wakeSoon(): void {
    if (this.#isWoken || this.#followers.size === 0) return
    this.#isWoken = true
    setImmediate(() => {
      this.#isWoken = false
      for (const follower of this.#followers) follower.wake()
    })
  }
}
