import type { Market } from '../../protocol/market.ts'
import type { Rules } from '../../rules/rules.ts'
import { Decimal } from '../../values/decimal.ts'
import { ok } from '../../values/result.ts'
import type { Result } from '../../values/result.ts'
import type { AccountWithRequest } from '../accountWithRequest.ts'
import type { JudgeInput } from '../decision.ts'
import { refuse } from '../refusal.ts'
import type { Refusal } from '../refusal.ts'
import { percent, usd } from '../text.ts'
import type { Basis } from './checkAccount.ts'
import type { SizeLimit } from './sizeLimit.ts'

/**
 * How large an entry may be that waits for a trigger. Should it fire while Guard is away, nobody places
 * its stop: all that wait, each losing `min_liquidation_distance` of its value, must lose no more than a
 * day may. `open_risk` where nothing is left of that.
 */
export function awayLimit(
  input: JudgeInput,
  draft: AccountWithRequest,
  market: Market,
  rules: Rules,
  basis: Basis,
  worth: Decimal,
): Result<SizeLimit, Refusal> {
  let used = Decimal.zero
  for (const { coin, value } of draft.waitingValues()) {
    used = used.plus(value.times(input.rulesFor(input.client, coin).minLiquidationDistance))
  }
  const most = basis.equity.times(rules.dailyLossStop)
  const left = most.minus(used)
  const name = (): string =>
    `daily_loss_stop ${percent(rules.dailyLossStop)} of ${usd(basis.equity)}`
  if (!left.isPositive()) {
    return refuse(
      'open_risk',
      `entries that wait for a trigger could lose ${usd(used)} of ${usd(most)} (${name()}) while Guard is away; nothing is left for another`,
    )
  }
  const each = worth.times(rules.minLiquidationDistance)
  return ok({
    size: left.over(each, market.sizeDecimals, 'floor'),
    rule: 'daily_loss_stop',
    text: () =>
      `the ${usd(left)} left of ${usd(most)} (${name()}) that entries which wait for a trigger could lose while Guard is away`,
  })
}
