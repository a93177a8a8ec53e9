import type { VenueAction } from '../engine/venueAction.ts'
import {
  payFunding,
  removeAgent,
  schedule,
  setMode,
  takeSchedule,
  updateLeverage,
} from './account.ts'
import { cancel, modify, order } from './actions.ts'
import { moveQuotes, renewQuotes } from './book.ts'
import { Exact } from './exact.ts'
import { halt, resume } from './halt.ts'
import { endAll } from './life.ts'
import { liquidate } from './liquidation.ts'
import { endBeyondCap } from './place.ts'
import { addTo, marketOf } from './pools.ts'
import { withdraw } from './vault.ts'
import type { ModelRules } from './rules.ts'
import type { ModelAccount, ModelMarket, ModelState } from './state.ts'
import { fireReached, nextLook } from './triggers.ts'
import {
  cancelTwap,
  endTwaps,
  nextSlice,
  placeTwap,
  runSlices,
  twapWish,
  watchTwaps,
} from './twaps.ts'

const hourMs = 3_600_000
/** How often a builder posts its prices, in milliseconds. */
const feedMs = 3000

export interface ModelMarketSpec {
  /** Its number where it is on a builder's dex; else it is its place. */
  readonly asset?: number
  readonly dex?: string
  readonly feeFactor?: string
  readonly volumeFactor?: string
  readonly cap?: string
  readonly coin: string
  readonly sizeDecimals: number
  readonly maxLeverage: number
  readonly mid: string
  readonly tiers: readonly (readonly [from: string, leverage: number])[]
  readonly onlyIsolated?: boolean
  readonly isDelisted?: boolean
}

export interface ModelAccountSpec {
  readonly address: string
  readonly equity: string
  /** The money that the account has on a builder's dex, beside its equity on the main one. */
  readonly onDex: { readonly dex: string; readonly amount: string }
  /** Null for an account whose owner has never chosen a mode. */
  readonly isUnified: boolean | null
  readonly builders: ReadonlyMap<string, number>
  readonly leverage: ReadonlyMap<string, { readonly isCross: boolean; readonly value: number }>
}

/**
 * The life of an order on a frozen venue, written a second time: as plainly as the reference tells
 * it, without a thought for speed, and without anything of the engine's. A test drives both with
 * the same steps and compares all they say.
 */
export class ModelVenue {
  readonly state: ModelState

  constructor(
    rules: ModelRules,
    now: number,
    markets: readonly ModelMarketSpec[],
    accounts: readonly ModelAccountSpec[],
    isPostOnly: boolean,
  ) {
    this.state = {
      rules,
      now,
      markets: markets.map((market, index) => toMarket(rules, market, index)),
      accounts: accounts.map((account) => toAccount(rules, account)),
      orders: [],
      open: [],
      nextPlace: 1,
      nextTwap: 1,
      drawn: () => ({ traded: Exact.zero, isFailed: false }),
      nextLiquidation: null,
      nextFeed: markets.some(({ dex }) => dex !== undefined) ? now + feedMs : Infinity,
      isPostOnly,
      nextFunding: (Math.floor(now / hourMs) + 1) * hourMs,
    }
    for (const market of this.state.markets) moveQuotes(this.state, market, market.mid)
  }

  account(address: string): ModelAccount {
    const found = this.state.accounts.find((each) => each.address === address)
    if (found === undefined) throw new RangeError(`no account ${address}`)
    return found
  }

  /** The venue's answer; `idOf` gives the model's number of an order that the action names. */
  apply(address: string, action: VenueAction, idOf: (oid: number) => number): unknown {
    const reply = this.execute(this.account(address), action, idOf)
    this.settle()
    return reply
  }

  private execute(
    account: ModelAccount,
    action: VenueAction,
    idOf: (oid: number) => number,
  ): unknown {
    const { state } = this
    switch (action.type) {
      case 'order':
        return order(state, account, action)
      case 'cancel': {
        const named = action.cancels.map(({ asset, oid }) => ({ asset, id: idOf(oid) }))
        return cancel(state, account, named, action.fast === true)
      }
      case 'cancelByCloid': {
        const named = action.cancels.map(({ asset, cloid }) => ({ asset, id: cloid }))
        return cancel(state, account, named, action.fast === true)
      }
      case 'modify':
        return modify(state, account, [action.modify], false, action.alwaysPlace === true, idOf)
      case 'batchModify':
        return modify(state, account, action.modifies, true, action.alwaysPlace === true, idOf)
      case 'updateLeverage':
        return updateLeverage(state, account, action.asset, action.isCross, action.leverage)
      case 'scheduleCancel':
        return schedule(state, account, action.time)
      case 'approveAgent':
        return removeAgent(state, account)
      case 'setAbstraction':
        return setMode(state, account, action.mode)
      case 'twapOrder':
        return placeTwap(state, account, twapWish(action))
      case 'twapCancel':
        return cancelTwap(state, account, action.asset, action.twapId)
      default:
        throw new TypeError(`the model knows no ${action.type}`)
    }
  }

