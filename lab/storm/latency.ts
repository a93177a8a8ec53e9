import type { Chance } from './chance.ts'

/** The address that the venue sees Guard's traffic come from; it counts weight and sockets by it. */
export const venueCallerIp = '10.0.0.1'

/** How long something takes from Guard to the venue, or back, where nothing is wrong. */
export function latencyMs(chance: Chance): number {
  return chance.whole(0, 12)
}
