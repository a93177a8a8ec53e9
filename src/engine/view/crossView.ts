import type { Account } from '../../core/account/account.ts'
import { commonDistance, poolSums } from '../../core/judge/poolSums.ts'
import { partsOfUsd } from '../../core/protocol/maintenance.ts'
import type { StatusCross } from '../statusView.ts'

/** What stands behind everything on cross margin, and how far all of it may move; null without any. */
export function crossView(account: Account): StatusCross | null {
  const pool = account.crossPool()
  const sums = poolSums(pool.rows, account)
  if (pool.collateral === null || sums.value.isZero()) return null
  return {
    collateral: pool.collateral.toString(),
    value: sums.value.toString(),
    maintenance: sums.maintenance.over(partsOfUsd, 6, 'ceil').toString(),
    distance: commonDistance(pool, sums).toString(),
  }
}
