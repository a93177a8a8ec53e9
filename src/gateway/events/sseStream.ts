import type { EventReader, Log } from '../../engine/ports.ts'
import type { Answer } from '../http/answer.ts'
import type { HttpMetrics } from '../metrics/guardMetrics.ts'
import type { Follower } from './eventHub.ts'
import type { EventsQuery } from './eventsQuery.ts'
import { frameOf } from './frames.ts'
import type { Frame, Frames } from './frames.ts'
import { nextTurn } from './turns.ts'

const pageSize = 200
const heartbeat = ': \n\n'

/**
 * One reader of the live stream. It is pulled, never pushed: nothing is kept for a reader but its
 * place. While the socket is full the stream waits, and goes on from memory, or from the journal
 * when memory has moved on; a socket that takes nothing between two heartbeats is cut off.
 */
export class SseStream implements Follower {
  readonly #response: Answer
  readonly #reader: EventReader
  readonly #frames: Frames
  readonly #query: EventsQuery
  readonly #metrics: HttpMetrics
  readonly #log: Log
  #cursor: number
  #isFull = false
  #wasFull = false
  #isPumping = false
  #isEnding = false

  constructor(
    response: Answer,
    reader: EventReader,
    frames: Frames,
    query: EventsQuery,
    metrics: HttpMetrics,
    log: Log,
  ) {
    this.#response = response
    this.#reader = reader
    this.#frames = frames
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
    if (this.#isPumping) return
    // Nearly always there is one frame, in memory, and the socket takes it.
    if (this.#isInMemory()) {
      this.#write(this.#frames.after(this.#cursor, this.#query.kinds))
      if (this.#cursor >= this.#reader.lastSeq) return
    }
    void this.#pump()
  }

  heartbeat(): void {
    if (this.#isFull && this.#wasFull) {
      this.#metrics.slowReader('sse')
      this.#log.log('warn', 'a reader of the event stream took nothing and was cut off', {
        seq: this.#cursor,
      })
      this.#response.cutOff()
      return
    }
    this.#wasFull = this.#isFull
    if (!this.#isFull && this.#isOpen()) this.#isFull = !this.#response.write(heartbeat)
  }

  /** The last word of a run is `stopped`: the stream ends once its reader has been told. */
  end(): void {
    this.#isEnding = true
  }

  /** What is left, a frame in each turn of the loop, so that nobody waits for a long past. */
  async #pump(): Promise<void> {
    this.#isPumping = true
    try {
      while (!this.#isFull && this.#isOpen() && this.#cursor < this.#reader.lastSeq) {
        if (this.#isInMemory()) await this.#frames.behind.take(() => this.#writeFrame())
        else await this.#frames.past.take(() => this.#writePage())
      }
    } catch (error) {
      this.#log.log('warn', 'the journal could not be read for an event stream', {
        error: error instanceof Error ? error.message : String(error),
      })
      this.#response.cutOff()
    } finally {
      this.#isPumping = false
    }
  }

  #isInMemory(): boolean {
    return this.#cursor + 1 >= this.#reader.firstSeq
  }

  #writeFrame(): Promise<void> {
    if (this.#isInMemory()) this.#write(this.#frames.after(this.#cursor, this.#query.kinds))
    return Promise.resolve()
  }

  async #writePage(): Promise<void> {
    const { kinds } = this.#query
    const memoryStart = this.#reader.firstSeq
    const page = await this.#reader.page(this.#cursor, pageSize, kinds)
    let left = page
    while (left.length > 0) {
      const frame = frameOf(left, null)
      if (frame === null || !this.#write(frame)) return
      left = left.slice(left.findIndex(({ seq }) => seq === frame.upTo) + 1)
      await nextTurn()
    }
    // A short page means that nothing older than what memory held is left on disk.
    if (page.length < pageSize) this.#cursor = Math.max(this.#cursor, memoryStart - 1)
  }

  /** False when nothing more is to be written now; what is left is asked for again. */
  #write(frame: Frame | null): boolean {
    if (frame === null || this.#isFull || !this.#isOpen()) return false
    if (frame.bytes.length > 0) this.#isFull = !this.#response.write(frame.bytes)
    this.#cursor = frame.upTo
    if (this.#isEnding && frame.isLast) this.#response.end()
    return !this.#isFull
  }

  #isOpen(): boolean {
    return !this.#response.isOver && !this.#response.writableEnded
  }
}
