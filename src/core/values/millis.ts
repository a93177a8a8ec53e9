import type { Brand } from './brand.ts'

/** UTC epoch milliseconds, a safe integer. */
export type Millis = Brand<number, 'Millis'>

/** A request's nonce: milliseconds as the clients make it, a safe non-negative integer. */
export type Nonce = Brand<number, 'Nonce'>

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0

export function millis(value: number): Millis {
  if (!isCount(value)) throw new TypeError(`${String(value)} is not a time in milliseconds`)
  return value as Millis
}

export function nonce(value: number): Nonce {
  if (!isCount(value)) throw new TypeError(`${String(value)} is not a nonce`)
  return value as Nonce
}

/** The moment so many milliseconds later, or earlier (negative). */
export function shifted(at: Millis, ms: number): Millis {
  return millis(Math.max(0, at + ms))
}

export const dayMs = 86_400_000

/** Nearly every time that is asked about lies in the day of the one before. */
let latest = { day: NaN, text: '' }

/** The UTC day a time lies in, as `YYYY-MM-DD`. */
export function utcDay(at: Millis): string {
  const day = Math.floor(at / dayMs)
  if (day !== latest.day) latest = { day, text: new Date(at).toISOString().slice(0, 10) }
  return latest.text
}

/** The first millisecond of the UTC day after `at`. */
export function nextUtcDay(at: Millis): Millis {
  return millis((Math.floor(at / dayMs) + 1) * dayMs)
}
