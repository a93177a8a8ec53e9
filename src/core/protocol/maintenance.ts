import { Decimal } from '../values/decimal.ts'
import type { Market } from './market.ts'

/**
 * Margins are shares such as a sixth of a value, which no decimal can hold. They are counted in parts
 * of a USD instead: so many that every leverage up to 50 divides them, and twice that leverage too.
 */
export const partsOfUsd = Decimal.whole(2n * leastCommonMultiple(50n))

/** One over a whole number, in parts; rounded up where it does not divide them. */
export function partsOver(divisor: number): Decimal {
  return partsOfUsd.over(Decimal.whole(divisor), 0, 'ceil')
}

/** Maintenance within one margin tier: value x `rate` - `deduction`, in parts of a USD. */
interface MaintenanceLine {
  readonly rate: Decimal
  readonly deduction: Decimal
}

const known = new WeakMap<Market, readonly MaintenanceLine[]>()

/**
 * The lines of a market's margin tiers. A higher tier has a higher rate, and its line meets the one
 * before it where it begins: so the maintenance of a value is the largest that any line gives.
 */
export function maintenanceLines(market: Market): readonly MaintenanceLine[] {
  const found = known.get(market) ?? linesOf(market)
  known.set(market, found)
  return found
}

/** What the venue keeps as maintenance for a position of this value, in parts of a USD. */
export function maintenanceOf(market: Market, value: Decimal): Decimal {
  const amounts = maintenanceLines(market).map(({ rate, deduction }) =>
    value.times(rate).minus(deduction),
  )
  return Decimal.max(Decimal.zero, ...amounts)
}

function linesOf({ maxLeverage, tiers }: Market): readonly MaintenanceLine[] {
  const lines: MaintenanceLine[] = [{ rate: halfOf(maxLeverage), deduction: Decimal.zero }]
  for (const tier of tiers) {
    const before = lines.at(-1) as MaintenanceLine
    const rate = halfOf(tier.maxLeverage)
    const more = tier.lowerBound.times(rate.minus(before.rate))
    lines.push({ rate, deduction: before.deduction.plus(more) })
  }
  return lines
}

/** Half of the initial margin at the highest leverage, as the venue takes it. */
function halfOf(maxLeverage: number): Decimal {
  return partsOver(2 * maxLeverage)
}

function leastCommonMultiple(upTo: bigint): bigint {
  let multiple = 1n
  for (let each = 2n; each <= upTo; each++) multiple *= each / commonDivisor(multiple, each)
  return multiple
}

function commonDivisor(one: bigint, other: bigint): bigint {
  return other === 0n ? one : commonDivisor(other, one % other)
}
