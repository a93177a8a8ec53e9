import type { Account } from '../../core/account/account.ts'
import { isAccountFresh } from '../../core/judge/context.ts'
import type { Decision } from '../../core/judge/decision.ts'
import type { Coin } from '../../core/values/coin.ts'
import type { Millis } from '../../core/values/millis.ts'
import type { Urgency } from '../ports.ts'

/**
 * From whose share of the venue's weight and of the account's actions a decision is paid. An exit
 * that has nothing to reduce, now or in a moment, is paid like an entry: otherwise a bot could spend
 * on such orders what is kept for getting out.
 */
export function spendingLane(decision: Decision, account: Account, now: Millis): Urgency {
  if (decision.lane !== 'exit' || !isAccountFresh({ account, now })) return decision.lane
  const coins = decision.reservations
    .flat()
    .flatMap((item) =>
      item.kind === 'reduce' || item.kind === 'stop' || item.kind === 'twap' ? [item.coin] : [],
    )
  if (coins.length === 0) return 'exit'
  const hasSomething = (coin: Coin): boolean =>
    account.positions.has(coin) || account.restingEntries(coin).length > 0
  return coins.some(hasSomething) ? 'exit' : 'entry'
}
