import type { Address } from '../values/address.ts'
import type { Cloid } from '../values/cloid.ts'
import type { Decimal } from '../values/decimal.ts'

/** The actions Guard forwards, as domain values. What the venue calls them is kept. */

export type Tif = 'Gtc' | 'Ioc' | 'Alo' | 'FrontendMarket'
export type Tpsl = 'tp' | 'sl'
export type Grouping = 'na' | 'normalTpsl' | 'positionTpsl'

export type OrderType =
  | { readonly kind: 'limit'; readonly tif: Tif }
  | {
      readonly kind: 'trigger'
      readonly isMarket: boolean
      readonly triggerPrice: Decimal
      readonly tpsl: Tpsl
    }

export interface Order {
  readonly asset: number
  readonly isBuy: boolean
  readonly price: Decimal
  readonly size: Decimal
  readonly isReduceOnly: boolean
  readonly type: OrderType
  readonly cloid: Cloid | null
}

export interface Builder {
  readonly address: Address
  /** Tenths of a basis point of the order's value. */
  readonly fee: number
}

export type OrderRef = { readonly oid: number } | { readonly cloid: Cloid }

export interface Modify {
  readonly ref: OrderRef
  readonly order: Order
}

export interface OrderAction {
  readonly type: 'order'
  readonly orders: readonly Order[]
  readonly grouping: Grouping
  readonly builder: Builder | null
  /** Grouping `{"p": N}`: what the bot would pay for priority, in 1e-8 of the value; never forwarded. */
  readonly priorityFee?: number
}
export interface CancelAction {
  readonly type: 'cancel'
  readonly cancels: readonly { readonly asset: number; readonly oid: number }[]
  /** The flag `f: true` was sent; Guard forwards the plain cancel. */
  readonly isFast?: true
}
export interface CancelByCloidAction {
  readonly type: 'cancelByCloid'
  readonly cancels: readonly { readonly asset: number; readonly cloid: Cloid }[]
  /** The flag `f: true` was sent; Guard forwards the plain cancel. */
  readonly isFast?: true
}
export interface ModifyAction {
  readonly type: 'modify'
  readonly modify: Modify
  /** The flag `a: true`: the new order is placed whatever it is, and whether or not the old one was open. */
  readonly alwaysPlace?: true
}
export interface BatchModifyAction {
  readonly type: 'batchModify'
  readonly modifies: readonly Modify[]
  /** The flag `a: true`: the new order is placed whatever it is, and whether or not the old one was open. */
  readonly alwaysPlace?: true
}
export interface UpdateLeverageAction {
  readonly type: 'updateLeverage'
  readonly asset: number
  readonly isCross: boolean
  readonly leverage: number
}
export interface UpdateIsolatedMarginAction {
  readonly type: 'updateIsolatedMargin'
  readonly asset: number
  readonly isBuy: boolean
  /** Millionths of a USDC; negative takes margin away. */
  readonly ntli: number
}
export interface ScheduleCancelAction {
  readonly type: 'scheduleCancel'
  /** Null clears the schedule. */
  readonly time: number | null
}

/** What a TWAP waits for, and where it ends; keys that a bot left out are left out again. */
export interface TwapDetails {
  /** It starts once the mark is above (or below) this price; null: at once. */
  readonly trigger: { readonly price: Decimal; readonly isAbove: boolean } | null
  /** It ends once the mark reaches this price; null: nowhere. */
  readonly endPrice: Decimal | null
}

/** An order that the venue works off by itself, slice by slice. */
export interface TwapOrderAction {
  readonly type: 'twapOrder'
  readonly asset: number
  readonly isBuy: boolean
  readonly size: Decimal
  readonly isReduceOnly: boolean
  readonly minutes: number
  readonly isRandomized: boolean
  readonly details: TwapDetails | null
}

export interface TwapCancelAction {
  readonly type: 'twapCancel'
  readonly asset: number
  readonly twapId: number
}

export type Action =
  | OrderAction
  | CancelAction
  | CancelByCloidAction
  | ModifyAction
  | BatchModifyAction
  | UpdateLeverageAction
  | UpdateIsolatedMarginAction
  | ScheduleCancelAction
  | TwapOrderAction
  | TwapCancelAction

/** An action as JSON, keys in the venue's schema order; what is hashed, sent and journaled. */
export type WireAction = { readonly type: string } & { readonly [key: string]: Json }

export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export type JsonObject = { readonly [key: string]: Json }
