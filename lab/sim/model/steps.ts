import { address } from '../../../src/core/values/address.ts'
import type { Address } from '../../../src/core/values/address.ts'
import { cloid } from '../../../src/core/values/cloid.ts'
import type { Cloid } from '../../../src/core/values/cloid.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'
import type { Builder, Grouping, Modify, Order, Tif } from '../../../src/core/protocol/action.ts'
import type { VenueAction } from '../engine/venueAction.ts'
import type { Dice } from './dice.ts'
import { Exact } from './exact.ts'
import { isOnGrid, nextPrice } from './grid.ts'
import { crossMaintenance, crossOf, crossValue, heldSize, liquidationPrice } from './margin.ts'
import { inPool, marketOf } from './pools.ts'
import type { ModelAccount, ModelMarket, ModelState } from './state.ts'

/** One thing that happens to a venue. */
export type Step =
  | { readonly kind: 'action'; readonly who: Address; readonly action: VenueAction }
  | {
      readonly kind: 'price'
      readonly asset: number
      readonly mid: string
      readonly mark: string
      readonly oracle: string
    }
  | { readonly kind: 'wait'; readonly ms: number }
  | {
      readonly kind: 'builder'
      readonly asset: number
      readonly change: { readonly isHalted?: boolean; readonly cap?: string }
    }
  | { readonly kind: 'upgrade'; readonly isPostOnly: boolean }
  | { readonly kind: 'deposit'; readonly who: Address; readonly amount: string }
  /** By somebody who has put money into a vault. */
  | { readonly kind: 'withdraw'; readonly who: Address; readonly amount: string }

/** What the random steps of one run are made of. */
export interface StepSource {
  readonly dice: Dice
  readonly state: ModelState
  readonly users: readonly Address[]
  readonly builder: Address
  /** The middle of each market's prices at the start. */
  readonly centres: readonly Exact[]
  /** Oracles of their own, or a builder's market: the run is shorter than an hour, for the premium. */
  readonly hasOracles: boolean
  readonly hasDex: boolean
  /** Prices that go far, so that accounts are liquidated. */
  readonly isWild: boolean
  /** Steps that come next, in this order, before any other is drawn. */
  readonly planned: Step[]
  /** The engine's number of an order. */
  readonly oidOf: (id: number) => number
}

export function nextStep(source: StepSource): Step {
  const { dice, state } = source
  const next = source.planned.shift()
  if (next !== undefined) return next
  if (state.isPostOnly && dice.oneIn(12)) return { kind: 'upgrade', isPostOnly: false }
  const roll = dice.below(100)
  if (roll < 19) return priceStep(source)
  if (roll < 20) return { kind: 'upgrade', isPostOnly: true }
  if (roll < 25) return { kind: 'wait', ms: waitMs(source) }
  const who = dice.pick(source.users)
  if (source.hasDex && dice.oneIn(40)) return builderStep(source)
  if (roll < 26) return { kind: 'deposit', who, amount: String(dice.between(1, 400)) }
  if (roll < 27) return toTheEdge(source, who)
  return { kind: 'action', who, action: actionOf(source, who) }
}

/** The builder halts its market, resumes it, or sets how large its open interest may be. */
function builderStep({ dice, state }: StepSource): Step {
  const market = state.markets.find(({ dex }) => dex !== '') as ModelMarket
  const { asset, isDelisted } = market
  if (isDelisted) return { kind: 'builder', asset, change: { isHalted: false } }
  if (dice.oneIn(4)) return { kind: 'builder', asset, change: { isHalted: true } }
  return { kind: 'builder', asset, change: { cap: dice.pick(['2000', '20000', '200000000']) } }
}

function waitMs({ dice, hasOracles, hasDex }: StepSource): number {
  if (hasOracles || hasDex) return dice.between(0, 2000)
  return dice.oneIn(8) ? dice.between(0, 4_000_000) : dice.between(0, 8000)
}

