import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Microseconds of processor time this process has used, on all its threads. */
export function cpuMicros(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

/** Bytes on the heap and in buffers beside it, once everything that nobody holds is gone. */
export function heldBytes(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** Bytes of this process that are in memory: now, and at the most since it was started. */
export function residentBytes(): { readonly now: number; readonly peak: number } {
  return { now: process.memoryUsage.rss(), peak: process.resourceUsage().maxRSS * 1_024 }
}

/** How long this process's one thread kept others waiting, in milliseconds, since it was last asked. */
export interface LoopDelay {
  readonly p50: number
  readonly p99: number
  readonly max: number
}

/** Looks every millisecond whether the thread is free; what is beyond that is delay. */
export class LoopWatch {
  readonly #delays = monitorEventLoopDelay({ resolution: 1 })

  start(): void {
    this.#delays.enable()
  }

  take(): LoopDelay {
    const ms = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - 1)
    const [p50, p99] = [this.#delays.percentile(50), this.#delays.percentile(99)]
    const taken = { p50: ms(p50), p99: ms(p99), max: ms(this.#delays.max) }
    this.#delays.reset()
    return taken
  }
}
