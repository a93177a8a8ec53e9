import type { Exact } from './exact.ts'

/** Which reading of the reference the model follows where there are several. */
export interface ModelRules {
  readonly openCloidTwice: 'refuse' | 'allow'
  readonly wholeBatchError: 'err' | 'single status'
  readonly bandPercent: number
  readonly bandFrom: 'mark' | 'oracle'
  readonly triggerBandFrom: 'mark' | 'trigger'
  readonly offGridRefuses: 'order' | 'batch'
  readonly triggerLimitBeyond: boolean
  readonly childrenMustClose: boolean
  readonly sameKindTwice: boolean
  /** Triggers of a position may be placed before there is one. */
  readonly positionMayCome: boolean
  readonly longIntegers: boolean
  readonly restingMargin: 'both sides' | 'larger side'
  readonly reduceOnlyExcess: 'oldest' | 'oldest and triggers' | 'none'
  readonly triggerAtTouch: boolean
  readonly reachedTrigger: 'accept' | 'refuse'
  readonly triggerReserves: boolean
  readonly takerMarginAt: 'mark' | 'limit'
  readonly excessReserves: boolean
  readonly switchWithOrders: boolean
  readonly lowerBelowOrders: 'accept' | 'refuse'
  readonly withdrawableExtra: 'none' | 'term' | 'zero'
  readonly unmatchedMarketTrigger: 'reject' | 'rest'
  readonly modifyOnlyPassive: boolean
  readonly modifySizeIncludesFilled: boolean
  readonly childrenAfterMarginCancel: 'own size' | 'filled size'
  readonly partlyFilledGtc: 'resting' | 'filled'
  readonly fundingCut: 'down' | 'nearest'
  readonly unifiedTotal: 'equity' | 'cash'
  readonly scheduleVolume: Exact
  readonly openOrderCap: number
  readonly reduceOnlyOrderLimit: number
  readonly crowdedTriggers: 'stay' | 'cancel'
  readonly fastCancelOfTrigger: 'own error' | 'whole action'
  /** Triggers look at the mark when the clock is a multiple of this; 0: whenever anything happens. */
  readonly triggersEveryMs: number
  readonly newNumberWhenFired: boolean
  readonly firedWithoutMargin: 'reject' | 'part'
  /** What becomes of a market trigger that fires while only post-only orders are taken. */
  readonly firedPostOnly: 'reject' | 'wait'
  readonly agentRemovalEndsOrders: boolean
  readonly neverSetLeverage: '20 at most' | 'the most' | '1'
  /** A higher leverage of a cross position frees margin at once, or holds for what opens later. */
  readonly raiseFreesMargin: boolean
  /** Money inside an isolated position is told of the coin too. */
  readonly tellsRawUsd: boolean
  readonly liquidationEnds: 'all orders' | 'orders of its coins'
  readonly liquidatedFirst: 'largest' | 'first market'
  readonly liquidatedAtMaintenance: boolean
  readonly liquidationIsFree: boolean
  readonly takenOverAt: 'mark' | 'bankruptcy'
  /** Positions worth more are liquidated by a fifth. */
  readonly partialAbove: Exact
  readonly backToStandard: boolean
  readonly modeMayChangeInUse: boolean
  /** Of an account that has never set its mode. */
  readonly neverSetShares: boolean
  readonly dexBand: 'as on the main dex' | 'mark' | 'none'
  readonly capWords: 'documents' | 'node'
  readonly haltEndsAs: 'delistedCanceled' | 'internalCancel'
  readonly neverSetModeIs: 'default' | null
  /** Which orders a withdrawal from a vault may end. */
  readonly withdrawalEnds: 'those with margin' | 'all'
  /** The least value of a slice; smaller ones come less often. */
  readonly twapSliceLeast: Exact
  /** A reduce-only TWAP with nothing left to reduce. */
  readonly flatTwap: 'idle' | 'end'
  readonly waitingTwapListed: boolean
  readonly twapSlipsFrom: 'mid' | 'mark'
  readonly twapMinuteMs: number
  /** The events that a running TWAP survives; any other of these ends it. */
  readonly twapSurvives: readonly ('scheduleCancel' | 'agentRemoval' | 'liquidation')[]
  /** For which of these reasons a slice that cannot be filled ends its TWAP with an error. */
  readonly twapErrors: readonly ('margin' | 'delisting' | 'reduceOnly' | 'liquidity')[]
  readonly webDataTwaps: 'main dex' | 'every dex'
}
