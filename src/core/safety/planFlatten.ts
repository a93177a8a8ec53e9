import type { PositionView, WatchedAccount } from '../account/accountView.ts'
import type { Action, Order } from '../protocol/action.ts'
import type { CloidMint } from '../protocol/guardCloid.ts'
import type { Coin } from '../values/coin.ts'
import { limits } from '../values/limits.ts'
import type { Millis } from '../values/millis.ts'
import { batches } from './batches.ts'
import { closeOrder } from './closeOrder.ts'

/** A close or cancel that is in flight is left alone for this long; reduce-only cannot overshoot. */
export const flattenRetryMs = 3_000

/** Plans name coins in one fixed order. */
export function byCoin(left: PositionView, right: PositionView): number {
  return left.coin < right.coin ? -1 : 1
}

export interface FlattenInput {
  readonly account: WatchedAccount
  readonly now: Millis
  readonly mint: CloidMint
}

export interface FlattenPlan {
  /** In the order they go out: cancels of what could open a position, then the closes. */
  readonly actions: readonly Action[]
  readonly coins: readonly Coin[]
  /** What could not be priced, for a person. */
  readonly problems: readonly string[]
  /** No position and no order that could open one: nothing is left to do. */
  readonly isFlat: boolean
}

/** Everything that closes the account now; asked again until it is flat. Protective stops stay. */
export function planFlatten({ account, now, mint }: FlattenInput): FlattenPlan {
  const isWaiting = (since: Millis | null): boolean =>
    since !== null && now - since < flattenRetryMs
  const cancels: { asset: number; oid: number }[] = []
  const closes: Order[] = []
  const coins = new Set<Coin>()
  const problems: string[] = []
  let isFlat = true

  for (const coin of [...account.coinsWithOrders()].sort()) {
    for (const order of account.ordersOf(coin)) {
      if (order.isReduceOnly) continue
      isFlat = false
      const market = account.market(coin)
      if (market === null) {
        problems.push(`${coin}: order ${order.oid} cannot be cancelled, the market is not listed`)
      } else if (!isWaiting(account.cancellingSince(order.oid))) {
        coins.add(coin)
        cancels.push({ asset: market.asset, oid: order.oid })
      }
    }
  }
  for (const { coin, size } of [...account.positions.values()].sort(byCoin)) {
    isFlat = false
    const market = account.market(coin)
    const price = account.mid(coin)?.price ?? account.mark(coin)
    if (market === null || price === null) {
      const why = market === null ? 'the market is not listed' : 'there is no price for it'
      problems.push(`${coin}: the position of ${size.toString()} cannot be closed, ${why}`)
    } else if (!isWaiting(account.closingSince(coin))) {
      coins.add(coin)
      closes.push(closeOrder(market, size, price, mint))
    }
  }
  return { actions: toActions(cancels, closes), coins: [...coins].sort(), problems, isFlat }
}

function toActions(
  cancels: readonly { readonly asset: number; readonly oid: number }[],
  closes: readonly Order[],
): readonly Action[] {
  return [
    ...batches(cancels, limits.flattenBatchMax).map((batch): Action => ({
      type: 'cancel',
      cancels: batch,
    })),
    ...batches(closes, limits.flattenBatchMax).map((orders): Action => ({
      type: 'order',
      orders,
      grouping: 'na',
      builder: null,
    })),
  ]
}
