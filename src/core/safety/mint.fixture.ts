import { guardCloidTailBytes, makeGuardCloid } from '../protocol/guardCloid.ts'
import type { CloidMint, GuardCloidKind } from '../protocol/guardCloid.ts'
import type { Cloid } from '../values/cloid.ts'

/** Mints ids that count up. */
export function countingMint(): CloidMint {
  let count = 0
  return (kind) => guardId(kind, ++count)
}

export function guardId(kind: GuardCloidKind, count: number): Cloid {
  const tail = new Uint8Array(guardCloidTailBytes)
  tail[9] = count >> 8
  tail[10] = count & 255
  return makeGuardCloid(kind, tail)
}
