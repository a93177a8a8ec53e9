import type { Clock } from './ports.ts'

/** Smaller differences are the jitter between two readings; what compares times bears them. */
const stepMsMin = 250

/**
 * The same clock, looked after: whenever it is asked and the wall clock has not moved as far as the
 * monotonic one, `onStep` is told by how much it was set ahead, or back (negative), before anyone
 * gets the new time.
 */
export function watchSteps(clock: Clock, onStep: (ms: number) => void): Clock {
  let apart = clock.now() - clock.monotonicMs()
  return {
    now: () => {
      const now = clock.now()
      const ms = Math.round(now - clock.monotonicMs() - apart)
      if (Math.abs(ms) >= stepMsMin) {
        apart += ms
        onStep(ms)
      }
      return now
    },
    monotonicMs: () => clock.monotonicMs(),
  }
}