  /** The book moves first, then the mark, then what follows from it. */
  move(asset: number, mid: string, mark: string, oracle: string): void {
    const market = this.market(asset)
    moveQuotes(this.state, market, Exact.of(mid))
    market.mark = Exact.of(mark)
    market.oracle = Exact.of(oracle)
    fireReached(this.state)
    liquidate(this.state)
    watchTwaps(this.state)
    this.settle()
  }

  market(asset: number): ModelMarket {
    const market = marketOf(this.state, asset)
    if (market === undefined) throw new RangeError(`no market ${asset}`)
    return market
  }

  /** What the builder of a market does to it. */
  build(asset: number, change: { readonly isHalted?: boolean; readonly cap?: string }): void {
    const { state } = this
    const market = this.market(asset)
    if (change.cap !== undefined) market.cap = Exact.of(change.cap)
    if (change.isHalted === true) halt(state, market)
    if (change.isHalted === false) resume(state, market)
    fireReached(state)
    liquidate(state)
    this.settle()
  }

  /** An upgrade of the network, or the end of the time after it. */
  upgrade(isPostOnly: boolean): void {
    this.state.isPostOnly = isPostOnly
    this.settle()
  }

  deposit(address: string, amount: string): void {
    const account = this.account(address)
    addTo(account, '', Exact.of(amount))
  }

  /** Takes money out of a vault, and orders and positions apart for it; false where there is not as much. */
  withdraw(address: string, amount: string): boolean {
    const isDone = withdraw(this.state, this.account(address), Exact.of(amount))
    this.settle()
    return isDone
  }

  /** Moves the clock, and does on the way what falls due. */
  wait(until: number): void {
    const { state } = this
    for (;;) {
      const due = Math.min(
        state.nextFunding,
        nextLook(state),
        state.nextLiquidation ?? Infinity,
        state.nextFeed,
        nextSlice(state),
        ...state.accounts.map(({ scheduled }) => scheduled ?? Infinity),
      )
      if (due > until) break
      state.now = Math.max(state.now, due)
      for (const account of state.accounts) {
        if (!takeSchedule(state, account)) continue
        const own = state.open.filter(({ owner }) => owner === account)
        endAll(state, own, 'scheduledCancel')
        endTwaps(state, account, 'scheduleCancel')
      }
      runSlices(state)
      if (state.nextFeed <= state.now) {
        state.nextFeed = state.now + feedMs
        endBeyondCap(state)
        fireReached(state)
        liquidate(state)
      }
      if (state.nextFunding <= state.now) {
        payFunding(state)
        state.nextFunding += hourMs
        liquidate(state)
      }
      if (state.nextLiquidation !== null && state.nextLiquidation <= state.now) liquidate(state)
      this.settle()
    }
    state.now = until
  }

  private settle(): void {
    fireReached(this.state)
    for (const market of this.state.markets) renewQuotes(this.state, market)
  }
}

function usualLeverage(rules: ModelRules, maxLeverage: number): number {
  if (rules.neverSetLeverage === '1') return 1
  return rules.neverSetLeverage === 'the most' ? maxLeverage : Math.min(20, maxLeverage)
}

function toMarket(rules: ModelRules, spec: ModelMarketSpec, index: number): ModelMarket {
  const { coin, sizeDecimals, maxLeverage, tiers, onlyIsolated, isDelisted } = spec
  const mid = Exact.of(spec.mid)
  return {
    asset: spec.asset ?? index,
    coin,
    dex: spec.dex ?? '',
    feeFactor: Exact.of(spec.feeFactor ?? '1'),
    volumeFactor: Exact.of(spec.volumeFactor ?? '1'),
    cap: Exact.of(spec.cap ?? '0'),
    takenOver: Exact.zero,
    sizeDecimals,
    maxLeverage,
    usualLeverage: usualLeverage(rules, maxLeverage),
    tiers: tiers.map(([from, leverage]) => ({ from: Exact.of(from), leverage })),
    onlyIsolated: onlyIsolated === true,
    isDelisted: isDelisted === true,
    mid,
    mark: mid,
    oracle: mid,
    quotes: [],
  }
}

function toAccount(rules: ModelRules, spec: ModelAccountSpec): ModelAccount {
  const sharesPools = spec.isUnified ?? rules.neverSetShares
  const onDexes = Exact.of(spec.onDex.amount)
  const atHome = Exact.of(spec.equity).plus(sharesPools ? onDexes : Exact.zero)
  const apart = sharesPools ? [] : [[spec.onDex.dex, onDexes] as const]
  return {
    address: spec.address,
    isUnified: spec.isUnified === true,
    isModeSet: spec.isUnified !== null,
    sharesPools,
    balances: new Map([['', atHome], ...apart]),
    positions: [],
    leverage: new Map(spec.leverage),
    builders: new Map(spec.builders),
    fills: [],
    twaps: [],
    twapRows: [],
    sliceFills: [],
    volume: Exact.zero,
    scheduled: null,
    scheduleDay: 0,
    scheduleCount: 0,
    agentsUntil: 0,
    wholeUntil: 0,
  }
}
