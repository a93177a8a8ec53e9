import type { Account } from '../../core/account/account.ts'
import type { AccountEvent } from '../../core/account/accountEvent.ts'
import { Decimal } from '../../core/values/decimal.ts'
import type { Alerts } from '../alerts.ts'
import type { Clock } from '../ports.ts'

interface PortfolioWatchDeps {
  readonly clock: Clock
  readonly account: Pick<Account, 'mode'>
  readonly alerts: Pick<Alerts, 'raise' | 'clear'>
}

/** From here on a person is told; the venue liquidates above 0.95. */
const alertFrom = Decimal.of('0.5')
const hundred = Decimal.whole(100)

/** An alert while an account on portfolio margin comes near its liquidation, by the venue's own ratio. */
export class PortfolioWatch {
  private readonly deps: PortfolioWatchDeps
  private ratio: Decimal | null = null

  constructor(deps: PortfolioWatchDeps) {
    this.deps = deps
  }

  told(event: AccountEvent): void {
    if (event.kind === 'spot') this.ratio = event.spot.portfolioRatio ?? null
  }

  tick(): void {
    const { account, alerts, clock } = this.deps
    const { ratio } = this
    if (account.mode !== 'portfolioMargin' || ratio === null || ratio.lt(alertFrom)) {
      alerts.clear('portfolio_margin')
      return
    }
    const used = ratio.times(hundred).rounded(1, 'ceil').toString()
    const text = `the account is in mode portfolioMargin, and ${used}% of it is used: the venue liquidates above 95%`
    alerts.raise('portfolio_margin', text, clock.now())
  }
}
