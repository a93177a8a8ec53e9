import { Decimal } from '../../../src/core/values/decimal.ts'

/**
 * The points where nobody could verify what the venue does. Each is a choice with a default, so
 * that a client can be tested against every reading.
 */
export interface VenueOptions {
  readonly duplicateCloid: 'refuse-open' | 'allow'
  readonly preValidationCarrier: 'single-status' | 'top-level'
  readonly referenceBandPercent: number
  readonly referencePrice: 'mark' | 'oracle'
  readonly triggerBandReference: 'reference-price' | 'trigger-price'
  readonly tickCarrier: 'order' | 'batch'
  readonly triggerLimitRule: 'off' | 'strict'
  readonly longIntegerPrices: 'allow' | 'refuse'
  readonly orderMargin: 'sum-of-sides' | 'larger-side'
  readonly reduceOnlyExcess: 'cancel-oldest' | 'cancel-oldest-and-triggers' | 'independent'
  readonly triggerComparison: 'inclusive' | 'strict'
  readonly triggeredMarketWithoutMatch: 'reject' | 'rest'
  readonly modifyRule: 'post-only' | 'any'
  readonly modifySize: 'remaining' | 'total'
  readonly marginCanceledChildSize: 'parent' | 'filled'
  readonly partialGtcReply: 'resting' | 'filled'
  readonly fundingRounding: 'down' | 'half-even'
  readonly backstopPrice: 'mark' | 'bankruptcy'
  readonly unifiedTotal: 'at-mark' | 'settled'
  readonly scheduleCancelVolume: Decimal
  readonly partialLiquidationAbove: Decimal
  readonly openOrderCap: number
  readonly reduceOnlyOrderLimit: number
  readonly crowdedTriggers: 'stay' | 'cancel'
}

export const defaultOptions: VenueOptions = {
  duplicateCloid: 'refuse-open',
  preValidationCarrier: 'top-level',
  referenceBandPercent: 80,
  referencePrice: 'mark',
  triggerBandReference: 'reference-price',
  tickCarrier: 'order',
  triggerLimitRule: 'off',
  longIntegerPrices: 'allow',
  orderMargin: 'sum-of-sides',
  reduceOnlyExcess: 'cancel-oldest',
  triggerComparison: 'inclusive',
  triggeredMarketWithoutMatch: 'reject',
  modifyRule: 'post-only',
  modifySize: 'remaining',
  marginCanceledChildSize: 'parent',
  partialGtcReply: 'resting',
  fundingRounding: 'down',
  backstopPrice: 'mark',
  unifiedTotal: 'at-mark',
  scheduleCancelVolume: Decimal.of('1000000'),
  partialLiquidationAbove: Decimal.of('100000'),
  openOrderCap: 1000,
  reduceOnlyOrderLimit: 1000,
  crowdedTriggers: 'stay',
}
