import type { Account } from '../../core/account/account.ts'
import { coinOfKind, isRiskKind } from '../../core/judge/lease.ts'
import type { LeaseFor } from '../../core/judge/lease.ts'
import type { Coin } from '../../core/values/coin.ts'
import { Decimal } from '../../core/values/decimal.ts'
import type { AccountExposure } from '../fleetView.ts'
import type { GuardConfig, GuardDeps } from '../guard.ts'

interface Bounds {
  readonly lease?: LeaseFor
  /** Asked in the tick in which something that opens leaves: why it may not; null where it may. */
  readonly notWriter?: () => string | null
}

/** By what the fleet bounds entries; paper mode sends nothing, and takes nothing that is shared. */
export function leaseOf({ fleet, config }: GuardDeps): Bounds {
  if (fleet === null || config.mode === 'paper') return {}
  return { lease: fleet.lease, notWriter: () => fleet.notWriter }
}

/** What the account has of each kind that a fleet can limit, and what its own rules would let it have. */
export function accountExposure(
  account: Account,
  { mode, rulesFor }: GuardConfig,
): AccountExposure | null {
  if (mode === 'paper') return null
  const rules = rulesFor(null, null)
  const seen = account.equity ?? Decimal.zero
  const equity = rules.equityCap === null ? seen : Decimal.min(seen, rules.equityCap)
  return {
    used: (kind) => {
      const coin = coinOfKind(kind) as Coin | null
      if (coin !== null) {
        const [buys, sells] = [account.coinExposure(coin, true), account.coinExposure(coin, false)]
        return buys.sideValue.plus(sells.sideValue)
      }
      const { openRisk, openValue } = account.exposure()
      return isRiskKind(kind) ? openRisk : openValue
    },
    most: (kind) => {
      const { openRisk, maxLeverage, maxPosition } = rules
      const ofValue = coinOfKind(kind) === null ? maxLeverage : maxPosition
      const share = isRiskKind(kind) ? openRisk : ofValue
      return Decimal.max(equity.times(share), Decimal.zero)
    },
  }
}
