import type { World } from './world.ts'

/** Goes on to whatever is next in a world, and does it; when that was, or null where it is later than so. */
export function passStep({ time, sim }: Pick<World, 'time' | 'sim'>, until: number): number | null {
  const next = Math.min(time.nextAt(), Math.max(time.elapsed, sim.nextAt() - time.startMs))
  if (next > until) return null
  time.moveTo(next)
  if (sim.nextAt() <= time.now) sim.advance()
  time.runDue()
  return next
}
