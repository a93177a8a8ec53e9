import { millis } from '../core/values/millis.ts'
import type { Clock } from '../engine/ports.ts'

export const systemClock: Clock = {
  now: () => millis(Date.now()),
  monotonicMs: () => performance.now(),
}
