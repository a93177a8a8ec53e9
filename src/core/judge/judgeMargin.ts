import type { UpdateIsolatedMarginAction } from '../protocol/action.ts'
import { Decimal } from '../values/decimal.ts'
import { marketOf } from './context.ts'
import type { Decision, JudgeInput } from './decision.ts'
import { passed } from './passed.ts'
import { vetoed } from './plan.ts'
import { usd } from './text.ts'

/** Isolated margin may be added, never taken away: the liquidation would come closer. */
export function judgeMargin(input: JudgeInput, action: UpdateIsolatedMarginAction): Decision {
  const coin = marketOf(input, action.asset)?.coin ?? `asset ${action.asset}`
  const amount = new Decimal(BigInt(action.ntli), 6)
  if (!amount.isPositive()) {
    return vetoed({
      code: 'margin_removal',
      text: `${usd(amount)} of isolated margin on ${coin} adds nothing; only more than 0 is forwarded`,
    })
  }
  return passed(action, [], 'exit', `${usd(amount)} of isolated margin added to ${coin}`)
}
