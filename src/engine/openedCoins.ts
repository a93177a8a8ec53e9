import type { Action } from '../core/protocol/action.ts'
import { ordersOf } from '../core/protocol/actionReply.ts'
import type { Markets } from '../core/protocol/market.ts'
import type { Coin } from '../core/values/coin.ts'

/** The coins on which an action may open something: what is judged of them must be fresh. */
export function openedCoins(action: Action, markets: Markets): readonly Coin[] {
  const opening = ordersOf(action).filter((order) => !order.isReduceOnly)
  return [...new Set(opening.map(({ asset }) => asset))].flatMap((asset) => {
    const coin = markets.byAsset.get(asset)?.coin
    return coin === undefined ? [] : [coin]
  })
}
