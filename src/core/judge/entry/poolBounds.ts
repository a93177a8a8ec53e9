import type { PoolRow } from '../../account/accountView.ts'
import { maintenanceLines, partsOfUsd, partsOver } from '../../protocol/maintenance.ts'
import type { Market } from '../../protocol/market.ts'
import type { Leverage } from '../../protocol/venueState.ts'
import { Decimal } from '../../values/decimal.ts'
import { neededAtShock, neededAtStops } from '../poolSums.ts'
import type { PoolSums } from '../poolSums.ts'

/** `base` + size x `slope` may not exceed `most`, or must stay below it; in parts of a USD. */
interface Bound {
  readonly base: Decimal
  readonly slope: Decimal
  readonly most: Decimal
  readonly isStrict: boolean
}

/** An entry as the collateral sees it, for each unit of its coin, in USD. */
export interface PooledEntry {
  readonly isBuy: boolean
  readonly margin: Leverage
  /** What a unit is worth when it fills. */
  readonly worth: Decimal
  /** What a unit loses where its stop fills at its worst. */
  readonly loss: Decimal
}

/** What stands behind all, and what already leans on it. */
export interface Leaning {
  /** What stands behind cross positions, less what isolated entries take; in parts of a USD. */
  readonly backing: Decimal
  readonly all: PoolSums
  /** Of that, the other coins, and the entry's own, which is read of a cross entry alone. */
  readonly others: PoolSums
  readonly own: PoolRow
  readonly market: Market
  /** The least distance of the rules, as a fraction. */
  readonly distance: Decimal
}

/**
 * How large an entry may be so that all stops can be hit at once, that all marks can move against
 * every position by the least distance, and that no coin alone is liquidated before its stops.
 * Maintenance is the largest of its tiers' lines, so each line is a bound of its own.
 */
export function poolBounds(leaning: Leaning, entry: PooledEntry): readonly Bound[] {
  return entry.margin.type === 'cross'
    ? crossBounds(leaning, entry)
    : isolatedBounds(leaning, entry, entry.margin.value)
}

function crossBounds(leaning: Leaning, { isBuy, worth, loss }: PooledEntry): readonly Bound[] {
  const { backing: most, others, own, market, distance } = leaning
  const shortLoss = isBuy ? Decimal.zero : loss
  const losses = others.loss.plus(own.loss)
  const values = others.value.plus(own.value)
  return maintenanceLines(market).flatMap(({ rate, deduction }) => {
    const line = (value: Decimal): Decimal => value.times(rate).minus(deduction)
    const kept = others.maintenance.plus(line(own.value))
    const keptAtStops = others.maintenance.plus(line(own.value.plus(own.shortLoss)))
    return [
      {
        base: neededAtStops(losses, values, kept),
        slope: neededAtStops(loss, worth, worth.times(rate)),
        ...{ most, isStrict: false },
      },
      {
        base: neededAtShock(values, kept, distance),
        slope: neededAtShock(worth, worth.times(rate), distance),
        ...{ most, isStrict: false },
      },
      {
        base: keptAtStops.plus(own.loss.times(partsOfUsd)),
        slope: worth.plus(shortLoss).times(rate).plus(loss.times(partsOfUsd)),
        ...{ most, isStrict: true },
      },
      {
        base: kept.plus(others.alone),
        slope: worth.times(rate),
        ...{ most, isStrict: true },
      },
    ]
  })
}

/** The margin of an isolated entry leaves the collateral: what stays must still bear the others. */
function isolatedBounds(
  { backing: most, all, distance }: Leaning,
  { worth }: PooledEntry,
  leverage: number,
): readonly Bound[] {
  const { value, loss, maintenance, alone } = all
  if (!value.isPositive()) return []
  const slope = worth.times(partsOver(leverage))
  return [
    { base: neededAtStops(loss, value, maintenance), slope, most, isStrict: false },
    { base: neededAtShock(value, maintenance, distance), slope, most, isStrict: false },
    { base: maintenance.plus(alone), slope, most, isStrict: true },
  ]
}

/** The largest size within all bounds, rounded down to the lot; below zero or zero for none. */
export function largestWithin(bounds: readonly Bound[], decimals: number): Decimal | null {
  let least: Decimal | null = null
  for (const { base, slope, most, isStrict } of bounds) {
    let size = most.minus(base).over(slope, decimals, 'floor')
    if (isStrict && base.plus(size.times(slope)).eq(most)) size = size.minus(lotOf(decimals))
    if (least === null || size.lt(least)) least = size
  }
  return least
}

function lotOf(decimals: number): Decimal {
  return new Decimal(1n, decimals)
}