function actionOf(source: StepSource, who: Address): VenueAction {
  const { dice, state, isWild } = source
  const roll = dice.below(100)
  if (roll < 62) return orderAction(source, who)
  if (roll < 72) return cancelAction(source, who)
  if (roll < 80) return modifyAction(source, who)
  if (roll < 90) {
    const asset = dice.oneIn(20) ? 9 : dice.pick(state.markets).asset
    return {
      type: 'updateLeverage',
      asset,
      isCross: !dice.oneIn(3),
      leverage: dice.oneIn(12) ? dice.pick([0, 26, 60]) : dice.between(1, isWild ? 25 : 5),
    }
  }
  if (roll < 92) {
    return { type: 'setAbstraction', mode: dice.pick(['disabled', 'unifiedAccount'] as const) }
  }
  if (roll < 93) return { type: 'approveAgent', agentAddress: nobody, agentName: null }
  if (dice.oneIn(4)) return { type: 'scheduleCancel', time: null }
  return { type: 'scheduleCancel', time: state.now + dice.between(3000, 20_000) }
}

/** The address that stands for none: an agent is removed. */
const nobody = address(`0x${'0'.repeat(40)}`)

/**
 * Brings an account to exactly its maintenance margin: it gets what a mark beyond its liquidation
 * price will leave it short of, and then the mark goes there.
 */
function toTheEdge({ dice, state, planned }: StepSource, who: Address): Step {
  const account = state.accounts.find((each) => each.address === who) as ModelAccount
  const held = crossOf(account, inPool(account, '')).filter(
    (each) => liquidationPrice(account, each) !== null,
  )
  if (held.length === 0) return { kind: 'wait', ms: 0 }
  const { market, size } = dice.pick(held)
  const [before, away] = [market.mark, Exact.of(size.sign() > 0 ? '0.97' : '1.03')]
  market.mark = before.times(away).cut(5)
  const short = crossMaintenance(account, inPool(account, '')).minus(crossValue(account, ''))
  const mark = market.mark.toString()
  market.mark = before
  if (short.sign() <= 0 || !short.fits(12)) return { kind: 'wait', ms: 0 }
  planned.push({
    ...{ kind: 'price', asset: market.asset, mid: market.mid.toString(), mark },
    oracle: market.oracle.toString(),
  })
  return { kind: 'deposit', who, amount: short.toString() }
}

/** Mids stay within four percent of where they began or, in a wild run, within twelve. */
function priceStep({ dice, state, centres, hasOracles, isWild }: StepSource): Step {
  const far = isWild ? 120 : 40
  const index = dice.below(state.markets.length)
  const { asset, sizeDecimals } = state.markets[index] as ModelMarket
  const centre = centres[index] as Exact
  const around = (permille: number): Exact => {
    const exact = centre.times(Exact.of(1000 + dice.between(-permille, permille)))
    const found = nextPrice(exact.over(Exact.of(1000)), sizeDecimals, 1)
    return found ?? centre
  }
  const aimed = dice.oneIn(3) ? aim(dice, state, asset) : null
  const low = aimed ?? around(far)
  const isBetween = dice.oneIn(2)
  const high = nextPrice(low, sizeDecimals, 1) ?? low
  const mid = isBetween ? low.plus(high).over(Exact.of(2)) : low
  const mark = dice.oneIn(3) ? around(far) : mid
  const oracle = hasOracles ? around(far) : mid
  return {
    kind: 'price',
    asset,
    mid: mid.toString(),
    mark: mark.toString(),
    oracle: oracle.toString(),
  }
}

/** The price of an order that waits in this market, so that marks and mids meet prices exactly. */
function aim(dice: Dice, state: ModelState, asset: number): Exact | null {
  const waiting = state.open.filter(({ market }) => market.asset === asset)
  if (waiting.length === 0) return null
  const { trigger, price, market } = dice.pick(waiting)
  const aimed = trigger?.price ?? price
  const off = aimed.over(market.mid).minus(Exact.one).abs()
  return off.isBelow(Exact.of('0.03')) ? aimed : null
}

const tifs: readonly Tif[] = ['Gtc', 'Gtc', 'Gtc', 'Ioc', 'Alo', 'FrontendMarket']

const decimal = (value: Exact): Decimal => Decimal.of(value.toString())

function anyCloid(dice: Dice): Cloid | null {
  if (!dice.oneIn(3)) return null
  return cloid(`0x${dice.between(1, 40).toString(16).padStart(32, '0')}`)
}

