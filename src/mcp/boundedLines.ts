import { Transform } from 'node:stream'
import type { TransformCallback } from 'node:stream'
import { limits } from '../core/values/limits.ts'

const endChars = limits.agentLineEndCharsMax
const newline = 0x0a

/**
 * Passes lines on and leaves out those of more than `bytesMax`, for each of which `onTooLong` is
 * told how it begins and ends: one message that is too long ends no session.
 */
export class BoundedLines extends Transform {
  readonly #bytesMax: number
  readonly #onTooLong: (ends: string) => void
  #line: Buffer[] = []
  #bytes = 0
  #head = ''
  #tail = ''

  constructor(bytesMax: number, onTooLong: (ends: string) => void) {
    super()
    this.#bytesMax = bytesMax
    this.#onTooLong = onTooLong
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    let from = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
      this.#add(chunk.subarray(from, end + 1))
      this.#end()
      from = end + 1
    }
    this.#add(chunk.subarray(from))
    done()
  }

  #add(part: Buffer): void {
    this.#bytes += part.length
    if (this.#bytes <= this.#bytesMax) {
      this.#line.push(part)
      return
    }
    if (this.#head === '')
      this.#head = textOf(Buffer.concat([...this.#line, part])).slice(0, endChars)
    const before = [...this.#line.slice(-1), part].map(textOf).join('')
    this.#tail = `${this.#tail}${before}`.slice(-endChars)
    this.#line = []
  }

  #end(): void {
    if (this.#bytes <= this.#bytesMax) for (const part of this.#line) this.push(part)
    else this.#onTooLong(`${this.#head}\n${this.#tail}`)
    this.#line = []
    this.#bytes = 0
    this.#head = ''
    this.#tail = ''
  }
}

const textOf = (bytes: Buffer): string => bytes.toString('latin1')

/** The answer to a request that was too long: by its id, as far as that can be seen from its ends. */
export function tooLongAnswer(ends: string, bytesMax: number): string {
  const found = /"id"\s*:\s*(\d{1,15}|"[\w-]{1,64}")/.exec(ends)?.[1]
  const id: unknown = found === undefined ? null : JSON.parse(found)
  const message = `A message has at most ${String(bytesMax)} bytes. Nothing was done; send less.`
  return `${JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32600, message } })}\n`
}
