import type { Market } from '../../protocol/market.ts'
import { assumptions } from '../../values/assumptions.ts'
import { Decimal } from '../../values/decimal.ts'
import { lossPerUnit } from '../../account/stopRow.ts'
import { stopGapOf } from '../context.ts'
import type { JudgeInput } from '../decision.ts'
import type { Refusal } from '../refusal.ts'
import { usd } from '../text.ts'

interface Margined {
  readonly isBuy: boolean
  readonly price: Decimal
  readonly stop: Decimal
  /** USD that a unit of it counts as. */
  readonly worth: Decimal
}

const two = Decimal.whole(2)

/**
 * Whether the isolated margin of an entry at this leverage is no more than twice what it risks. On a
 * builder dex all of that margin may be lost, so that more is put in only where the liquidation would
 * come before the stop otherwise. On the main dex margin is no risk, and nothing bounds it.
 */
export function isMarginSmall(
  { account }: Pick<JudgeInput, 'account'>,
  { coin, builder }: Market,
  { isBuy, price, stop, worth }: Margined,
  leverage: number,
): boolean {
  if (builder === undefined) return true
  const risk = lossPerUnit(isBuy, price, stop, stopGapOf(account, coin))
  return worth.lte(risk.times(two).times(Decimal.whole(leverage)))
}

/**
 * Why this much margin may not be added to a position on a builder dex: all of it may be lost there. Null
 * where it may, as where the position has no stop yet, or would be liquidated before its stop fills.
 */
export function tooMuchMargin(
  { account }: Pick<JudgeInput, 'account'>,
  { coin, maxLeverage }: Market,
  amount: Decimal,
): Refusal | null {
  const position = account.positions.get(coin)
  const mark = account.mark(coin)
  const { loosest, risk } = account.cover(coin) ?? { loosest: null, risk: Decimal.zero }
  if (position === undefined || mark === null || loosest === null) return null
  const { size, liquidationPrice: liquidation } = position
  const beyond = loosest.times(assumptions.stopSlippage)
  const worstFill = size.isPositive() ? loosest.minus(beyond) : loosest.plus(beyond)
  const isNeeded = size.isPositive() ? liquidation?.gt(worstFill) : liquidation?.lt(worstFill)
  if (isNeeded === true) return null
  // At the liquidation what is left of it is the maintenance margin: half of 1/maxLeverage.
  const kept = liquidation?.over(Decimal.whole(2 * maxLeverage), 18, 'floor') ?? Decimal.zero
  const lost = liquidation === null ? mark : mark.minus(liquidation).abs()
  const held = size.abs().times(lost.plus(kept))
  const most = risk.times(two)
  if (held.plus(amount).lte(most)) return null
  return {
    code: 'leverage',
    text: `${coin} has ${usd(held)} of isolated margin, and ${usd(amount)} more would be beyond ${usd(most)}, twice what it risks: on a builder dex all of it may be lost`,
  }
}
