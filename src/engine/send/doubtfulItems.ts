import type { Action, Order } from '../../core/protocol/action.ts'
import { statusOf } from '../../core/protocol/actionReply.ts'
import type { ActionReply } from '../../core/protocol/actionReply.ts'

/** A part of an action of which its answer says nothing. */
export interface DoubtfulPart {
  /** Just that part, as an action that the venue can be asked about. */
  readonly action: Action
  /** The place of the order in the whole action; null where it places none. */
  readonly place: number | null
}

/**
 * What an answer leaves open of an action with several items: each order by itself, since the orders
 * of one action may fare differently, and all cancels together.
 */
export function doubtfulItems(action: Action, reply: ActionReply): readonly DoubtfulPart[] {
  const isOpen = (_: unknown, item: number): boolean => statusOf(reply, item).kind === 'unknown'
  switch (action.type) {
    case 'order':
      return action.orders.flatMap((order, place) => {
        return isOpen(order, place) ? partOf({ ...action, orders: [order] }, order, place) : []
      })
    case 'batchModify':
      return action.modifies.flatMap((modify, place) => {
        const part = { ...action, modifies: [modify] }
        return isOpen(modify, place) ? partOf(part, modify.order, place) : []
      })
    case 'cancel': {
      const cancels = action.cancels.filter(isOpen)
      return cancels.length === 0 ? [] : [{ action: { ...action, cancels }, place: null }]
    }
    case 'cancelByCloid': {
      const cancels = action.cancels.filter(isOpen)
      return cancels.length === 0 ? [] : [{ action: { ...action, cancels }, place: null }]
    }
    case 'modify':
    case 'updateLeverage':
    case 'updateIsolatedMargin':
    case 'scheduleCancel':
    case 'twapOrder':
    case 'twapCancel':
      // Of one item nothing is left open in part.
      return []
  }
}

/** An order without an id cannot be asked about: the lists of open orders will show it. */
function partOf(action: Action, { cloid }: Order, place: number): readonly DoubtfulPart[] {
  return cloid === null ? [] : [{ action, place }]
}
