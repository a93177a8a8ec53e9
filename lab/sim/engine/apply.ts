import type { Json } from '../../../src/core/protocol/action.ts'
import { applyAdmin } from './adminAction.ts'
import { applyCancels } from './cancelAction.ts'
import { applyBatchModify, applyModify } from './modifyAction.ts'
import { applyOrders } from './orderAction.ts'
import { applyIsolatedMargin, applyLeverage, applySchedule } from './riskAction.ts'
import { replyError } from './texts.ts'
import type { VenueAction } from './venueAction.ts'
import type { ApplyContext } from './venueControl.ts'
import type { Account, World } from './world.ts'

/** Executes one action for an account and returns the venue's answer. */
export function applyAction(
  world: World,
  account: Account,
  action: VenueAction,
  context: ApplyContext,
): Json {
  switch (action.type) {
    case 'order':
      return applyOrders(world, account, action, context)
    case 'modify':
      return applyModify(world, account, action, context)
    case 'batchModify':
      return applyBatchModify(world, account, action, context)
    default:
      // An action without orders is refused whole.
      if (context.refuse?.only === 'all') return replyError(context.refuse.text)
  }
  switch (action.type) {
    case 'cancel':
    case 'cancelByCloid':
      return applyCancels(world, account, action)
    case 'updateLeverage':
      return applyLeverage(world, account, action)
    case 'updateIsolatedMargin':
      return applyIsolatedMargin(world, account, action)
    case 'scheduleCancel':
      return applySchedule(world, account, action)
    default:
      return applyAdmin(world, account, action)
  }
}
