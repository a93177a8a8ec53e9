import type { Account } from '../../core/account/account.ts'
import type { CrossPool } from '../../core/account/accountView.ts'
import { commonDistance, poolSums } from '../../core/judge/poolSums.ts'
import { partsOfUsd } from '../../core/protocol/maintenance.ts'
import { Decimal } from '../../core/values/decimal.ts'
import type { StatusCross, StatusView } from '../statusView.ts'

/** What stands behind all that is on cross margin, and how far it may move: of each pool, the nearest first. */
export function crossView(account: Account): Pick<StatusView, 'cross' | 'cross_pools'> {
  const pools = account.crossPools().flatMap((pool) => poolView(account, pool) ?? [])
  const nearestFirst = pools.sort((left, right) =>
    Decimal.of(left.distance).cmp(Decimal.of(right.distance)),
  )
  return { cross: nearestFirst[0] ?? null, cross_pools: nearestFirst }
}

function poolView(account: Account, pool: CrossPool): StatusCross | null {
  const sums = poolSums(pool.rows, account)
  if (pool.collateral === null || sums.value.isZero()) return null
  return {
    dex: pool.dex,
    collateral: pool.collateral.toString(),
    value: sums.value.toString(),
    maintenance: sums.maintenance.over(partsOfUsd, 6, 'ceil').toString(),
    distance: commonDistance(pool, sums).toString(),
  }
}
