import type { CancelAction, CancelByCloidAction, Json } from '../../../src/core/protocol/action.ts'
import { endElsewhere } from './elsewhere.ts'
import { batchMax } from './orderAction.ts'
import { endOrder } from './orderLife.ts'
import { replyError, replyStatuses, texts, withAsset } from './texts.ts'
import type { Account, LiveOrder, World } from './world.ts'

/** Executes `cancel` and `cancelByCloid`; each entry succeeds or fails on its own. */
export function applyCancels(
  world: World,
  account: Account,
  action: CancelAction | CancelByCloidAction,
): Json {
  if (action.cancels.length > batchMax) return replyError(texts.overWeight)
  const statuses =
    action.type === 'cancel'
      ? action.cancels.map(({ asset, oid }) =>
          endElsewhere(world, account, oid, asset)
            ? 'success'
            : cancel(world, account.orders.get(oid), asset),
        )
      : action.cancels.map(({ asset, cloid }) => cancel(world, account.byCloid.get(cloid), asset))
  return replyStatuses('cancel', statuses)
}

function cancel(world: World, order: LiveOrder | undefined, asset: number): Json {
  if (order === undefined || order.market.asset !== asset) {
    return { error: withAsset(texts.notOpen, asset) }
  }
  endOrder(world, order, 'canceled')
  return 'success'
}

/** Ends everything an account has open. */
export function cancelAll(world: World, account: Account, status: string): void {
  for (const order of [...account.orders.values()]) endOrder(world, order, status)
}
