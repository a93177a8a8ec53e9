import { write, writeSync } from 'node:fs'
import { limits } from '../core/values/limits.ts'

/** The calls of `node:fs` that it needs; a test may hold one back. */
export interface Writes {
  readonly write: (
    fd: number,
    bytes: Uint8Array,
    done: (error: NodeJS.ErrnoException | null, written: number) => void,
  ) => void
  readonly writeSync: (fd: number, bytes: Uint8Array) => void
}

/** A pipe that is full is tried again after so long. */
const fullPipeMs = 20
/** A write that has not come back after so long hangs. */
const hangsMs = 500

/**
 * Writes text to a file descriptor, in order, and waits for nothing: a disk or a reader that hangs
 * holds up one thread of the system's and no other work. What waits is bounded; beyond that lines are
 * dropped and counted.
 */
export class LaterWriter {
  readonly #fd: number
  readonly #writes: Writes
  #waiting: Uint8Array[] = []
  #waitingBytes = 0
  #dropped = 0
  /** Since when a write has not come back, in milliseconds of the process's own clock. */
  #writingSince: number | null = null

  constructor(fd: number, writes: Writes = { write, writeSync }) {
    this.#fd = fd
    this.#writes = writes
  }

  write(text: string): void {
    const bytes = Buffer.from(text, 'utf8')
    if (this.#waitingBytes + bytes.length > limits.logWaitingBytesMax) {
      this.#dropped += text.split('\n').length - 1
      return
    }
    this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
    if (this.#writingSince === null) this.#next()
  }

  /** For the end of the process: writes what waits, unless an earlier write hangs. */
  flush(): void {
    if (this.#writingSince !== null && performance.now() - this.#writingSince > hangsMs) return
    const bytes = this.#take()
    try {
      if (bytes.length > 0) this.#writes.writeSync(this.#fd, bytes)
    } catch {
      // Nobody is left who could be told.
    }
  }

  #take(): Uint8Array {
    if (this.#dropped > 0) {
      const text = `${this.#dropped} lines of this log are missing: it could not be written\n`
      this.#waiting.push(Buffer.from(text, 'utf8'))
      this.#dropped = 0
    }
    const bytes = Buffer.concat(this.#waiting)
    this.#waiting = []
    this.#waitingBytes = 0
    return bytes
  }

  #next(): void {
    const bytes = this.#take()
    if (bytes.length > 0) this.#send(bytes)
  }

  #send(bytes: Uint8Array): void {
    this.#writingSince ??= performance.now()
    this.#writes.write(this.#fd, bytes, (error, written) => {
      const rest = error === null ? bytes.subarray(written) : bytes
      if (error?.code === 'EAGAIN') setTimeout(() => this.#send(rest), fullPipeMs)
      else if (error === null && rest.length > 0) this.#send(rest)
      else {
        // What cannot be written is gone: whoever read it has left, or its disk is full.
        this.#writingSince = null
        this.#next()
      }
    })
  }
}
