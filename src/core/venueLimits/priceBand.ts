import { roundPrice } from '../protocol/grid.ts'
import type { Grid } from '../protocol/grid.ts'
import { Decimal } from '../values/decimal.ts'
import { venueLimits } from './venueLimits.ts'

/** The prices the venue takes around a reference price. */
export interface PriceBand {
  readonly low: Decimal
  readonly high: Decimal
}

/** `share` is how far the band reaches, as a share of the reference price. */
export function bandAround(reference: Decimal, share: Decimal = venueLimits.bandShare): PriceBand {
  return {
    low: reference.times(Decimal.one.minus(share)),
    high: reference.times(Decimal.one.plus(share)),
  }
}

/** The prices that two bands share; null where no price on the grid is in both. */
export function sharedBand(grid: Grid, one: PriceBand, other: PriceBand): PriceBand | null {
  const shared = { low: Decimal.max(one.low, other.low), high: Decimal.min(one.high, other.high) }
  return isInBand(roundPrice(grid, shared.low, 'ceil'), shared) ? shared : null
}

export function isInBand(price: Decimal, { low, high }: PriceBand): boolean {
  return price.gte(low) && price.lte(high)
}

/** The price itself, or the band's edge on its side, rounded to the grid without leaving the band. */
export function insideBand(grid: Grid, price: Decimal, { low, high }: PriceBand): Decimal {
  if (price.lt(low)) return roundPrice(grid, low, 'ceil')
  return price.gt(high) ? roundPrice(grid, high, 'floor') : price
}

/** The price of the band that an order of this side is surest to fill at, on the grid. */
export function surestEdge(grid: Grid, isBuy: boolean, { low, high }: PriceBand): Decimal {
  return isBuy ? roundPrice(grid, high, 'floor') : roundPrice(grid, low, 'ceil')
}

/** How far the band reaches by the venue's own words; null where they do not say. */
export function bandShareIn(refusal: string): Decimal | null {
  const found = /more than (\d{1,2}(?:\.\d{1,4})?)% away from the reference price/i.exec(refusal)
  const percent = found?.[1] === undefined ? null : Decimal.parse(found[1])
  if (percent?.ok !== true || !percent.value.isPositive()) return null
  return percent.value.times(new Decimal(1n, 2))
}
