import type { Rules } from '../../rules/rules.ts'
import type { JudgeInput } from '../decision.ts'
import type { AccountWithRequest } from '../accountWithRequest.ts'
import type { Refusal } from '../refusal.ts'

/**
 * How many entries a client may send a minute, and how many orders the account may have open with
 * those in flight. `orderCount` is what the entry adds, its stop and its take profit included.
 */
export function checkThrottle(
  input: JudgeInput,
  rules: Rules,
  draft: AccountWithRequest,
  orderCount: number,
): Refusal | null {
  const sent = input.entriesLastMinute + draft.entryCount
  if (sent >= rules.maxOrdersPerMinute) {
    return {
      code: 'order_rate',
      text: `this client sent ${sent} entries within a minute; max_orders_per_minute is ${rules.maxOrdersPerMinute}`,
    }
  }
  if (draft.orderCount + orderCount <= rules.maxOpenOrders) return null
  return {
    code: 'too_many_orders',
    text: `the account has ${draft.orderCount} orders open or on their way, and this would add ${orderCount}; max_open_orders is ${rules.maxOpenOrders}`,
  }
}
