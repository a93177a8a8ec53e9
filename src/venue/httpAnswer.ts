import { limits } from '../core/values/limits.ts'
import { ChunkedBody, tooLong } from './chunkedBody.ts'
import { GatheredBytes } from './gatheredBytes.ts'

/** A whole answer of an HTTP/1.1 server. */
interface HttpAnswer {
  readonly status: number
  readonly body: Buffer
  /** For how long the connection may lie idle before its next request; 0 when it may not. */
  readonly idleMs: number
  /** What the server's clock showed, in whole seconds of UTC epoch milliseconds, where it said so. */
  readonly dateMs?: number
}

export type Progress =
  | { readonly kind: 'more' }
  | { readonly kind: 'whole'; readonly answer: HttpAnswer }
  /** Not an answer that could be trusted; the connection is of no more use. */
  | { readonly kind: 'bad'; readonly error: string }

/**
 * Reads one answer from what a connection receives. It takes what servers send and nothing that
 * could be read in two ways: an answer that is doubtful about its own end is no answer.
 */
export class AnswerReader {
  readonly #bodyBytesMax: number
  readonly #kept = new GatheredBytes()
  /** So much of what is kept holds no end of a head. */
  #searched = 0
  #head: Head | null = null
  #chunked: ChunkedBody | null = null

  constructor(bodyBytesMax: number) {
    this.#bodyBytesMax = bodyBytesMax
  }

  take(received: Buffer): Progress {
    try {
      if (this.#chunked !== null && this.#head !== null) {
        return this.#readChunks(this.#head, this.#chunked, received)
      }
      this.#kept.add(received)
      return this.#read()
    } catch (error) {
      return { kind: 'bad', error: error instanceof Error ? error.message : String(error) }
    }
  }

  /** The server has closed: for some answers that is how their end is told. */
  end(): Progress {
    const head = this.#head
    if (head?.framing.kind !== 'until_close') {
      const where = head === null && this.#kept.length === 0 ? 'before' : 'in the middle of'
      return { kind: 'bad', error: `the connection closed ${where} the answer` }
    }
    return whole(head, this.#kept.bytes, 0)
  }

  #read(): Progress {
    while (this.#head === null) {
      const { bytes } = this.#kept
      const end = bytes.indexOf('\r\n\r\n', this.#searched)
      if (end < 0) {
        this.#searched = Math.max(0, bytes.length - 3)
        if (this.#kept.length > headBytesMax) throw new Error('the head of the answer is too long')
        return more
      }
      const head = readHead(bytes.toString('latin1', 0, end))
      this.#kept.drop(end + 4)
      this.#searched = 0
      // What is only said on the way to an answer is passed over.
      if (head.status >= 200) this.#head = head
      else if (head.status === 101) throw new Error('the server changes the protocol')
    }
    return this.#readBody(this.#head)
  }

  #readBody(head: Head): Progress {
    const { framing } = head
    if (framing.kind === 'chunked') {
      this.#chunked = new ChunkedBody(this.#bodyBytesMax)
      return this.#readChunks(head, this.#chunked, this.#kept.bytes)
    }
    const length = framing.kind === 'length' ? framing.bytes : this.#kept.length
    if (length > this.#bodyBytesMax) throw new Error(tooLong(this.#bodyBytesMax))
    if (framing.kind === 'until_close' || this.#kept.length < length) return more
    if (this.#kept.length > length) throw new Error('more than one answer to one request')
    return whole(head, this.#kept.bytes, head.idleMs)
  }

  #readChunks(head: Head, chunked: ChunkedBody, received: Buffer): Progress {
    const left = chunked.take(received)
    if (!chunked.isWhole) return more
    if (left.length > 0) throw new Error('more than one answer to one request')
    return whole(head, chunked.body, head.idleMs)
  }
}

interface Head {
  readonly status: number
  readonly framing: Framing
  readonly idleMs: number
  readonly dateMs: number
}

type Framing =
  | { readonly kind: 'length'; readonly bytes: number }
  | { readonly kind: 'chunked' }
  | { readonly kind: 'until_close' }

function readHead(text: string): Head {
  const lines = text.split('\r\n')
  const start = /^HTTP\/1\.([01]) (\d{3})(?: |$)/.exec(lines[0] ?? '')
  if (start === null) throw new Error('what the server sent does not begin like an answer')
  const status = Number(start[2])
  let length: number | null = null
  let isChunked = false
  let idleMs = start[1] === '1' ? idleMsMax : 0
  let dateMs = NaN
  for (const line of lines.slice(1)) {
    const colon = line.indexOf(':')
    const name = line.slice(0, Math.max(0, colon)).toLowerCase()
    if (!headerName.test(name))
      throw new Error('the head of the answer has a line that is no header')
    const value = line.slice(colon + 1).trim()
    if (name === 'content-length') {
      if (!/^\d{1,15}$/.test(value) || (length !== null && length !== Number(value))) {
        throw new Error('the answer says two things about its length')
      }
      length = Number(value)
    } else if (name === 'transfer-encoding') {
      if (value.toLowerCase() !== 'chunked' || isChunked) {
        throw new Error(`the answer is sent in an unknown way: ${value.slice(0, 40)}`)
      }
      isChunked = true
    } else if (name === 'connection' && /\bclose\b/i.test(value)) idleMs = 0
    else if (name === 'keep-alive') idleMs = Math.min(idleMs, promisedIdleMs(value))
    else if (name === 'date' && httpDate.test(value)) dateMs = Date.parse(value)
  }
  if (isChunked && length !== null) throw new Error('the answer says two things about its length')
  return { status, framing: framingOf(status, length, isChunked), idleMs, dateMs }
}

function framingOf(status: number, length: number | null, isChunked: boolean): Framing {
  if (status < 200 || status === 204 || status === 304) return { kind: 'length', bytes: 0 }
  if (isChunked) return { kind: 'chunked' }
  return length === null ? { kind: 'until_close' } : { kind: 'length', bytes: length }
}

/** A second less than the server says: it must not close while the next request is on its way. */
function promisedIdleMs(value: string): number {
  const seconds = /\btimeout=(\d{1,6})\b/i.exec(value)?.[1]
  return seconds === undefined ? idleMsMax : Math.max(0, Number(seconds) - 1) * 1_000
}

function whole({ status, dateMs }: Head, body: Buffer, idleMs: number): Progress {
  const answer = { status, body, idleMs, ...(Number.isNaN(dateMs) ? {} : { dateMs }) }
  return { kind: 'whole', answer }
}

const more: Progress = { kind: 'more' }
const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/
const headerName = /^[\w!#$%&'*+.^`|~-]+$/
const headBytesMax = limits.venueHeadBytesMax
/** Without a word about it, servers keep an idle connection for a minute at least. */
const idleMsMax = 50_000
