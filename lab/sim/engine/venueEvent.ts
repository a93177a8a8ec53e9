import type { Address } from '../../../src/core/values/address.ts'
import type { Coin } from '../../../src/core/values/coin.ts'
import type { Decimal } from '../../../src/core/values/decimal.ts'
import type {
  FillView,
  FundingPaymentView,
  LedgerRow,
  LevelView,
  OrderView,
  SliceFillView,
  TradeView,
  TwapRow,
} from './views.ts'

/** What happened, in order. The streams are made of these. */
export type VenueEvent =
  /** A fresh venue: all that was said before is void, every stream gets a new snapshot. */
  | { readonly kind: 'reset' }
  | {
      readonly kind: 'order'
      readonly user: Address
      readonly order: OrderView
      readonly status: string
      readonly at: number
    }
  | { readonly kind: 'fill'; readonly user: Address; readonly fill: FillView }
  | { readonly kind: 'sliceFill'; readonly user: Address; readonly slice: SliceFillView }
  | { readonly kind: 'twap'; readonly user: Address; readonly row: TwapRow }
  | { readonly kind: 'trade'; readonly trade: TradeView }
  | { readonly kind: 'book'; readonly coin: Coin }
  | {
      readonly kind: 'bbo'
      readonly coin: Coin
      readonly bid: LevelView | null
      readonly ask: LevelView | null
    }
  /** Mid, mark or oracle moved. */
  | { readonly kind: 'price'; readonly coin: Coin }
  /** Balance, positions or margin of an account changed otherwise than by the mark alone. */
  | { readonly kind: 'account'; readonly user: Address }
  | { readonly kind: 'openOrders'; readonly user: Address }
  | { readonly kind: 'leverage'; readonly user: Address; readonly coin: Coin }
  | { readonly kind: 'funding'; readonly user: Address; readonly payment: FundingPaymentView }
  | { readonly kind: 'ledger'; readonly user: Address; readonly row: LedgerRow }
  | {
      readonly kind: 'liquidation'
      readonly user: Address
      readonly lid: number
      readonly liquidator: Address
      readonly liquidatedNotional: Decimal
      readonly accountValue: Decimal
    }
  | {
      readonly kind: 'nonUserCancel'
      readonly user: Address
      readonly coin: Coin
      readonly oid: number
    }
  | { readonly kind: 'notification'; readonly user: Address; readonly text: string }

/** Gets everything one request, price or tick caused, in one batch. */
export type VenueListener = (events: readonly VenueEvent[]) => void
