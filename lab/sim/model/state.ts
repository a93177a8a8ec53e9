import type { Exact } from './exact.ts'
import type { ModelRules } from './rules.ts'

/** Everything the model knows: plain records in plain lists. */

export interface ModelMarket {
  readonly asset: number
  readonly coin: string
  /** The builder's dex that it is on; the main one has no name. */
  readonly dex: string
  /** What a fill costs there, times what it costs on the main dex. */
  readonly feeFactor: Exact
  /** How much of what is traded counts as volume. */
  readonly volumeFactor: Exact
  readonly sizeDecimals: number
  readonly maxLeverage: number
  /** The leverage of an account that has never chosen one for this market. */
  readonly usualLeverage: number
  /** Lowest first; the first from zero. */
  readonly tiers: readonly { readonly from: Exact; readonly leverage: number }[]
  readonly onlyIsolated: boolean
  /** For good, or while its builder has halted it. */
  isDelisted: boolean
  /** From this value on its open interest may not grow. */
  cap: Exact
  /** What the liquidator has taken over; signed. */
  takenOver: Exact
  mid: Exact
  mark: Exact
  oracle: Exact
  quotes: ModelQuote[]
}

/** A price at which the makers of a frozen market stand. */
export interface ModelQuote {
  readonly isBuy: boolean
  readonly price: Exact
  /** What they offer whenever they renew it. */
  readonly full: Exact
  left: Exact
  /** Its place in the queue at this price; null while somebody stands in the way. */
  place: number | null
}

interface ModelTrigger {
  readonly price: Exact
  readonly isMarket: boolean
  readonly tpsl: 'tp' | 'sl'
}

export interface ModelOrder {
  /** Counts the orders of all accounts from 1 on. */
  readonly id: number
  readonly owner: ModelAccount
  readonly market: ModelMarket
  readonly isBuy: boolean
  readonly price: Exact
  readonly wanted: Exact
  left: Exact
  filled: Exact
  readonly isReduceOnly: boolean
  readonly tif: string | null
  readonly trigger: ModelTrigger | null
  readonly isPositionTpsl: boolean
  readonly cloid: string | null
  /** Tenths of a basis point; null without a builder. */
  readonly builderFee: number | null
  readonly time: number
  where: 'arriving' | 'waiting for parent' | 'watching' | 'book' | 'gone'
  /** When it came to the book, or began to watch: the earlier goes first. */
  place: number
  /** The statuses it went through. */
  readonly story: string[]
  /** The number of its normalTpsl group: the parent and its children. */
  group: number | null
  isParent: boolean
  /** The TWAP whose slice this order is; null for any other order. */
  readonly twap: ModelTwap | null
  /** Set where the venue itself closes a position by it. */
  readonly liquidation: ModelLiquidation | null
}

/** Told with each fill of a liquidation, also of those who took the other side. */
export interface ModelLiquidation {
  readonly user: string
  readonly mark: Exact
  readonly method: 'market' | 'backstop'
}

export interface ModelPosition {
  readonly market: ModelMarket
  /** Signed. */
  size: Exact
  entry: Exact
  isIsolated: boolean
  /** Money inside an isolated position, without its open profit. */
  put: Exact
  /** Each part of the size over the leverage it was opened with. */
  opened: Exact
  funding: Exact
}

export type ModelTwapEnd = 'terminated' | 'finished' | 'stopped' | 'error'

/** An order that the venue cuts into slices and trades over time. */
export interface ModelTwap {
  /** Counts those of all accounts from 1 on. */
  readonly id: number
  readonly owner: ModelAccount
  readonly market: ModelMarket
  readonly isBuy: boolean
  readonly size: Exact
  readonly isReduceOnly: boolean
  readonly minutes: number
  /** The size of each slice is left to chance, within bounds. */
  readonly isRandom: boolean
  readonly time: number
  readonly stopPrice: Exact | null
  /** The price at which it starts or has started; null when it started at once. */
  readonly trigger: { readonly price: Exact; readonly isAbove: boolean } | null
  executed: Exact
  value: Exact
  /** The half minutes between two slices, and how many there are. */
  readonly slices: { readonly halves: number; readonly count: number }
  /** When it began, and the slices since; null while it waits. */
  plan: { readonly startedAt: number; made: number } | null
}

/** What the engine's chance made of a slice. */
export interface ModelDraw {
  readonly traded: Exact
  /** It traded nothing, and an error ended the TWAP. */
  readonly isFailed: boolean
}

interface ModelTwapRow {
  /** The time of it, in seconds since 1970. */
  readonly time: number
  /** A copy of the TWAP at that moment: later changes do not show in it. */
  readonly twap: ModelTwap
  readonly status: 'activated' | 'waitingForTrigger' | ModelTwapEnd
}

export interface ModelFill {
  readonly coin: string
  readonly price: Exact
  readonly size: Exact
  readonly isBuy: boolean
  readonly time: number
  readonly start: Exact
  readonly dir: string
  readonly closedPnl: Exact
  readonly id: number
  readonly crossed: boolean
  readonly fee: Exact
  readonly cloid: string | null
  readonly builderFee: Exact | null
  readonly liquidation: ModelLiquidation | null
}

export interface ModelAccount {
  readonly address: string
  isUnified: boolean
  /** Whether its owner has ever chosen a mode, unified or not. */
  isModeSet: boolean
  /** Whether one balance carries all dexes, or each its own. */
  sharesPools: boolean
  /** Money outside isolated positions, without open profit, by the pool it is in. */
  readonly balances: Map<string, Exact>
  positions: ModelPosition[]
  readonly leverage: Map<string, { readonly isCross: boolean; readonly value: number }>
  readonly builders: Map<string, number>
  fills: ModelFill[]
  twaps: ModelTwap[]
  readonly twapRows: ModelTwapRow[]
  /** Fills of slices, each with the number of its TWAP: the list of other fills lacks them. */
  readonly sliceFills: { readonly fill: ModelFill; readonly twap: number }[]
  volume: Exact
  scheduled: number | null
  scheduleDay: number
  scheduleCount: number
  /** Until when the removal of an agent is not done. */
  agentsUntil: number
  /** Until when positions are liquidated whole. */
  wholeUntil: number
}

export interface ModelState {
  readonly rules: ModelRules
  now: number
  readonly markets: readonly ModelMarket[]
  readonly accounts: readonly ModelAccount[]
  /** Every order that was ever made, oldest first; the gone ones too. */
  orders: ModelOrder[]
  /** Those of `orders` that are not gone. */
  open: ModelOrder[]
  nextPlace: number
  nextTwap: number
  /** What chance made of a slice just now. */
  drawn: (twap: ModelTwap) => ModelDraw
  nextFunding: number
  /** When builders next post their prices; never where there are none. */
  nextFeed: number
  /** When those who are short of maintenance margin are looked at again. */
  nextLiquidation: number | null
  /** Just after an upgrade: only post-only orders are taken. */
  isPostOnly: boolean
}