/** Mostly a few steps of the grid around the mid; now and then far off, or off the grid. */
function anyPrice({ dice }: StepSource, market: ModelMarket): Exact {
  if (dice.oneIn(40)) return market.mid.times(Exact.of(dice.pick(['0.15', '1.9', '0.3'])))
  if (dice.oneIn(40)) return market.mid.plus(Exact.of('0.0000123'))
  if (dice.oneIn(60)) return dice.pick([Exact.zero, Exact.of('123456'), Exact.of('-1')])
  // Between the makers' best prices the accounts meet each other.
  if (dice.oneIn(3) && isOnGrid(market.mid, market.sizeDecimals, true)) return market.mid
  const share = dice.oneIn(2) ? dice.between(-4, 4) : dice.between(-60, 60)
  const wished = market.mid.times(Exact.of(1000 + share)).over(Exact.of(1000))
  let price = nextPrice(wished, market.sizeDecimals, dice.oneIn(2) ? 1 : -1) ?? wished
  for (let more = dice.below(3); more > 0; more--) {
    price = nextPrice(price, market.sizeDecimals, -1) ?? price
  }
  return price
}

function anySize({ dice }: StepSource, account: ModelAccount, market: ModelMarket): Exact {
  const held = heldSize(account, market).abs()
  if (held.sign() > 0 && dice.oneIn(4)) return held
  if (held.sign() > 0 && dice.oneIn(6)) return held.plus(held)
  if (dice.oneIn(60)) return dice.pick([Exact.zero, Exact.of('0.0000001'), Exact.of('-1')])
  const dollars = dice.oneIn(12)
    ? dice.between(1, 14)
    : dice.between(10, dice.pick([200, 3000, 30_000]))
  return Exact.of(dice.oneIn(200) ? 40_000_000 : dollars)
    .over(market.mid)
    .cut(market.sizeDecimals)
}

/** Mostly the side that closes the account's position. */
function closingSide(dice: Dice, account: ModelAccount, market: ModelMarket): boolean {
  return dice.oneIn(10) ? dice.oneIn(2) : heldSize(account, market).sign() < 0
}

/** One that the account has a position in, more often than not. */
function anyMarket({ dice, state }: StepSource, account: ModelAccount): ModelMarket {
  const held = account.positions.map(({ market }) => market)
  if (held.length > 0 && dice.oneIn(2)) return dice.pick(held)
  const found = dice.pick(state.markets)
  return found.isDelisted && !dice.oneIn(8) ? (state.markets[0] as ModelMarket) : found
}

function limitOrder(source: StepSource, account: ModelAccount, market: ModelMarket): Order {
  const { dice } = source
  const isReduceOnly = dice.oneIn(4)
  return {
    asset: market.asset,
    isBuy: isReduceOnly ? closingSide(dice, account, market) : dice.oneIn(2),
    price: decimal(anyPrice(source, market)),
    size: decimal(anySize(source, account, market)),
    isReduceOnly,
    type: { kind: 'limit', tif: dice.pick(tifs) },
    cloid: anyCloid(dice),
  }
}

/** Mostly on the side of the mark where it does not fire yet. */
function triggerPriceOf(source: StepSource, market: ModelMarket, isAbove: boolean): Exact {
  const { dice } = source
  if (dice.oneIn(5)) return anyPrice(source, market)
  const permille = 1000 + (isAbove ? 1 : -1) * dice.between(1, 40)
  const wished = market.mark.times(Exact.of(permille)).over(Exact.of(1000))
  return nextPrice(wished, market.sizeDecimals, 1) ?? wished
}

function triggerOrder(
  source: StepSource,
  account: ModelAccount,
  market: ModelMarket,
  isBuy: boolean,
  isReduceOnly: boolean,
): Order {
  const { dice } = source
  const tpsl = dice.pick(['tp', 'sl'] as const)
  const triggerPrice = triggerPriceOf(source, market, isBuy === (tpsl === 'sl'))
  const slack = Exact.of(isBuy ? '1.08' : '0.92')
  const wished = dice.oneIn(3) ? anyPrice(source, market) : triggerPrice.times(slack)
  const price = nextPrice(
    Exact.most(wished, Exact.one.over(Exact.of(1000))),
    market.sizeDecimals,
    1,
  )
  return {
    asset: market.asset,
    isBuy,
    price: decimal(price ?? market.mid),
    size: decimal(anySize(source, account, market)),
    isReduceOnly,
    type: {
      kind: 'trigger',
      isMarket: !dice.oneIn(3),
      triggerPrice: decimal(triggerPrice),
      tpsl,
    },
    cloid: anyCloid(dice),
  }
}

