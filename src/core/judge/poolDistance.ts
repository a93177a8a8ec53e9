import type { PoolRow } from '../account/accountView.ts'
import { Decimal } from '../values/decimal.ts'
import type { JudgeInput } from './decision.ts'

/**
 * The share by which all marks must be able to move against every cross position: the largest
 * `min_liquidation_distance` of the account and of the coins on cross margin, since one pool bears all.
 */
export function poolDistance(
  { rulesFor, client }: Pick<JudgeInput, 'rulesFor' | 'client'>,
  rows: readonly PoolRow[],
): Decimal {
  const ofCoins = rows.flatMap(({ coin, isCross }) =>
    isCross ? [rulesFor(client, coin).minLiquidationDistance] : [],
  )
  return Decimal.max(rulesFor(client, null).minLiquidationDistance, ...ofCoins)
}
