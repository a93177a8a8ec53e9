import type { ServerResponse } from 'node:http'
import type { GuardEvent } from '../../core/events/guardEvent.ts'
import type { EventReader, Log } from '../../engine/ports.ts'
import type { HttpMetrics } from '../metrics/guardMetrics.ts'
import { bytesOf } from './eventBytes.ts'
import type { Follower } from './eventHub.ts'
import type { EventsQuery } from './eventsQuery.ts'

const pageSize = 200
const chunkBytes = 65_536
const heartbeat = ': \n\n'

/** Events in order, and the place up to which nothing else is to come once they are written. */
interface Batch {
  readonly events: readonly GuardEvent[]
  readonly upTo: number
}

/**
 * One reader of the live stream. It is pulled, never pushed: nothing is kept for a reader but its
 * place. While the socket is full the stream waits, and goes on from memory, or from the journal
 * when memory has moved on; a socket that takes nothing between two heartbeats is cut off.
 */
export class SseStream implements Follower {
  readonly #response: ServerResponse
  readonly #reader: EventReader
  readonly #query: EventsQuery
  readonly #metrics: HttpMetrics
  readonly #log: Log
  #cursor: number
  #isFull = false
  #wasFull = false
  #isPumping = false
  #isEnding = false

  constructor(
    response: ServerResponse,
    reader: EventReader,
    query: EventsQuery,
    metrics: HttpMetrics,
    log: Log,
  ) {
    this.#response = response
    this.#reader = reader
    this.#query = query
    this.#metrics = metrics
    this.#log = log
    this.#cursor = query.since
    response.on('drain', () => {
      this.#isFull = false
      this.#wasFull = false
      this.wake()
    })
  }

  wake(): void {
    void this.#pump()
  }

  heartbeat(): void {
    if (this.#isFull && this.#wasFull) {
      this.#metrics.slowReader('sse')
      this.#log.log('warn', 'a reader of the event stream took nothing and was cut off', {
        seq: this.#cursor,
      })
      this.#response.destroy()
      return
    }
    this.#wasFull = this.#isFull
    if (!this.#isFull) this.#write(heartbeat)
  }

  /** The last word of a run is `stopped`: the stream ends once its reader has been told. */
  end(): void {
    this.#isEnding = true
  }

  async #pump(): Promise<void> {
    if (this.#isPumping) return
    this.#isPumping = true
    try {
      while (!this.#isFull && this.#isOpen()) {
        const batch = await this.#next()
        if (batch === null) return
        this.#send(batch)
      }
    } catch (error) {
      this.#log.log('warn', 'the journal could not be read for an event stream', {
        error: error instanceof Error ? error.message : String(error),
      })
      this.#response.destroy()
    } finally {
      this.#isPumping = false
    }
  }

  /** The events after the cursor; null when there are none yet. */
  async #next(): Promise<Batch | null> {
    if (this.#cursor + 1 >= this.#reader.firstSeq) {
      const events = this.#reader.since(this.#cursor)
      return events.length > 0 ? { events, upTo: this.#cursor } : null
    }
    const memoryStart = this.#reader.firstSeq
    const events = await this.#reader.page(this.#cursor, pageSize, this.#query.kinds)
    // A short page means that nothing older than what memory held is left on disk.
    return { events, upTo: events.length < pageSize ? memoryStart - 1 : this.#cursor }
  }

  /** Writes until the socket is full; what is left is asked for again. */
  #send({ events, upTo }: Batch): void {
    const { kinds } = this.#query
    let chunk: Buffer[] = []
    let size = 0
    for (const event of events) {
      this.#cursor = event.seq
      if (kinds !== null && !kinds.includes(event.kind)) continue
      const { sse } = bytesOf(event)
      chunk.push(sse)
      size += sse.length
      if (size < chunkBytes) continue
      if (!this.#write(Buffer.concat(chunk))) return
      chunk = []
      size = 0
    }
    if (size > 0) this.#write(Buffer.concat(chunk))
    this.#cursor = Math.max(this.#cursor, upTo)
    if (this.#isEnding && events.at(-1)?.kind === 'stopped') this.#response.end()
  }

  #write(bytes: string | Buffer): boolean {
    if (!this.#isOpen()) return false
    this.#isFull = !this.#response.write(bytes)
    return !this.#isFull
  }

  #isOpen(): boolean {
    return !this.#response.destroyed && !this.#response.writableEnded
  }
}
