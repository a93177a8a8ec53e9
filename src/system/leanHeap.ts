import { setFlagsFromString } from 'node:v8'
import { limits } from '../core/values/limits.ts'

/**
 * Has V8 collect its heap once it is this much larger than what was alive in it the last time. By
 * itself it lets it grow to four times as much, and what a flood leaves behind stays for minutes.
 */
export function keepHeapLean(): void {
  setFlagsFromString(`--heap-growing-percent=${limits.heapGrowingPercent}`)
}
