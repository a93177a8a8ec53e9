import type { AccountWithRequest } from '../accountWithRequest.ts'
import type { Refusal } from '../refusal.ts'

/** No new entry while a position is not covered in full, or an entry rests without its stop. */
export function checkExposure(draft: AccountWithRequest): Refusal | null {
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
  return null
}
