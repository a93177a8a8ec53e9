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
