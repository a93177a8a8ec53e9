import { Decimal } from '../../../src/core/values/decimal.ts'
import type { MarginTier } from '../../../src/core/protocol/market.ts'

/** The venue's arithmetic of margin, from its published rules; pure. */

/** Digits kept where a quotient does not end. */
export const quotientScale = 24
export const shownScale = 10
const two = Decimal.whole(2)

/** Half the initial margin rate at this leverage. */
export function maintenanceRate(maxLeverage: number): Decimal {
  return Decimal.one.over(Decimal.whole(2 * maxLeverage), quotientScale, 'half-even')
}

/** The tier a notional lies in. Tiers are sorted, the first one starts at zero. */
export function tierOf(tiers: readonly MarginTier[], notional: Decimal): MarginTier {
  const found = tiers.findLast((tier) => notional.gte(tier.lowerBound))
  const first = found ?? tiers[0]
  if (first === undefined) throw new RangeError('a market has at least one margin tier')
  return first
}

/** Continuous over the tiers: what a tier charges more only counts for the part above its bound. */
export function maintenanceMargin(tiers: readonly MarginTier[], notional: Decimal): Decimal {
  let margin = Decimal.zero
  tiers.forEach((tier, index) => {
    if (notional.lte(tier.lowerBound)) return
    const end = tiers[index + 1]?.lowerBound
    const upper = end !== undefined && end.lt(notional) ? end : notional
    const part = upper.minus(tier.lowerBound)
    margin = margin.plus(part.over(Decimal.whole(2 * tier.maxLeverage), quotientScale, 'half-even'))
  })
  return margin
}

/** Margin to hold this value at a leverage. */
export function initialMargin(notional: Decimal, leverage: number): Decimal {
  return notional.over(Decimal.whole(leverage), quotientScale, 'half-even')
}

/**
 * The mark at which `available` (equity less maintenance) is used up; null when there is none
 * above zero.
 */
export function liquidationPrice(
  mark: Decimal,
  size: Decimal,
  available: Decimal,
  maxLeverage: number,
): Decimal | null {
  const rate = maintenanceRate(maxLeverage)
  const isLong = size.isPositive()
  const slope = isLong ? Decimal.one.minus(rate) : Decimal.one.plus(rate)
  const distance = available.over(size.abs().times(slope), quotientScale, 'half-even')
  const price = (isLong ? mark.minus(distance) : mark.plus(distance)).rounded(
    shownScale,
    'half-even',
  )
  return price.isPositive() ? price : null
}

/**
 * The same over all tiers: each tier has a price by its own rate, and the one that holds is the one
 * at which the position's value lies in that very tier.
 */
export function tieredLiquidationPrice(
  tiers: readonly MarginTier[],
  mark: Decimal,
  size: Decimal,
  available: Decimal,
): Decimal | null {
  const worth = size.abs().times(mark)
  const now = maintenanceMargin(tiers, worth)
  for (const tier of tiers) {
    const above = worth.minus(tier.lowerBound)
    const byThisRate = maintenanceMargin(tiers, tier.lowerBound).plus(
      above.over(Decimal.whole(2 * tier.maxLeverage), quotientScale, 'half-even'),
    )
    const left = available.plus(now).minus(byThisRate)
    const price = liquidationPrice(mark, size, left, tier.maxLeverage)
    if (price !== null && tierOf(tiers, price.times(size.abs())) === tier) return price
  }
  return null
}

export function returnOnEquity(
  unrealisedPnl: Decimal,
  entryNotional: Decimal,
  leverage: number,
): Decimal {
  if (entryNotional.isZero()) return Decimal.zero
  return unrealisedPnl
    .times(Decimal.whole(leverage))
    .over(entryNotional.abs(), shownScale, 'half-even')
}

const tenth = Decimal.of('0.1')

/** What may leave the account: its cross value less initial margin, or less a tenth of the value. */
export function withdrawable(
  crossValue: Decimal,
  crossInitial: Decimal,
  crossNotional: Decimal,
): Decimal {
  const kept = Decimal.max(crossInitial, crossNotional.times(tenth))
  return Decimal.max(Decimal.zero, crossValue.minus(kept))
}

/** Below two thirds of the maintenance margin the liquidator takes over. */
export function isBackstop(equity: Decimal, maintenance: Decimal): boolean {
  return equity.times(Decimal.whole(3)).lt(maintenance.times(two))
}
