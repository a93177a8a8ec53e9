import type { AccountView } from '../../account/accountView.ts'
import type { AccountWithRequest } from '../accountWithRequest.ts'
import type { Coin } from '../../values/coin.ts'
import type { Decimal } from '../../values/decimal.ts'
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

/**
 * Nor while the price, the mid or the mark that fires them, is past every stop of the position that the
 * entry would enlarge: the venue is about to close it, so it counts as nothing at its stops; but all of
 * it would count at the entry's own stop once that covers it too, and what the entry was sized beside
 * would not hold any more.
 */
export function checkPassedStops(
  account: Pick<AccountView, 'positions' | 'cover'>,
  coin: Coin,
  isBuy: boolean,
  firing: Decimal,
): Refusal | null {
  if (account.positions.get(coin)?.size.isPositive() !== isBuy) return null
  // Null where orders that were told as filled leave nothing of the position: no stop is over it any more.
  const loosest = account.cover(coin)?.loosest ?? null
  if (loosest === null || (isBuy ? loosest.lt(firing) : loosest.gt(firing))) return null
  return {
    code: 'unprotected_position',
    text: `the price of ${coin} (${firing.toString()}) is past every stop of the position (${loosest.toString()}), which the venue has not closed yet`,
  }
}
