import type { Clock, EventReader, Timers } from '../../engine/ports.ts'
import type { HttpMetrics } from '../metrics/guardMetrics.ts'

/** How often a stream says that it is alive, and looks whether its reader is. */
export const heartbeatMs = 15_000

/** Someone who follows the events. */
export interface Follower {
  /** There is something new. */
  wake(): void
  heartbeat(): void
  /** Guard stops: what is still to be told is told, and no more is waited for. */
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
    setImmediate(() => {
      this.#isWoken = false
      for (const follower of this.#followers) follower.wake()
    })
  }
}
