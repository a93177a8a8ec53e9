import type { ActiveAssetData } from '../../../core/protocol/decodeInfoAccount.ts'
import type { Json } from '../../../core/protocol/action.ts'
import type { OrderRow } from '../../../core/protocol/decodeInfoOrders.ts'
import type { Markets } from '../../../core/protocol/market.ts'
import type {
  AccountMode,
  ClearinghouseState,
  OpenOrder,
} from '../../../core/protocol/venueState.ts'
import type { Address } from '../../../core/values/address.ts'
import type { Coin } from '../../../core/values/coin.ts'
import type { Decimal } from '../../../core/values/decimal.ts'
import type { Millis } from '../../../core/values/millis.ts'

/** Everything the venue told in one examination; null where it did not answer. */
export interface Told {
  readonly account: Address
  /** The venue's time, and this machine's when it came. */
  readonly clock: { readonly venue: Millis; readonly own: Millis } | null
  readonly markets: Markets | null
  readonly tables: MarginTables | null
  readonly mode: AccountMode | null
  /** `userAbstraction` of an address that nobody has, as it came. */
  readonly nobodysMode: { readonly answer: Json } | null
  /** Leverage of markets for an address that nobody has. */
  readonly nobodysLeverages: readonly ActiveAssetData[]
  /** The account before and after its balances and orders were read. */
  readonly states: readonly [PerpSight, PerpSight] | null
  readonly spot: SpotSight | null
  /** Open orders; null too where they changed while the account was read. */
  readonly orders: readonly OpenOrder[] | null
  readonly assets: ReadonlyMap<Coin, ActiveAssetData>
  readonly history: readonly OrderRow[] | null
  readonly fills: readonly FillRow[] | null
  readonly slices: readonly FillRow[] | null
  readonly liquidation: LiquidationRow | null
  readonly oldest: { readonly oid: number; readonly isKnown: boolean } | null
  readonly allowance: { readonly cap: Decimal; readonly volume: Decimal } | null
  readonly takerRate: Decimal | null
}

/** Each perp with the table it names, and the tables that are listed. */
export interface MarginTables {
  readonly markets: readonly {
    readonly coin: Coin
    readonly maxLeverage: number
    readonly table: number
  }[]
  readonly listed: ReadonlyMap<
    number,
    readonly { readonly from: Decimal; readonly maxLeverage: number }[]
  >
}

export interface PerpSight extends ClearinghouseState {
  readonly crossMaintenance: Decimal
}

export interface SpotSight {
  readonly total: Decimal
  readonly hold: Decimal
  /** Left after maintenance; null for an account whose balances are no one pool. */
  readonly available: Decimal | null
}

export interface FillRow {
  readonly coin: Coin
  readonly isBuy: boolean
  readonly price: Decimal
  readonly fee: Decimal
  readonly oid: number
  readonly tid: number
  readonly at: Millis
  /** The account's own liquidation that it is part of; null where it is none. */
  readonly liquidation: { readonly mark: Decimal; readonly method: string } | null
}

export interface LiquidationRow {
  readonly at: Millis
  readonly isCross: boolean
  readonly coins: ReadonlySet<Coin>
}
