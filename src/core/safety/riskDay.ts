import { nextUtcDay, shifted, utcDay } from '../values/millis.ts'
import type { Millis } from '../values/millis.ts'
import type { RiskBases, RiskMemory } from './riskSnapshot.ts'

/** Stands for today while nobody knows which day that is: no account was traded on it. */
export const unknownDay = '1970-01-01'

/** A day that is this close has as good as begun: a clock is rarely right to the second at midnight. */
const dayNearMs = 3_600_000

/** What is remembered, on the day of this moment, which the venue itself has told. */
export function onDayOf(memory: RiskMemory, at: Millis): RiskMemory {
  const { bases } = memory
  if (bases === null) return memory
  const day = utcDay(at)
  const isAhead = bases.day > utcDay(shifted(at, dayNearMs))
  if (isAhead || bases.day === unknownDay) return named(memory, bases, at)
  const isHeld = memory.state === 'halted_for_day' && memory.isClosing
  return bases.day >= day || isHeld ? memory : turned(memory, bases, day)
}

/** A new day: it begins with the last equity of the one before, and ends that one's halt. */
function turned(memory: RiskMemory, bases: RiskBases, day: string): RiskMemory {
  const next = { ...memory, bases: { ...bases, day, dayStart: bases.equity } }
  return memory.state === 'halted_for_day' ? { ...next, state: 'active', detail: null } : next
}

/**
 * Which day it is was not known, or was taken from a clock that was ahead: what was counted for it
 * counts for the day it is, and a halt lasts to the end of this one.
 */
function named(memory: RiskMemory, bases: RiskBases, at: Millis): RiskMemory {
  const { detail } = memory
  const isDayHalt = detail !== null && 'until_ms' in detail
  return {
    ...memory,
    bases: { ...bases, day: utcDay(at) },
    detail: isDayHalt ? { ...detail, until_ms: nextUtcDay(at) } : detail,
  }
}

/** What is remembered after the clock was set by so much: a drop is held as long as before. */
export function withHoldMoved(memory: RiskMemory, ms: number): RiskMemory {
  const { suspense } = memory
  if (suspense === null) return memory
  return { ...memory, suspense: { ...suspense, since: Math.max(suspense.since + ms, 0) } }
}

/** What nothing has explained waits anew, from this moment on. */
export function withHoldFrom(memory: RiskMemory, at: Millis): RiskMemory {
  const { suspense } = memory
  return suspense === null ? memory : { ...memory, suspense: { ...suspense, since: at } }
}
