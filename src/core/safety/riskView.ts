import type { CashView } from '../account/cash.ts'
import type { RiskDetail, RiskStateName } from '../events/guardEvent.ts'
import type { Decimal } from '../values/decimal.ts'
import type { BlindSight } from './blindLoss.ts'
import { ratioOf } from './loss.ts'
import { unknownDay } from './riskDay.ts'
import type { RiskMemory } from './riskSnapshot.ts'

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
  /** USD that fills lost and that a unified balance does not show, though it should by now; null: nothing. */
  readonly untold: Decimal | null
  /** The state or its detail is another one than at the last answer. */
  readonly changed: boolean
  /**
   * Equities that nothing explained, that would have halted or lifted the peak, and that this sight
   * contradicts: they counted for nothing. Empty nearly always.
   */
  readonly dropped: readonly Decimal[]
}

type Seen = Pick<RiskView, 'equity' | 'isBlind' | 'untold' | 'changed' | 'dropped'> & {
  /** Equity above it is ignored; null where there is no cap. */
  readonly cap: Decimal | null
}

/** What others may read of the engine's memory and of what it has seen. */
export function riskViewOf(memory: RiskMemory, { cap, ...seen }: Seen): RiskView {
  const { state, detail, bases, suspense } = memory
  const { equity, isBlind } = seen
  const shareOf = (base: Decimal | undefined): Decimal | null =>
    base === undefined || equity === null || isBlind ? null : ratioOf(base, equity, cap)
  return {
    ...seen,
    ...{ state, detail, holding: suspense?.isHolding ?? false },
    dayStart: bases?.dayStart ?? null,
    peak: bases?.peak ?? null,
    day: bases === null || bases.day === unknownDay ? null : bases.day,
    // Every request and every message looks, and hardly any asks for what must be divided.
    get dailyLoss() {
      return shareOf(bases?.dayStart)
    },
    get drawdown() {
      return shareOf(bases?.peak)
    },
  }
}
