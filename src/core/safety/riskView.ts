import type { CashView } from '../account/cash.ts'
import type { RiskDetail, RiskStateName } from '../events/guardEvent.ts'
import type { Decimal } from '../values/decimal.ts'
import type { BlindSight } from './blindLoss.ts'

/** What the risk engine needs of the account, after the event was applied to it. */
export interface RiskAccount extends BlindSight {
  readonly cash: CashView | null
}

export interface RiskView {
  readonly state: RiskStateName
  readonly detail: RiskDetail | null
  readonly equity: Decimal | null
  readonly dayStart: Decimal | null
  readonly peak: Decimal | null
  readonly day: string | null
  /** Shares of the capped base; null until the account was seen. */
  readonly dailyLoss: Decimal | null
  readonly drawdown: Decimal | null
  /** A drop that would halt waits for what may explain it: nothing opens meanwhile. */
  readonly holding: boolean
  /** Nobody can tell the equity now, so that no loss is told either. */
  readonly isBlind: boolean
  /** The state or its detail is another one than at the last answer. */
  readonly changed: boolean
  /**
   * Equities that nothing explained, that would have halted or lifted the peak, and that this sight
   * contradicts: they counted for nothing. Empty nearly always.
   */
  readonly dropped: readonly Decimal[]
}
