import { limits } from '../../core/values/limits.ts'
import type { Millis, Nonce } from '../../core/values/millis.ts'

/**
 * The clocks that a bot may sign by. One on another machine has the right time; one on this machine
 * has the machine's clock, however wrong that is, and must get out all the same.
 */
export interface SigningClocks {
  /** The venue's time. */
  readonly now: Millis
  /** How far the machine's clock is ahead of it, in milliseconds; behind it is negative. */
  readonly machineAheadMs: number
}

/** By which clock a nonce is new enough, the venue's before the machine's; by neither: how it is wrong. */
type Freshness = 'venue' | 'machine' | 'too_old' | 'too_new'

export function freshnessOf(nonce: Nonce, { now, machineAheadMs }: SigningClocks): Freshness {
  if (fits(nonce, now)) return 'venue'
  if (fits(nonce, now + machineAheadMs)) return 'machine'
  return nonce < now ? 'too_old' : 'too_new'
}

function fits(nonce: number, now: number): boolean {
  return nonce >= now - limits.nonceAgeMsMax && nonce <= now + limits.nonceAheadMsMax
}

/** A time that a bot gave by the machine's clock, in the venue's time; no later than a number can be. */
export function byVenueTime(time: number, { machineAheadMs }: SigningClocks): number {
  return Math.min(Math.max(time - machineAheadMs, 0), Number.MAX_SAFE_INTEGER)
}
