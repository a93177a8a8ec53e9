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

type NonceAge = 'fits' | 'auth_nonce_too_old' | 'auth_nonce_too_new'

/**
 * How far the clock that made this nonce is ahead of the venue's time, in milliseconds: 0 unless the
 * nonce fits the machine's clock alone. A refusal where it fits neither.
 */
export function clockErrorOf(
  nonce: Nonce,
  { now, machineAheadMs }: SigningClocks,
): number | Exclude<NonceAge, 'fits'> {
  const byVenue = ageOf(nonce, now)
  if (byVenue === 'fits') return 0
  return ageOf(nonce, now + machineAheadMs) === 'fits' ? machineAheadMs : byVenue
}

/** The earliest time that a fresh nonce can show. */
export function earliestClock({ now, machineAheadMs }: SigningClocks): number {
  return now + Math.min(machineAheadMs, 0)
}

function ageOf(nonce: number, now: number): NonceAge {
  if (nonce < now - limits.nonceAgeMsMax) return 'auth_nonce_too_old'
  return nonce > now + limits.nonceAheadMsMax ? 'auth_nonce_too_new' : 'fits'
}
