import { randomFillSync } from 'node:crypto'
import type { Random } from '../engine/ports.ts'

const drawn = new Uint8Array(4_096)
let used = drawn.length

/** Drawn many at a time: one call of the system for each id would take longer than the id. */
function bytes(count: number): Uint8Array {
  if (count > drawn.length) return randomFillSync(new Uint8Array(count))
  if (used + count > drawn.length) {
    randomFillSync(drawn)
    used = 0
  }
  const taken = drawn.slice(used, used + count)
  // What was given away is not kept.
  drawn.fill(0, used, used + count)
  used += count
  return taken
}

export const systemRandom: Random = { bytes }
