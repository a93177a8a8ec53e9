import type { AccountView, CrossPool, PoolRow } from '../account/accountView.ts'
import { maintenanceOf, partsOfUsd, partsOver } from '../protocol/maintenance.ts'
import { Decimal } from '../values/decimal.ts'

/** What some coins ask of the collateral together; in USD, and where it says so in parts of a USD. */
export interface PoolSums {
  /** Of coins on cross margin: what they are worth, and what they lose at their stops' worst fills. */
  readonly value: Decimal
  readonly loss: Decimal
  /** Their maintenance, in parts. */
  readonly maintenance: Decimal
  /** Their initial margin, in parts. */
  readonly initial: Decimal
  /** What entries on isolated margin take out of the collateral when they fill, in parts. */
  readonly taken: Decimal
  /** The initial margin of entries on their way, in parts: the venue's own figures lack it. */
  readonly inFlight: Decimal
  /** The most that one coin needs beyond its maintenance when it alone comes to its stops, in parts. */
  readonly alone: Decimal
}

/** Adds up what coins ask for. */
export function poolSums(rows: readonly PoolRow[], markets: Pick<AccountView, 'market'>): PoolSums {
  let { zero: value, zero: loss, zero: maintenance, zero: initial } = Decimal
  let { zero: taken, zero: inFlight, zero: alone } = Decimal
  for (const row of rows) {
    if (row.isCross) {
      const own = coinMaintenance(row, markets)
      value = value.plus(row.value)
      loss = loss.plus(row.loss)
      maintenance = maintenance.plus(own.now)
      initial = initial.plus(row.value.times(partsOver(row.crossLeverage)))
      alone = Decimal.max(alone, own.atStops.minus(own.now).plus(row.loss.times(partsOfUsd)))
    }
    if (row.isolatedLeverage !== null) {
      taken = taken.plus(row.entryValue.times(partsOver(row.isolatedLeverage)))
    }
    inFlight = inFlight.plus(row.inFlightValue.times(partsOver(lowestLeverage(row))))
  }
  return { value, loss, maintenance, initial, taken, inFlight, alone }
}

const slack = Decimal.of('1.1').times(partsOfUsd)
const gap = Decimal.of('0.05').times(partsOfUsd)

/** What all stops hit at once ask for, in parts: 1.1 x the losses, 5% of the values, maintenance. */
export function neededAtStops(loss: Decimal, value: Decimal, maintenance: Decimal): Decimal {
  return loss.times(slack).plus(value.times(gap)).plus(maintenance)
}

/**
 * What a move of all marks against every position by `distance` asks for, in parts: what is lost, and
 * the maintenance of what is left.
 */
export function neededAtShock(value: Decimal, maintenance: Decimal, distance: Decimal): Decimal {
  const left = maintenance.times(Decimal.one.minus(distance))
  return left.plus(value.times(distance).times(partsOfUsd))
}

/**
 * The share by which all marks can move against every position at once before the collateral falls to
 * the maintenance, rounded down; below zero where it already has. Something must be on cross margin.
 */
export function commonDistance(pool: CrossPool, sums: PoolSums): Decimal {
  const { value, maintenance } = sums
  const left = backingOf(pool, sums).minus(maintenance)
  return left.over(value.times(partsOfUsd).minus(maintenance), 6, 'floor')
}

/** What stands behind cross positions once isolated entries have taken their margin, in parts. */
export function backingOf({ collateral }: CrossPool, { taken }: PoolSums): Decimal {
  return (collateral ?? Decimal.zero).times(partsOfUsd).minus(taken)
}

/** Whether the collateral bears all stops at once, a common shock, and each coin alone. */
export function isPoolBorne(pool: CrossPool, sums: PoolSums, distance: Decimal): boolean {
  const { value, loss, maintenance, alone } = sums
  const backing = backingOf(pool, sums)
  return (
    value.isZero() ||
    (neededAtStops(loss, value, maintenance).lte(backing) &&
      neededAtShock(value, maintenance, distance).lte(backing) &&
      maintenance.plus(alone).lt(backing))
  )
}

/** A USD more lost at triggers is at most 1.1 more at the worst fills, and 1.1 of those is asked for. */
const perRisk = Decimal.of('1.21').times(partsOfUsd)

/**
 * How many USD more cross positions may lose at the triggers of their stops before the collateral does
 * not bear all of them; null where nothing is on cross margin.
 */
export function poolRiskLeft(pool: CrossPool, sums: PoolSums): Decimal | null {
  const { value, loss, maintenance, alone } = sums
  if (value.isZero()) return null
  const needed = Decimal.max(neededAtStops(loss, value, maintenance), maintenance.plus(alone))
  return backingOf(pool, sums).minus(needed).over(perRisk, 6, 'floor')
}

/** A coin's maintenance in parts: at what it is worth, and where its shorts fill at their worst. */
function coinMaintenance(
  { coin, value, shortLoss }: PoolRow,
  markets: Pick<AccountView, 'market'>,
): { readonly now: Decimal; readonly atStops: Decimal } {
  const market = markets.market(coin)
  const grown = value.plus(shortLoss)
  if (market !== null) {
    return { now: maintenanceOf(market, value), atStops: maintenanceOf(market, grown) }
  }
  // Of a coin that is not listed any more nobody knows the tiers: half of it is the most there is.
  const half = partsOver(2)
  return { now: value.times(half), atStops: grown.times(half) }
}

function lowestLeverage({ isCross, crossLeverage, isolatedLeverage }: PoolRow): number {
  if (isolatedLeverage === null) return crossLeverage
  return isCross ? Math.min(crossLeverage, isolatedLeverage) : isolatedLeverage
}
