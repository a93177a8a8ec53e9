/** The venue's words, as the tables of the reference list them. */

const fastCancelOfTrigger = 'Fast cancel is not supported for trigger orders.'

const perOrder = {
  offGrid: 'Price must be divisible by tick size.',
  tooSmall: 'Order must have minimum value of $10.',
  noMargin: 'Insufficient margin to place order.',
  increases: 'Reduce only order would increase position.',
  unmatched: 'Order could not immediately match against any resting orders.',
  nothingThere: 'No liquidity available for market order.',
  trigger: 'Invalid TP/SL price.',
  tier: 'Order would cause position to exceed margin tier limit at current leverage',
  crowded: 'Too many open orders',
  gone: 'Order was never placed, already canceled, or filled.',
  size: 'Order has invalid size.',
  zero: 'Order has zero size.',
  price: 'Order has invalid price.',
  asset: 'Invalid asset.',
  halted: 'Trading is halted',
  postOnly: 'Only post-only orders allowed immediately after a network upgrade',
  capGrows: 'Order would increase open interest while open interest is capped',
  capPrice: 'Order rejected due to price more aggressive than oracle while at open interest cap',
  capIncrease: 'Cannot increase position when open interest is at cap.',
  capFlip: 'Cannot flip position when open interest is at cap.',
  capReached: 'Asset open interest is at cap.',
  cloid: 'Client order id is already used by an open order.',
  tooLarge: 'Order value exceeds the maximum for this asset.',
  childOpens: 'Trigger order is not reduce only.',
  childSide: 'Trigger order has unexpected side.',
  fastCancel: fastCancelOfTrigger,
} as const

export type OrderFault = keyof typeof perOrder

/** With the asset behind it, as on the wire. */
export function faultText(fault: OrderFault, asset: number): string {
  return `${perOrder[fault]} asset=${asset}`
}

export function aloText(bid: string, ask: string, asset: number): string {
  return `Post only order would have immediately matched, bbo was ${bid}@${ask}. asset=${asset}`
}

export const wholeAction = {
  fastCancel: fastCancelOfTrigger,
  empty: 'Orders are empty',
  triggerFirst: 'Main order cannot be trigger order.',
  triggerCount: 'Unexpected number of trigger orders',
  builder: 'Builder fee has not been approved.',
  modifyGone: 'Cannot modify canceled or filled order',
  modifyPassive:
    'Modify requires a post-only or non-crossing Gtc order unless always_place is set.',
  modifyFailed: 'Error placing new order during modify: ',
  scheduleSoon: 'Scheduled cancel time must be at least 5 seconds in the future.',
  scheduleOften: 'Too many scheduled cancels triggered for the day. Limit is 10',
  leverage: 'Invalid leverage value',
  agentPending: 'User has pending agent removal',
  transition: 'Abstraction transition not allowed',
  modeInUse: 'Cannot change abstraction with open positions or orders.',
  crossNotAllowed: 'Cross margin is not allowed for this asset.',
  switchMode: 'Cannot switch leverage type with open position.',
  crossShort:
    'Cross position does not have sufficient margin available to decrease leverage. To decrease leverage, deposit more collateral.',
  isolatedShort:
    'Isolated position does not have sufficient margin available to decrease leverage. To decrease leverage, add margin to the position.',
} as const
