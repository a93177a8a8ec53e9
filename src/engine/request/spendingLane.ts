import type { Account } from '../../core/account/account.ts'
import { isAccountFresh } from '../../core/judge/context.ts'
import type { Decision } from '../../core/judge/decision.ts'
import type { Coin } from '../../core/values/coin.ts'
import type { Millis } from '../../core/values/millis.ts'
import type { Urgency } from '../ports.ts'

/** An order that only reduces: the market it is on, and its side. */
interface Reducing {
  readonly coin: Coin
  readonly isBuy: boolean
}

/**
 * From whose share of the venue's weight and of the account's actions a decision is paid. An exit
 * that has nothing to reduce, now or in a moment, is paid like an entry: otherwise a bot could spend
 * on such orders what is kept for getting out.
 */
export function spendingLane(decision: Decision, account: Account, now: Millis): Urgency {
  if (decision.lane !== 'exit' || !isAccountFresh({ account, now })) return decision.lane
  const reducing = decision.reservations
    .flat()
    .filter((item) => item.kind === 'reduce' || item.kind === 'stop' || item.kind === 'twap')
  if (reducing.length === 0) return 'exit'
  return reducing.some((item) => hasSomething(account, item)) ? 'exit' : 'entry'
}

/** Whether a position on the other side is held, or may be in a moment. */
function hasSomething(account: Account, { coin, isBuy }: Reducing): boolean {
  const held = account.positions.get(coin)
  if (held !== undefined && held.size.isPositive() !== isBuy) return true
  if (account.restingEntries(coin).some((entry) => entry.isBuy !== isBuy)) return true
  return account.twaps
    .views()
    .some((twap) => twap.coin === coin && twap.mayOpen && !twap.isOver && twap.isBuy !== isBuy)
}
