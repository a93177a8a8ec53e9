import type { Action, Order } from '../core/protocol/action.ts'

/** The orders an action places or changes an order into, as its answer's statuses are numbered. */
export function ordersOf(action: Action): readonly Order[] {
  switch (action.type) {
    case 'order':
      return action.orders
    case 'modify':
      return [action.modify.order]
    case 'batchModify':
      return action.modifies.map(({ order }) => order)
    default:
      return []
  }
}
