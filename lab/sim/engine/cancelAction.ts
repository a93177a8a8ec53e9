import type { Json } from '../../../src/core/protocol/action.ts'
import { endElsewhere } from './elsewhere.ts'
import { batchMax } from './orderAction.ts'
import { endOrder } from './orderLife.ts'
import { cancelSpot } from './spot/spotActions.ts'
import { endAllSpot } from './spot/spotLife.ts'
import { replyError, replyStatuses, texts, withAsset } from './texts.ts'
import type { FastCancelAction } from './venueAction.ts'
import type { Account, LiveOrder, World } from './world.ts'

/** Executes `cancel` and `cancelByCloid`; each entry succeeds or fails on its own. */
export function applyCancels(world: World, account: Account, action: FastCancelAction): Json {
  if (action.cancels.length > batchMax) return replyError(texts.overWeight)
  const isFast = action.fast === true
  const found = action.cancels.map((each) => {
    const order = 'oid' in each ? account.orders.get(each.oid) : account.byCloid.get(each.cloid)
    return { ...each, order }
  })
  const isRefused = isFast && found.some(({ order }) => isWaiting(order))
  if (isRefused && world.options.fast_cancel_trigger === 'whole') {
    return replyError(texts.fastCancel)
  }
  const statuses = found.map((each) =>
    'oid' in each && endElsewhere(world, account, each.oid, each.asset)
      ? 'success'
      : (cancelSpot(world, account, each) ?? cancel(world, each.order, each.asset, isFast)),
  )
  return replyStatuses('cancel', statuses)
}

function isWaiting(order: LiveOrder | undefined): boolean {
  return order !== undefined && order.trigger !== null && order.phase !== 'resting'
}

function cancel(world: World, order: LiveOrder | undefined, asset: number, isFast: boolean): Json {
  // An earlier entry of the same action may have ended it.
  if (order === undefined || order.phase === 'done' || order.market.asset !== asset) {
    return { error: withAsset(texts.notOpen, asset) }
  }
  if (isFast && isWaiting(order)) return { error: withAsset(texts.fastCancel, asset) }
  endOrder(world, order, 'canceled')
  return 'success'
}

/** Ends everything that an account has open, on spot pairs too. */
export function cancelEverything(world: World, account: Account, status: string): void {
  cancelAll(world, account, status)
  endAllSpot(world, account, status)
}

/** Ends what an account has open on perps, or some of it; children before their parents, each with this status. */
export function cancelAll(
  world: World,
  account: Account,
  status: string,
  which: (order: LiveOrder) => boolean = () => true,
): void {
  for (const order of [...account.orders.values()].reverse()) {
    if (which(order)) endOrder(world, order, status)
  }
}
