import { maintenanceLines, maintenanceOf, partsOfUsd } from '../protocol/maintenance.ts'
import type { Market } from '../protocol/market.ts'
import type { VenuePosition } from '../protocol/venueState.ts'
import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'

/** Two values agree when they are no further apart than this share of what the coin is worth. */
const tolerance = Decimal.of('0.001')
/** Decimals of the values that are worked out. */
const scale = 12

/** What was told of cross positions in one message, and what stands behind them. */
interface CrossSight {
  /** On cross margin, each with its market. */
  readonly held: readonly Held[]
  /** What stands behind all of them, in USD. */
  readonly collateral: Decimal
  /** The collateral was told in the same message: it is of the very same moment. */
  readonly isSameMoment: boolean
}

interface Held {
  readonly position: VenuePosition
  readonly market: Market
}

export interface PriceMismatches {
  /** Coins whose liquidation price the venue shows elsewhere than Guard works it out, for people. */
  readonly coins: ReadonlyMap<Coin, string>
  /** The prices stand for another collateral than was told at another moment; null when they do not. */
  readonly pool: string | null
}

/**
 * Compares the liquidation prices of cross positions that the venue shows with those that follow from
 * the collateral and the margin tiers. Where the collateral was told at another moment, prices may
 * have moved in between: then the prices are compared with each other, by the collateral that the
 * largest position's stands for, and that collateral with the one that was told.
 */
export function priceMismatches(sight: CrossSight): PriceMismatches {
  const { held, collateral, isSameMoment } = sight
  const implied = isSameMoment ? null : impliedCollateral(held, collateral)
  const coins = new Map<Coin, string>()
  for (const each of held) {
    const text = mismatch(each, (implied ?? collateral).minus(keptByOthers(held, each)))
    if (text !== null) coins.set(each.position.coin, text)
  }
  return { coins, pool: poolMismatch(held, collateral, implied) }
}

/** The value at which a position is liquidated, by each reading of what happens in another tier. */
function valuesAtEnd({ position, market }: Held, behind: Decimal): readonly Decimal[] {
  const { positionValue: value, size } = position
  const side = size.isPositive() ? Decimal.one : Decimal.one.negated()
  const collateral = behind.times(partsOfUsd)
  const held = value.times(side).times(partsOfUsd)
  const left = collateral.minus(maintenanceOf(market, value))
  const ends = maintenanceLines(market).map(({ rate, deduction }, tier) => {
    const slope = partsOfUsd.times(side).minus(rate)
    const over = (parts: Decimal): Decimal => parts.over(slope, scale, 'half-even')
    // What is left now, used up at the rate of the tier in which that ends.
    const literal = value.minus(over(left))
    const isReached = tierOf(market, literal) === tier
    return { exact: over(held.minus(collateral).minus(deduction)), literal, isReached }
  })
  // Maintenance is the largest of its tiers' lines: the first of them that is met ends it.
  const [first, ...rest] = ends.map(({ exact }) => exact) as [Decimal, ...Decimal[]]
  const exact = size.isPositive() ? Decimal.max(first, ...rest) : Decimal.min(first, ...rest)
  return [exact, ...ends.flatMap(({ literal, isReached }) => (isReached ? [literal] : []))]
}

function mismatch(each: Held, behind: Decimal): string | null {
  const { coin, size, positionValue, liquidationPrice } = each.position
  // The venue shows none where it would be at zero or below.
  const shown = liquidationPrice?.times(size.abs()) ?? Decimal.zero
  const room = positionValue.times(tolerance)
  const own = valuesAtEnd(each, behind).map((value) => Decimal.max(value, Decimal.zero))
  const apart = (value: Decimal): Decimal => value.minus(shown).abs()
  const nearest = own.reduce((best, value) => (apart(value).lt(apart(best)) ? value : best))
  if (apart(nearest).lte(room)) return null
  const price = nearest.over(size.abs(), 6, 'half-even').normalised().toString()
  const told = liquidationPrice === null ? 'none' : liquidationPrice.toString()
  return `${coin}: the venue shows a liquidation price of ${told}, and ${price} follows from the margins`
}

/** The collateral that the price of the largest position stands for; null where none has a price. */
function impliedCollateral(held: readonly Held[], told: Decimal): Decimal | null {
  const priced = held.filter(({ position }) => position.liquidationPrice !== null)
  const largest = priced.reduce<Held | null>(
    (most, each) =>
      most?.position.positionValue.gte(each.position.positionValue) === true ? most : each,
    null,
  )
  if (largest === null) return null
  const { position, market } = largest
  const { size, positionValue: value, liquidationPrice } = position
  const end = (liquidationPrice as Decimal).times(size.abs())
  const lost = size.isPositive() ? value.minus(end) : end.minus(value)
  const others = keptByOthers(held, largest)
  const exact = lost.plus(inUsd(maintenanceOf(market, end))).plus(others)
  const line = maintenanceLines(market)[tierOf(market, end)]
  const rate = inUsd((line as { readonly rate: Decimal }).rate)
  const used = size.isPositive() ? lost.minus(lost.times(rate)) : lost.plus(lost.times(rate))
  const literal = used.plus(inUsd(maintenanceOf(market, value))).plus(others)
  return exact.minus(told).abs().lte(literal.minus(told).abs()) ? exact : literal
}

function poolMismatch(
  held: readonly Held[],
  told: Decimal,
  implied: Decimal | null,
): string | null {
  if (implied === null) return null
  const worth = held.reduce((sum, { position }) => sum.plus(position.positionValue), Decimal.zero)
  if (implied.minus(told).abs().lte(worth.times(tolerance))) return null
  const shown = (value: Decimal): string => value.rounded(2, 'half-even').toString()
  return `the venue's liquidation prices stand for ${shown(implied)} USD behind the cross positions, and its balance for ${shown(told)} USD`
}

/** What the others' maintenance takes of the collateral, in USD: their marks stand still. */
function keptByOthers(held: readonly Held[], one: Held): Decimal {
  return held.reduce(
    (sum, each) =>
      each === one ? sum : sum.plus(inUsd(maintenanceOf(each.market, each.position.positionValue))),
    Decimal.zero,
  )
}

function tierOf({ tiers }: Market, value: Decimal): number {
  return tiers.filter(({ lowerBound }) => value.gte(lowerBound)).length
}

function inUsd(parts: Decimal): Decimal {
  return parts.over(partsOfUsd, scale, 'half-even')
}
