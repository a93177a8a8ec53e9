import { limits } from '../../core/values/limits.ts'
import type { EventKind, GuardEvent } from '../../core/events/guardEvent.ts'
import type { EventReader } from '../../engine/ports.ts'
import { bytesOf } from './eventBytes.ts'
import { Turns } from './turns.ts'

/** Events as one piece of a stream. */
export interface Frame {
  /** Empty when every event was left out by request. */
  readonly bytes: Buffer
  /** The last event it stands for. */
  readonly upTo: number
  /** It includes the last event of this run of Guard: none follows. */
  readonly isLast: boolean
}

const frameBytes = limits.eventFrameBytes
/** Readers stand at a few places at most; beyond that a frame is made for one reader. */
const sharedMax = limits.eventFramesSharedMax
const nothing = Buffer.alloc(0)

/**
 * What is in memory, cut into frames that are made once: all readers at the same place, which is
 * nearly all of them nearly always, are given the same bytes.
 */
export class Frames {
  readonly #reader: EventReader
  readonly #shared = new Map<string, Frame>()
  /** What is no longer in memory is read from the journal, for one reader at a time. */
  readonly past = new Turns()
  /** Readers who are behind catch up from memory: all of them together get one frame a turn of the loop. */
  readonly behind = new Turns()
  #lastSeq = -1

  constructor(reader: EventReader) {
    this.#reader = reader
  }

  /** The next frame after `since`; null when there is nothing newer. */
  after(since: number, kinds: readonly EventKind[] | null): Frame | null {
    const { lastSeq } = this.#reader
    if (since >= lastSeq) return null
    if (lastSeq !== this.#lastSeq) {
      this.#lastSeq = lastSeq
      this.#shared.clear()
    }
    const place = kinds === null ? String(since) : `${since} ${kinds.join()}`
    const shared = this.#shared.get(place)
    if (shared) return shared
    const frame = frameOf(this.#reader.since(since), kinds)
    if (frame !== null && this.#shared.size < sharedMax) this.#shared.set(place, frame)
    return frame
  }
}

/** The first events as one frame; null when there are none. */
export function frameOf(
  events: readonly GuardEvent[],
  kinds: readonly EventKind[] | null,
): Frame | null {
  const parts: Buffer[] = []
  let size = 0
  let last: GuardEvent | null = null
  for (const event of events) {
    if (size >= frameBytes) break
    last = event
    if (kinds !== null && !kinds.includes(event.kind)) continue
    const { sse } = bytesOf(event)
    parts.push(sse)
    size += sse.length
  }
  if (last === null) return null
  const [first = nothing] = parts
  return {
    bytes: parts.length > 1 ? Buffer.concat(parts, size) : first,
    upTo: last.seq,
    isLast: last.kind === 'stopped',
  }
}
