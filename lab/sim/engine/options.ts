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

/** What each option decides, in a sentence for people; the documentation is made of these. */
export const optionTexts: { readonly [Name in keyof VenueOptions]: string } = {
  duplicateCloid:
    'Whether an order is refused whose cloid an open order of the account already has.',
  preValidationCarrier:
    'How an error of the payload alone is answered for a batch: one status for all of it, or a refusal of the whole action.',
  referenceBandPercent: 'How far a limit price may be from the reference price, in percent of it.',
  referencePrice: 'Which price that band is measured from.',
  triggerBandReference:
    "Whether the limit price of a trigger order is measured from that price, or from the trigger's own.",
  tickCarrier:
    'Whether a price or size off the grid refuses its own order, or is an error of the payload that refuses the whole batch.',
  triggerLimitRule:
    'Whether a market trigger is refused whose limit price the trigger price has not reached yet (a sell above it, a buy below it).',
  longIntegerPrices: 'Whether whole prices may have more than five significant figures.',
  orderMargin:
    'Whether resting buys and sells of a market reserve margin together, or only the larger side does.',
  reduceOnlyExcess:
    'What happens when resting reduce-only orders together exceed the position: the oldest is canceled (by one reading reduce-only triggers count and go too), or each is only bounded by the position on its own.',
  triggerComparison: 'Whether a trigger fires when the mark is exactly at its price.',
  triggeredMarketWithoutMatch:
    'What becomes of a triggered market order whose limit price no longer crosses: rejected and gone, or resting at its limit.',
  modifyRule:
    'Whether a modify without the always-place flag must be a non-crossing, non-trigger order (treated as post-only), or may be any order.',
  modifySize:
    'Whether the size in a modify of a partly filled order is what shall remain, or the total with what was filled.',
  marginCanceledChildSize:
    'The size of the children of a parent that was canceled for margin after a partial fill.',
  partialGtcReply: 'How a Gtc order is answered that partly filled and then rests.',
  fundingRounding: 'How a funding payment is cut to six decimals.',
  backstopPrice:
    'At which price the liquidator takes over positions: the mark, or the price that leaves the account with nothing.',
  unifiedTotal:
    "Whether a unified account's USDC total moves with unrealised profit at every mark, or only when profit is realised.",
  scheduleCancelVolume: 'The lifetime volume an account needs before scheduleCancel is allowed.',
  partialLiquidationAbove: 'Positions worth more than this are liquidated a fifth at a time.',
  openOrderCap:
    'Orders an account may have resting before volume adds to it, one for each 5,000,000 USDC and 5,000 at most.',
  reduceOnlyOrderLimit:
    'Beside so many open orders a reduce-only or trigger order is refused, whatever the cap is.',
  crowdedTriggers:
    'Whether reduce-only triggers that were placed before stay once the account has that many orders, or are canceled.',
}
