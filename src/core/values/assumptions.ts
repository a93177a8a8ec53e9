import { Decimal } from './decimal.ts'

/** What sizes are computed with, each a share of the value; told to bots in the status. */
export const assumptions = {
  /** The venue's taker fee, on the way in and again on the way out: 4.5 basis points. */
  fee: Decimal.of('0.00045'),
  /** How much worse than its limit or trigger an order is filled, each way: one basis point. */
  slippage: Decimal.of('0.0001'),
  /** How far beyond its trigger a market stop may fill when it comes to the liquidation: a tenth. */
  stopSlippage: Decimal.of('0.1'),
} as const
