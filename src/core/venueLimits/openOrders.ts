import { venueLimits } from './venueLimits.ts'

/**
 * How many of the account's open orders have to go before the venue takes `wanted` more stops or
 * closes one after the other; 0 where there is room already. Others may be placing orders
 * meanwhile, so that a few more places than needed are made.
 */
export function ordersToClear(open: number, wanted: number): number {
  const most = venueLimits.openOrders - wanted - spare
  return Math.max(0, open - Math.max(0, most))
}

/** Whether the venue would refuse a stop or a close beside so many open orders. */
export function isCrowded(open: number, wanted: number): boolean {
  return open + wanted > venueLimits.openOrders
}

const spare = 20
