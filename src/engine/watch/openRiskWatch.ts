import type { Account } from '../../core/account/account.ts'
import type { Rules } from '../../core/rules/rules.ts'
import { Decimal } from '../../core/values/decimal.ts'
import type { Alerts } from '../alerts.ts'
import type { Clock } from '../ports.ts'

interface OpenRiskWatchDeps {
  readonly clock: Pick<Clock, 'now' | 'monotonicMs'>
  readonly account: Pick<Account, 'equity' | 'exposure'>
  readonly alerts: Pick<Alerts, 'raise' | 'clear'>
  readonly rulesFor: (client: null, coin: null) => Rules
}

/** Nobody is told of an excess before this: a stop may be on its way, or money. In milliseconds. */
const settledMs = 5_000
const centDecimals = 2

/**
 * Raises an alert while more would be lost at the stops than `open_risk` admits. Entries are sized so that
 * none can cause it: money has left the account, or a price has gone far ahead of its stop.
 */
export class OpenRiskWatch {
  private readonly deps: OpenRiskWatchDeps
  /** By the monotonic clock. */
  private sinceMs: number | null = null

  constructor(deps: OpenRiskWatchDeps) {
    this.deps = deps
  }

  tick(isSeen: boolean): void {
    const { alerts, clock } = this.deps
    const text = isSeen ? this.excess() : null
    if (text === null) {
      this.sinceMs = null
      alerts.clear('open_risk_over')
      return
    }
    const nowMs = clock.monotonicMs()
    this.sinceMs ??= nowMs
    if (nowMs - this.sinceMs >= settledMs) alerts.raise('open_risk_over', text, clock.now())
  }

  /** Why there is too much, for people; null where there is not. */
  private excess(): string | null {
    const { account, rulesFor } = this.deps
    const { openRisk, equityCap } = rulesFor(null, null)
    const { equity } = account
    if (equity === null) return null
    const sized = equityCap === null ? equity : Decimal.min(equity, equityCap)
    const limit = Decimal.max(sized.times(openRisk), Decimal.zero)
    const atRisk = account.exposure().openRisk
    if (atRisk.lte(limit)) return null
    const usd = (value: Decimal): string => value.rounded(centDecimals, 'half-even').toString()
    return `${usd(atRisk)} USD would be lost at the stops, and open_risk admits ${usd(limit)} USD of an equity of ${usd(equity)} USD: money has left the account, or a price has gone far ahead of its stop. Nothing opens beyond it; exits and stops go on`
  }
}
