import type { GuardEvent } from '../core/events/guardEvent.ts'
import type { Log } from '../engine/ports.ts'
import { causeText } from './journalError.ts'
import { LastFew } from './lastFew.ts'

/** An event, and how many bytes its record takes on disk. */
interface SizedEvent {
  readonly event: GuardEvent
  readonly bytes: number
}

/** The last events in memory, and those who listen; fed only with what is on disk. */
export class EventRing {
  readonly #log: Log
  readonly #events: LastFew<GuardEvent>
  #lastSeq: number
  readonly #listeners = new Set<(event: GuardEvent) => void>()

  constructor(capacity: number, bytesMax: number, lastSeq: number, log: Log) {
    this.#events = new LastFew(capacity, bytesMax)
    this.#lastSeq = lastSeq
    this.#log = log
  }

  get firstSeq(): number {
    return Math.max(1, this.#lastSeq - this.#events.size + 1)
  }

  get lastSeq(): number {
    return this.#lastSeq
  }

  add(added: readonly SizedEvent[]): void {
    for (const { event, bytes } of added) this.#events.add(event, bytes)
    this.#lastSeq = added.at(-1)?.event.seq ?? this.#lastSeq
    for (const { event } of added) {
      for (const listener of [...this.#listeners]) this.#tell(listener, event)
    }
  }

  since(since: number): readonly GuardEvent[] {
    const count = this.#lastSeq - since
    return count <= 0 ? [] : this.#events.newest(count)
  }

  get(seq: number): GuardEvent | null {
    const event = this.#events.back(this.#lastSeq - seq)
    return event?.seq === seq ? event : null
  }

  subscribe(listener: (event: GuardEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  #tell(listener: (event: GuardEvent) => void, event: GuardEvent): void {
    try {
      listener(event)
    } catch (error) {
      this.#log.log('error', `a listener failed on event ${event.seq}: ${causeText(error)}`)
    }
  }
}
