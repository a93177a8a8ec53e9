import { Decimal } from '../values/decimal.ts'

/**
 * What the venue refuses, in numbers, from its reference. Sizing, protection, flattening and bots'
 * exits read them here and nowhere else; the simulator has its own, on purpose.
 */
export const venueLimits = {
  /** The largest market order in USD, by the market's maximum leverage: the first row that fits. */
  largestMarketOrder: [
    { fromLeverage: 25, usd: Decimal.whole(30_000_000) },
    { fromLeverage: 20, usd: Decimal.whole(5_000_000) },
    { fromLeverage: 10, usd: Decimal.whole(2_000_000) },
    { fromLeverage: 0, usd: Decimal.whole(500_000) },
  ],
  /** A limit order may be worth this many times as much. */
  limitOrderFactor: Decimal.whole(10),
  /** Into how many orders Guard splits a close or a stop at most. */
  piecesMax: 10,
  /** Beside so many open orders every reduce-only order and every trigger is refused. */
  openOrders: 1_000,
  /** How far from its reference price a price may be, as a share of it. */
  bandShare: Decimal.of('0.8'),
  /** The least an order may be worth in USD, unless it closes the whole position. */
  minimumUsd: Decimal.whole(10),
  /** Entries of one action. */
  batchEntries: 200,
} as const
