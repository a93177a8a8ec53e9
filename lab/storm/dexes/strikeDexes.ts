import type { Json } from '../../../src/core/protocol/action.ts'
import { roundSizeDown } from '../../../src/core/protocol/grid.ts'
import type { Market } from '../../../src/core/protocol/market.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'
import { pickAt } from '../chance.ts'
import type { FaultKind } from '../faultKinds.ts'
import { user } from '../keys.ts'
import type { Dice } from '../step.ts'
import { builderMarkets, dexOf, midOf } from '../wholeAccount.ts'
import { limitOrder, orders, times } from '../wireOrders.ts'
import type { World } from '../world.ts'
import { laterDex } from './dexPlan.ts'

/** Far more than anybody holds, and less than one position is worth. */
const [highCap, lowCap] = ['25000000', '1']
const dexChannels = ['allDexsClearinghouseState', 'assetCtxs', 'openOrders', null] as const
const dexLists = ['perpDexs', 'allPerpMetas', 'perpsAtOpenInterestCap'] as const

/** What builders do, and people on their dexes; true when it was one of these. */
export function strikeDexes(world: World, fault: FaultKind, dice: Dice): boolean {
  const [place, first, second, third] = dice
  const markets = builderMarkets(world.sim.venue)
  if (!fault.startsWith('dex_')) return false
  if (strikeList(world, fault, dice) || markets.length === 0) return true
  const market = pickAt(markets, place)
  const { coin, maxLeverage } = market
  const forMs = Math.floor(500 + second * 8_000)
  const change = (body: Json): void => {
    builder(world, { dex: dexOf(coin), coin, ...(body as object) })
  }
  const forAWhile = (body: Json, after: Json): void => {
    change(body)
    world.time.after(forMs, () => {
      change(after)
    })
  }
  const toBound = (first < 0.5 ? -1 : 1) / maxLeverage
  switch (fault) {
    case 'dex_walk':
      return moveTo(world, market, 1 + (first < 0.5 ? -0.011 : 0.011))
    case 'dex_price_jump':
      world.venueSide.dexes.jumped(coin)
      return moveTo(world, market, 1 + toBound * (0.5 + second / 2))
    case 'dex_oracle_jump': {
      world.venueSide.dexes.jumped(coin)
      change({ oracle: times(market, midIn(world, market), 1 + toBound).toString() })
      return true
    }
    case 'dex_oracle_stops':
      forAWhile({ oracle_stops: true }, { oracle_stops: false })
      return true
    case 'dex_thin_book':
      world.venueSide.dexes.thinned(coin)
      forAWhile({ thin: true }, { thin: false })
      return true
    case 'dex_cap':
      forAWhile({ cap: lowCap }, { cap: highCap })
      return true
    case 'dex_halt':
      if (first < 0.6) forAWhile({ halt: true }, { halt: false })
      else change({ halt: true })
      return true
    case 'dex_delists':
      if (first < 0.3) change({ delist: true })
      return true
    case 'dex_margin_mode':
      change({ marginMode: first < 0.5 ? 'noCross' : 'strictIsolated' })
      return true
    case 'dex_by_hand':
      return tradeByHand(world, market, first < 0.5, second, third < 0.4)
    default:
      return orderByHand(world, market, first < 0.5)
  }
}

/** Dexes that come and go, and what tells of them. */
function strikeList(world: World, fault: FaultKind, [place, first, second]: Dice): boolean {
  const { venue } = world.sim
  switch (fault) {
    case 'dex_vanishes': {
      const names = venue.dexNames().filter((name) => name !== '')
      if (names.length > 0) builder(world, { dex: pickAt(names, place), remove: true })
      return true
    }
    case 'dex_appears':
      if (!venue.hasDex(laterDex.name)) builder(world, { add: laterDex })
      return true
    case 'dex_streams_stale': {
      const type = pickAt(dexChannels, place)
      const kind = first < 0.5 ? 'stale' : 'silence'
      const match = type === null ? {} : { type }
      const ms = Math.floor(500 + second * 9_000)
      return world.control('fault', { where: 'ws', kind, match, count: 0, ms }) || true
    }
    case 'dex_list_fails': {
      const match = { type: pickAt(dexLists, place) }
      const count = 1 + Math.floor(first * 4)
      const lie = pickAt([null, null, '[null]', '[null, null]'], second)
      const how =
        match.type !== 'perpDexs' || lie === null
          ? { kind: 'http_500' }
          : { kind: 'reply', text: lie }
      return world.control('fault', { where: 'info', ...how, match, count }) || true
    }
    default:
      return false
  }
}

/** A builder's hand; positions may end by it, also without a fill. */
function builder(world: World, body: Json): void {
  const { dexes } = world.venueSide
  world.guarded(() => {
    dexes.settling(world.life?.guard ?? null, () => {
      world.trace.say(() => `builder ${JSON.stringify(body)}`)
      world.control('dex', body)
    })
  })
}

function midIn(world: World, { coin }: Market): Decimal {
  return midOf(world.sim.venue, coin) ?? Decimal.one
}

function moveTo(world: World, market: Market, factor: number): boolean {
  if (market.isDelisted) return true
  const mid = times(market, midIn(world, market), factor).toString()
  world.trace.say(() => `${market.coin} moves to ${mid}`)
  return world.control('price', { coin: market.coin, mid }) || true
}

/** A position past Guard, wherever it is; on cross margin where the dex admits it. */
function tradeByHand(
  world: World,
  market: Market,
  isBuy: boolean,
  part: number,
  isCross: boolean,
): boolean {
  const mid = midIn(world, market)
  const value = Decimal.of((50 + 800 * part).toFixed(2))
  const size = roundSizeDown(market, value.over(mid, 8, 'down'))
  const limit = times(market, mid, isBuy ? 1.05 : 0.95)
  byHand(world, { type: 'updateLeverage', asset: market.asset, isCross, leverage: 3 })
  return byHand(world, orders(limitOrder(market, isBuy, limit, size, 'Ioc')))
}

function orderByHand(world: World, market: Market, isBuy: boolean): boolean {
  const price = times(market, midIn(world, market), isBuy ? 0.9 : 1.1)
  const size = roundSizeDown(market, Decimal.whole(60).over(price, 8, 'up'))
  return byHand(world, orders(limitOrder(market, isBuy, price, size, 'Gtc')))
}

function byHand(world: World, action: Json): boolean {
  world.isTraded = true
  world.venueSide.byHand(() => {
    world.control('act', { user, action })
  })
  return true
}

/** Builders set their dexes right: books are full, prices stand where they are, nothing is at its cap. */
export function healDexes(world: World): void {
  for (const market of builderMarkets(world.sim.venue)) {
    const { coin } = market
    builder(world, { dex: dexOf(coin), coin, thin: false, oracle_stops: false, cap: highCap })
    if (world.plan.isFrozen) moveTo(world, market, 1)
  }
}
