import { limits } from '../core/values/limits.ts'
import { constants } from 'node:fs'
import { appendFile, open, rename, writeFile } from 'node:fs/promises'
import type { Log } from '../engine/ports.ts'

/** When, in UTC epoch milliseconds, and the equity then, as a decimal string. */
export type EquitySample = readonly [number, string]

/** Where the equity of a day outlives the process. */
export interface EquityStore {
  /** What earlier runs left, oldest first. */
  load(): Promise<readonly EquitySample[]>
  append(sample: EquitySample): void
  /** A new day: what was is of no use any more. */
  clear(): void
  /** Resolves once everything is written. */
  settled(): Promise<void>
}

/** More than a day of samples needs; what stands beyond it was not written by Guard. */
const bytesMax = limits.equityFileBytesMax
const linesMax = limits.equityFileLinesMax

/**
 * One line a sample. It is no record, only a curve for a chart: a line that cannot be read is left
 * out, and a disk that takes nothing costs the curve, not Guard.
 */
export class EquityFile implements EquityStore {
  readonly #path: string
  readonly #log: Log
  #lines = 0
  #isTorn = false
  #isTold = false
  #work: Promise<void> = Promise.resolve()

  constructor(path: string, log: Log) {
    this.#path = path
    this.#log = log
  }

  async load(): Promise<readonly EquitySample[]> {
    let text = ''
    await this.#do(async () => {
      text = await readStart(this.#path)
    })
    // A line that a crash cut short must not swallow the next one.
    this.#isTorn = text !== '' && !text.endsWith('\n')
    const samples = text.split('\n').flatMap(sampleOf)
    this.#lines = samples.length
    return samples
  }

  append([at, equity]: EquitySample): void {
    if (this.#lines >= linesMax) return
    this.#lines += 1
    const line = `${this.#isTorn ? '\n' : ''}${at} ${equity}\n`
    this.#isTorn = false
    void this.#do(() => appendFile(this.#path, line, { mode: 0o600 }))
  }

  clear(): void {
    this.#lines = 0
    this.#isTorn = false
    void this.#do(async () => {
      await writeFile(`${this.#path}.new`, '', { mode: 0o600 })
      await rename(`${this.#path}.new`, this.#path)
    })
  }

  settled(): Promise<void> {
    return this.#work
  }

  /** One thing after the other; a failure is told once. */
  #do(task: () => Promise<void>): Promise<void> {
    this.#work = this.#work.then(task).then(
      () => {
        this.#isTold = false
      },
      (error: unknown) => {
        if (this.#isTold) return
        this.#isTold = true
        const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
        this.#log.log('warn', 'the curve of the equity cannot be kept over a restart', { code })
      },
    )
    return this.#work
  }
}

async function readStart(path: string): Promise<string> {
  try {
    // Not waiting: a pipe in its place would be waited for.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(bytesMax), 0, bytesMax, 0)
      return buffer.toString('latin1', 0, bytesRead)
    } finally {
      await file.close()
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw error
  }
}

function sampleOf(line: string): EquitySample[] {
  const parts = /^(\d{1,15}) (-?\d{1,30}(?:\.\d{1,30})?)$/.exec(line)
  return parts?.[1] === undefined || parts[2] === undefined ? [] : [[Number(parts[1]), parts[2]]]
}