export function orderAction(source: StepSource, who: Address): VenueAction {
  const { dice, state } = source
  const account = state.accounts.find(({ address }) => address === who) as ModelAccount
  const market = anyMarket(source, account)
  const roll = dice.below(100)
  const action = (orders: readonly Order[], grouping: Grouping): VenueAction => ({
    type: 'order',
    orders,
    grouping,
    builder: anyBuilder(source),
  })
  if (roll < 50) {
    const count = dice.oneIn(5) ? dice.between(2, 3) : 1
    return action(
      Array.from({ length: count }, () => limitOrder(source, account, market)),
      'na',
    )
  }
  if (roll < 66) {
    const isEntry = dice.oneIn(2)
    const side = isEntry ? dice.oneIn(2) : closingSide(dice, account, market)
    return action([triggerOrder(source, account, market, side, !isEntry)], 'na')
  }
  if (roll < 88) return action(group(source, account, market), 'normalTpsl')
  const isBuy = heldSize(account, market).sign() < 0 !== dice.oneIn(12)
  const children = Array.from({ length: dice.between(1, 2) }, () => {
    const made = triggerOrder(source, account, market, isBuy, !dice.oneIn(15))
    const asset = dice.oneIn(20) ? anyMarket(source, account).asset : made.asset
    return { ...made, asset, size: dice.oneIn(2) ? Decimal.zero : made.size }
  })
  return action(dice.oneIn(30) ? [] : children, 'positionTpsl')
}

/** A parent and one or two children of its size, with a mistake now and then. */
function group(source: StepSource, account: ModelAccount, market: ModelMarket): Order[] {
  const { dice } = source
  const parent = { ...limitOrder(source, account, market), isReduceOnly: dice.oneIn(12) }
  const count = dice.oneIn(15) ? dice.pick([0, 3]) : dice.between(1, 2)
  const children = Array.from({ length: count }, () => {
    const isBuy = parent.isBuy === dice.oneIn(12)
    const made = triggerOrder(source, account, market, isBuy, !dice.oneIn(15))
    const asset = dice.oneIn(20) ? anyMarket(source, account).asset : made.asset
    return { ...made, asset, size: dice.oneIn(8) ? made.size : parent.size }
  })
  const first = dice.oneIn(30) ? triggerOrder(source, account, market, true, false) : parent
  return [first, ...children]
}

function anyBuilder({ dice, builder }: StepSource): Builder | null {
  return dice.oneIn(6) ? { address: builder, fee: dice.between(1, 11) } : null
}

/** The number of an open order of the account, or of one that never was. */
function anyOpen(source: StepSource, who: Address): { asset: number; oid: number } {
  const { dice, state, oidOf } = source
  const own = state.open.filter(({ owner }) => owner.address === who)
  if (own.length === 0 || dice.oneIn(8)) return { asset: 0, oid: 999_999_999_999 }
  const found = dice.pick(own)
  const asset = dice.oneIn(15) ? 0 : found.market.asset
  return { asset, oid: oidOf(found.id) }
}

export function cancelAction(source: StepSource, who: Address): VenueAction {
  const { dice, state } = source
  const fast = dice.oneIn(3)
  if (!dice.oneIn(4)) {
    const count = dice.between(1, 3)
    return {
      type: 'cancel',
      fast,
      cancels: Array.from({ length: count }, () => anyOpen(source, who)),
    }
  }
  const named = state.open.filter(
    ({ owner, cloid: name }) => owner.address === who && name !== null,
  )
  const found = named.length === 0 ? null : dice.pick(named)
  const name = cloid(found?.cloid ?? `0x${'f'.repeat(32)}`)
  const cancels = [{ asset: found?.market.asset ?? 0, cloid: name }]
  return { type: 'cancelByCloid', fast, cancels }
}

function modifyAction(source: StepSource, who: Address): VenueAction {
  const { dice, state } = source
  const account = state.accounts.find(({ address }) => address === who) as ModelAccount
  const alwaysPlace = dice.oneIn(3)
  const one = (): Modify => {
    const { asset, oid } = anyOpen(source, who)
    const market = marketOf(state, asset) as ModelMarket
    const order = dice.oneIn(5)
      ? triggerOrder(source, account, market, dice.oneIn(2), dice.oneIn(2))
      : limitOrder(source, account, market)
    return { ref: { oid }, order }
  }
  if (dice.oneIn(2)) return { type: 'modify', modify: one(), alwaysPlace }
  const modifies = Array.from({ length: dice.between(1, 2) }, one)
  return { type: 'batchModify', modifies, alwaysPlace }
}
