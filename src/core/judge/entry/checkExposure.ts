import type { AccountWithRequest } from '../accountWithRequest.ts'
import type { Coin } from '../../values/coin.ts'
import type { Refusal } from '../refusal.ts'

/**
 * No new entry while a position is not covered in full, an entry rests without its stop, or a TWAP adds
 * to positions that nobody has judged (`strange`: the coins of those).
 */
export function checkExposure(draft: AccountWithRequest, strange: readonly Coin[]): Refusal | null {
  const positions = draft.uncoveredPositions
  if (positions.length > 0) {
    return {
      code: 'unprotected_position',
      text: `the position in ${positions.join(', ')} is not covered in full by market stops; nothing opens until it is`,
    }
  }
  const orders = draft.uncoveredOrders
  if (orders.length > 0) {
    return {
      code: 'unprotected_order',
      text: `an entry rests on ${orders.join(', ')} without its stop; nothing opens until it is covered or cancelled`,
    }
  }
  if (strange.length > 0) {
    return {
      code: 'unprotected_order',
      text: `a TWAP on ${strange.join(', ')} was made elsewhere, and what it still opens has no stop; nothing opens until it has ended or is cancelled`,
    }
  }
  return null
}
