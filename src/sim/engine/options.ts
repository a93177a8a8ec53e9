import { Decimal } from '../../core/values/decimal.ts'

/**
 * The points where nobody could verify what the venue does. Each is a choice with a default, so
 * that a client can be tested against every reading.
 */
export interface VenueOptions {
  readonly duplicateCloid: 'refuse-open' | 'allow'
  readonly preValidationCarrier: 'single-status' | 'top-level'
  readonly referenceBandPercent: number
  readonly referencePrice: 'mark' | 'oracle'
  readonly longIntegerPrices: 'allow' | 'refuse'
  readonly orderMargin: 'sum-of-sides' | 'larger-side'
  readonly reduceOnlyExcess: 'cancel-oldest' | 'independent'
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
}

export const defaultOptions: VenueOptions = {
  duplicateCloid: 'refuse-open',
  preValidationCarrier: 'single-status',
  referenceBandPercent: 80,
  referencePrice: 'mark',
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
}

/** What each option decides, in a sentence for people; the documentation is made of these. */
export const optionTexts: { readonly [Name in keyof VenueOptions]: string } = {
  duplicateCloid:
    'Whether an order is refused whose cloid an open order of the account already has.',
  preValidationCarrier:
    'How an error of the payload alone is answered for a batch: one status for all of it, or a refusal of the whole action.',
  referenceBandPercent: 'How far a limit price may be from the reference price, in percent of it.',
  referencePrice: 'Which price that band is measured from.',
  longIntegerPrices: 'Whether whole prices may have more than five significant figures.',
  orderMargin:
    'Whether resting buys and sells of a market reserve margin together, or only the larger side does.',
  reduceOnlyExcess:
    'What happens when resting reduce-only orders together exceed the position: the oldest is canceled, or each is only bounded by the position on its own.',
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
    'Open orders an account may have before volume adds to it; reduce-only and trigger orders are refused from 1000 on.',
}
