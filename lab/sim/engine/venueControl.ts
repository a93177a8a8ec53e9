import type { Address } from '../../../src/core/values/address.ts'
import type { Coin } from '../../../src/core/values/coin.ts'
import type { Decimal } from '../../../src/core/values/decimal.ts'
import type { Result } from '../../../src/core/values/result.ts'
import type { Json } from '../../../src/core/protocol/action.ts'
import type { Market } from '../../../src/core/protocol/market.ts'
import type { DexChange } from './dex/dexTerms.ts'
import type { OrderElsewhere, TradeElsewhere } from './elsewhere.ts'
import type { SettableMode, VenueAction } from './venueAction.ts'
import type { DexMarketSpec, DexSpec, VenueConfig } from './venueConfig.ts'
import type { VenueListener } from './venueEvent.ts'

export interface Refusal {
  readonly text: string
  readonly only: 'all' | 'triggers'
  readonly asset?: number
}

/** Per-request circumstances that are not part of the action. */
export interface ApplyContext {
  /**
   * A text with which orders are refused: all of them, or only the trigger children of a group,
   * or only those of one market. The rest of the action is executed.
   */
  readonly refuse?: Refusal
}

/**
 * Everything that changes the venue. Time only moves by `advanceTo`, which callers do before they
 * apply something. The class `Venue` in venue.ts implements this and `VenueReads`.
 */
export interface VenueControl {
  /** A fresh venue; on an error (a mid off the grid, an unknown coin) nothing has changed. */
  reset(config: VenueConfig): Result<void>
  /** Executes the action for this account and returns the body the venue would answer with. */
  apply(user: Address, action: VenueAction, context?: ApplyContext): Json
  /**
   * Runs makers, prices, triggers, funding, schedules and liquidations up to this time. With
   * `stepsMax` it stops after so many steps, and is false until it has got there: call it again.
   */
  advanceTo(nowMs: number, stepsMax?: number): boolean
  setPrice(
    coin: Coin,
    prices: { readonly mid: Decimal; readonly mark?: Decimal; readonly oracle?: Decimal },
  ): Result<void>
  /** Lists one more market while the venue runs, on the dex that its name begins with. */
  list(spec: DexMarketSpec): Result<Market>
  /** One more builder dex, or one less; returns its index. */
  addDex(spec: DexSpec): Result<number>
  removeDex(name: string): Result<void>
  /** What a builder does to one market of its dex, or to all. */
  changeDex(name: string, coin: Coin | null, change: DexChange): Result<void>
  /** A deposit, or a withdrawal when negative; its ledger entry comes `delayMs` later. */
  flow(user: Address, amount: Decimal, delayMs?: number): Result<void>
  /** Changes how an account keeps its money, whatever it has open; `default` was never set. */
  setMode(user: Address, mode: SettableMode | 'default'): Result<void>
  /** After options have changed: money lies as they say, and what they held back fires. */
  followOptions(): void
  /** A fill on a spot pair or a builder dex's market; returns its order's number. */
  tradeElsewhere(user: Address, trade: TradeElsewhere): Result<number>
  /** An order that rests there. */
  orderElsewhere(user: Address, order: OrderElsewhere): Result<number>
  /** Returns how to stop listening. */
  onEvent(listener: VenueListener): () => void
}
