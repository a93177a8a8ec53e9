import { Decimal } from '../values/decimal.ts'

/** What the grid of a market depends on; a `Market` is one. Prices are a perp's unless it says spot. */
export interface Grid {
  readonly sizeDecimals: number
  readonly kind?: 'perp' | 'spot'
}

const significantFigures = 5
const perpDecimals = 6
const spotDecimals = 8

/** At most five significant figures and few decimals; a whole number is always on the grid. */
export function isOnPriceGrid(grid: Grid, price: Decimal): boolean {
  return price.isPositive() && price.rounded(priceDecimals(grid, price), 'down').eq(price)
}

/** The nearest price on the grid at or below (`floor`) or at or above (`ceil`); zero is below all. */
export function roundPrice(grid: Grid, price: Decimal, rounding: 'floor' | 'ceil'): Decimal {
  return price.rounded(priceDecimals(grid, price), rounding)
}

/** The nearest price on the grid on the side of `target`; the price itself when it is on it. */
export function roundPriceToward(grid: Grid, price: Decimal, target: Decimal): Decimal {
  return roundPrice(grid, price, target.gt(price) ? 'ceil' : 'floor')
}

/** The nearest price on the grid on the side away from `target`. */
export function roundPriceAway(grid: Grid, price: Decimal, target: Decimal): Decimal {
  return roundPrice(grid, price, target.gt(price) ? 'floor' : 'ceil')
}

/** The distance between neighbours on the grid at this price. */
export function priceStep(grid: Grid, price: Decimal): Decimal {
  return new Decimal(1n, priceDecimals(grid, price))
}

/** The smallest size, and what every size is a multiple of. */
export function lotStep(grid: Grid): Decimal {
  return new Decimal(1n, grid.sizeDecimals)
}

export function isOnLot(grid: Grid, size: Decimal): boolean {
  return roundSizeDown(grid, size).eq(size)
}

/** The largest size on the lot that is no larger; toward zero for a signed size. */
export function roundSizeDown(grid: Grid, size: Decimal): Decimal {
  return size.rounded(grid.sizeDecimals, 'down')
}

/** How many decimals a price of this magnitude may have. */
function priceDecimals(grid: Grid, price: Decimal): number {
  const most = (grid.kind === 'spot' ? spotDecimals : perpDecimals) - grid.sizeDecimals
  const units = price.units < 0n ? -price.units : price.units
  const magnitude = units.toString().length - price.scale
  return Math.max(0, Math.min(most, significantFigures - magnitude))
}
