import type { Millis } from '../../core/values/millis.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/**
 * Which prices the oracle of the dex `xyz` follows at this time, as the dex documents it for US shares:
 * outside ones from Sunday 20:00 to Friday 20:00 in New York, and its own otherwise. Its commodities
 * have other hours, and a gap in the data changes it at any time. Null for dexes that document none.
 */
export function documentedSession(dex: string, now: Millis): string | null {
  if (dex !== 'xyz') return null
  const local = now + newYorkOffsetMs(now)
  const day = new Date(local).getUTCDay()
  const isLate = local % dayMs >= 20 * hourMs
  const isOutside = (day > 0 && day < 5) || (day === 0 && isLate) || (day === 5 && !isLate)
  const hours = 'US shares: outside prices Sunday 20:00 to Friday 20:00 in New York'
  return `${isOutside ? 'outside prices' : "the dex's own prices"}, as documented and not as told by the venue (${hours}; commodities have other hours)`
}

/** How far New York is from UTC: summer time from March's second Sunday to November's first, at 2:00. */
function newYorkOffsetMs(now: Millis): number {
  const year = new Date(now).getUTCFullYear()
  const begins = sunday(year, 2, 2) + 7 * hourMs
  const ends = sunday(year, 10, 1) + 6 * hourMs
  return (now >= begins && now < ends ? -4 : -5) * hourMs
}

/** The start in UTC of a month's first, second.. Sunday. */
function sunday(year: number, month: number, nth: number): number {
  const first = Date.UTC(year, month, 1)
  const toSunday = (7 - new Date(first).getUTCDay()) % 7
  return first + (toSunday + 7 * (nth - 1)) * dayMs
}
