import type { Json } from '../../../../src/core/protocol/action.ts'
import type { Address } from '../../../../src/core/values/address.ts'
import { Decimal } from '../../../../src/core/values/decimal.ts'
import { dayMs } from '../../../../src/core/values/millis.ts'
import type { VenueReads } from '../../engine/venueReads.ts'
import { wireNumber } from '../render/wireNumber.ts'

const periods: readonly (readonly [name: string, days: number | null])[] = [
  ['day', 1],
  ['week', 7],
  ['month', 30],
  ['allTime', null],
]

/** Value and profit at both ends of each period; perps are all there is, so both halves agree. */
export function portfolio(venue: VenueReads, user: Address): Json {
  const rows = periods.map(([name, days]): [string, Json] => [name, period(venue, user, days)])
  const perps = rows.map(([name, row]): [string, Json] => [perpName(name), row])
  return [...rows, ...perps]
}

function perpName(name: string): string {
  return `perp${name.charAt(0).toUpperCase()}${name.slice(1)}`
}

function period(venue: VenueReads, user: Address, days: number | null): Json {
  const now = venue.nowMs
  const start = days === null ? 0 : now - days * dayMs
  const fills = venue.fills(user).filter((fill) => fill.time >= start)
  const fundings = venue.fundings(user).filter((row) => row.time >= start)
  const states = venue.dexNames().map((dex) => venue.perpState(user, dex))
  const value =
    venue.mode(user) === 'disabled'
      ? states.reduce((sum, { margin }) => sum.plus(margin.accountValue), Decimal.zero)
      : venue.spotState(user).usdcTotal
  const realised = fills.reduce(
    (sum, fill) => sum.plus(fill.closedPnl).minus(fill.fee),
    fundings.reduce((sum, row) => sum.plus(row.usdc), Decimal.zero),
  )
  const open = states
    .flatMap(({ positions }) => positions)
    .reduce((sum, each) => sum.plus(each.unrealisedPnl), Decimal.zero)
  const profit = realised.plus(open)
  const volume = fills.reduce((sum, fill) => sum.plus(fill.price.times(fill.size)), Decimal.zero)
  const first = days === null ? (fills.at(-1)?.time ?? now) : start
  return {
    accountValueHistory: [
      [first, wireNumber(value.minus(profit))],
      [now, wireNumber(value)],
    ],
    pnlHistory: [
      [first, '0.0'],
      [now, wireNumber(profit)],
    ],
    vlm: wireNumber(volume),
  }
}
