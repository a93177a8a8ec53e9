import { limits } from '../core/values/limits.ts'
import { GatheredBytes } from './gatheredBytes.ts'

const lineBytesMax = limits.venueChunkLineBytesMax
const trailerBytesMax = limits.venueHeadBytesMax

type State =
  /** The line with the length of the next piece. */
  | { readonly kind: 'size' }
  /** So many bytes of the piece are still to come. */
  | { readonly kind: 'data'; readonly left: number }
  /** The line end behind a piece. */
  | { readonly kind: 'data_end' }
  | { readonly kind: 'trailers' }
  | { readonly kind: 'whole' }

/** A body that comes in pieces, each with its length before it. Every byte is looked at once. */
export class ChunkedBody {
  readonly #bytesMax: number
  readonly #body = new GatheredBytes()
  #state: State = { kind: 'size' }
  /** The beginning of a line whose end has not come. */
  #line = ''
  #trailerBytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  get isWhole(): boolean {
    return this.#state.kind === 'whole'
  }

  get body(): Buffer {
    return this.#body.bytes
  }

  /** Takes what belongs to the body; what comes behind its end is given back. */
  take(received: Buffer): Buffer {
    let at = 0
    while (at < received.length && this.#state.kind !== 'whole') {
      at +=
        this.#state.kind === 'data'
          ? this.#data(this.#state.left, received, at)
          : this.#lines(received, at)
    }
    return received.subarray(at)
  }

  #data(left: number, received: Buffer, at: number): number {
    const taken = Math.min(left, received.length - at)
    this.#body.add(received.subarray(at, at + taken))
    this.#state = taken === left ? { kind: 'data_end' } : { kind: 'data', left: left - taken }
    return taken
  }

  /** The rest of a line, or as much of it as is there; how many bytes that was. */
  #lines(received: Buffer, at: number): number {
    const end = received.indexOf(lineFeed, at)
    const taken = (end < 0 ? received.length : end + 1) - at
    if (this.#line.length + taken > lineBytesMax + 2) throw new Error(noLength)
    this.#line += received.toString('latin1', at, at + taken)
    if (this.#line.endsWith('\r\n')) {
      const line = this.#line.slice(0, -2)
      this.#line = ''
      this.#state = this.#after(line)
    }
    return taken
  }

  #after(line: string): State {
    switch (this.#state.kind) {
      case 'data_end':
        if (line !== '') throw new Error('a piece of the answer is longer than its length')
        return { kind: 'size' }
      case 'trailers':
        this.#trailerBytes += line.length
        if (this.#trailerBytes > trailerBytesMax) throw new Error('too much behind the answer')
        return line === '' ? { kind: 'whole' } : { kind: 'trailers' }
      default: {
        const size = pieceSize(line)
        if (this.#body.length + size > this.#bytesMax) throw new Error(tooLong(this.#bytesMax))
        return size === 0 ? { kind: 'trailers' } : { kind: 'data', left: size }
      }
    }
  }
}

function pieceSize(line: string): number {
  const digits = /^([0-9a-fA-F]{1,8})(?:\s*;.*)?$/.exec(line)?.[1]
  if (digits === undefined) throw new Error(noLength)
  return Number.parseInt(digits, 16)
}

export const tooLong = (most: number): string => `an answer of more than ${most} bytes`
const noLength = 'a piece of the answer has no length'
const lineFeed = 0x0a
