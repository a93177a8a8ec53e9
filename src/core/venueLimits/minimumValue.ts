import { lotStep } from '../protocol/grid.ts'
import type { Grid } from '../protocol/grid.ts'
import type { Decimal } from '../values/decimal.ts'
import { venueLimits } from './venueLimits.ts'

/** Whether an order that does not close a whole position is worth too little for the venue. */
export function isBelowMinimum(size: Decimal, price: Decimal): boolean {
  return size.times(price).lt(venueLimits.minimumUsd)
}

/**
 * The smallest size on the lot that is worth the minimum. A reduce-only order of at least the
 * position's size may be worth less; one of this size is worth enough by any reading.
 */
export function sizeOfMinimum(grid: Grid, price: Decimal): Decimal {
  const lot = lotStep(grid)
  return venueLimits.minimumUsd.over(price.times(lot), 0, 'ceil').times(lot)
}
