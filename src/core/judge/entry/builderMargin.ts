import type { Market } from '../../protocol/market.ts'
import { Decimal } from '../../values/decimal.ts'
import { lossPerUnit } from '../../account/stopRow.ts'
import { stopGapOf } from '../context.ts'
import type { JudgeInput } from '../decision.ts'

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
