import type { AccountView } from '../../core/account/accountView.ts'
import type { Action, Order } from '../../core/protocol/action.ts'
import { ordersOf } from '../../core/protocol/actionReply.ts'
import type { Coin } from '../../core/values/coin.ts'

/**
 * The coins on which an action may open or enlarge something: what is judged of them must be fresh.
 * What is reduce-only opens nothing, and neither does an order against the position that is held: it
 * goes as reduce-only, or not at all. Both are judged by what is remembered, however old that is. A
 * change of leverage changes what entries of the coin may do, and is judged by a fresh account too.
 */
export function openedCoins(
  action: Action,
  account: Pick<AccountView, 'markets' | 'positions'>,
): readonly Coin[] {
  if (action.type === 'updateLeverage') {
    const coin = account.markets.byAsset.get(action.asset)?.coin
    return coin === undefined ? [] : [coin]
  }
  const placed = action.type === 'twapOrder' ? [action] : ordersOf(action)
  const coins = placed.flatMap((order) => {
    const coin = account.markets.byAsset.get(order.asset)?.coin
    return coin === undefined || !mayOpen(order, account.positions.get(coin)) ? [] : [coin]
  })
  return [...new Set(coins)]
}

type Position = ReturnType<AccountView['positions']['get']>

function mayOpen(
  { isBuy, isReduceOnly }: Pick<Order, 'isBuy' | 'isReduceOnly'>,
  position: Position,
): boolean {
  if (isReduceOnly) return false
  if (position === undefined || position.size.isZero()) return true
  return position.size.isPositive() === isBuy
}
