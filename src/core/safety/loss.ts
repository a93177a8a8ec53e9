import { Decimal } from '../values/decimal.ts'

const shareDecimals = 8
const moneyDecimals = 12

function cappedBase(base: Decimal, cap: Decimal | null): Decimal {
  return cap === null ? base : Decimal.min(base, cap)
}

/** Whether the fall from `base` is at least `limit` of the capped base; exact, without a quotient. */
export function lossOf(
  base: Decimal,
  equity: Decimal,
  limit: Decimal,
  cap: Decimal | null,
): boolean {
  if (!base.isPositive()) return false
  return base.minus(equity).gte(limit.times(cappedBase(base, cap)))
}

/** The fall from `base` as a share of the capped base; negative is a gain, null without a base. */
export function ratioOf(base: Decimal, equity: Decimal, cap: Decimal | null): Decimal | null {
  if (!base.isPositive()) return null
  return base.minus(equity).over(cappedBase(base, cap), shareDecimals, 'half-even')
}

/**
 * A base moved by a flow so that the loss as a share stays what it was: base x e / (e - f), with e
 * the equity that includes the flow. Where nothing was there before, the flow is the base.
 */
export function withFlow(base: Decimal, equity: Decimal, flow: Decimal): Decimal {
  if (flow.isZero()) return base
  const before = equity.minus(flow)
  if (!equity.isPositive()) return Decimal.zero
  if (!before.isPositive()) return equity
  return base.times(equity).over(before, moneyDecimals, 'half-even')
}

/** Which of the steps between equities is nearest to a flow: from there on it is in them. */
export function stepOf(flow: Decimal, equities: readonly Decimal[]): number {
  let [nearest, least]: [number, Decimal | null] = [0, null]
  for (const [place, equity] of equities.slice(1).entries()) {
    const apart = equity
      .minus(equities[place] as Decimal)
      .minus(flow)
      .abs()
    if (least !== null && apart.gte(least)) continue
    nearest = place
    least = apart
  }
  return nearest
}
