import type { Order, OrderType } from '../../protocol/action.ts'
import type { Decimal } from '../../values/decimal.ts'

/** An order with its place in the bot's list. */
export interface Placed {
  readonly at: number
  readonly order: Order
}

/** A trigger with its place in the bot's list. */
export interface PlacedTrigger extends Placed {
  readonly order: Order & { readonly type: Extract<OrderType, { kind: 'trigger' }> }
}

/** An entry and the reduce-only triggers that belong to it, in the bot's order. */
export interface EntryGroup {
  readonly entry: Placed
  readonly stop: PlacedTrigger | null
  readonly children: readonly Placed[]
  /** Tenths of a basis point a builder takes of each side. */
  readonly builderFee: number
  /** The trigger of the stop of the entry that this one replaces; null: the rules place one. */
  readonly carriedStop: Decimal | null
}

/** What was found out about an entry before it passed or was refused; a preview shows it. */
export interface EntryTrace {
  worstPrice: Decimal | null
  stop: Decimal | null
  leverage: number | null
}
