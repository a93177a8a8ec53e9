import type { JsonObject } from '../../src/core/protocol/action.ts'
import { roundSizeDown } from '../../src/core/protocol/grid.ts'
import type { Market } from '../../src/core/protocol/market.ts'
import { Decimal } from '../../src/core/values/decimal.ts'
import { pickAt } from './chance.ts'
import type { FaultKind } from './faultKinds.ts'
import type { Dice } from './step.ts'
import { user } from './keys.ts'
import type { World } from './world.ts'

const spotPrice = '30'
const dexPrice = '100'
/** A spot trade is worth at most this share of the money there is. */
const spotShare = 0.2
/** In minutes; the venue sends a slice every 30 s. */
const twapMinutes = 5

/** What the owner does on other markets or leaves to the venue; true when it was one of these. */
export function strikeElsewhere(world: World, fault: FaultKind, dice: Dice): boolean {
  const [place, first, second] = dice
  switch (fault) {
    case 'outside_spot_trade':
      return tradeSpot(world, first, second)
    case 'outside_spot_order': {
      const sz = (1 + first * 9).toFixed(2)
      return tell(world, { order: { coin: '@1', side: 'B', px: '25', sz } })
    }
    case 'outside_dex_trade': {
      // What it realises is part of a unified account's money: a loss of its own, if a small one.
      const closedPnl = ((first - 0.5) * 100).toFixed(2)
      const sz = (0.1 + second).toFixed(2)
      const side = place < 0.5 ? 'A' : 'B'
      const fill = { coin: 'xyz:TSLA', side, px: dexPrice, sz, closedPnl }
      return tell(world, { fill })
    }
    case 'outside_twap':
      return startTwap(world, pickAt(world.sim.venue.markets(), place), first < 0.5, second)
    default:
      return false
  }
}

/** Buys a token, or sells a part of what is held of it. */
function tradeSpot(world: World, first: number, second: number): boolean {
  const { tokens, usdcTotal } = world.sim.venue.spotState(user)
  const held = tokens.get('HYPE') ?? Decimal.zero
  const isSale = held.isPositive() && first < 0.5
  const money = usdcTotal.times(Decimal.of((spotShare * second).toFixed(4)))
  const size = isSale
    ? held.times(Decimal.of((0.1 + 0.9 * second).toFixed(4)))
    : money.over(Decimal.of(spotPrice), 2, 'down')
  const sz = size.rounded(2, 'down')
  if (!sz.isPositive()) return true
  const side = isSale ? 'A' : 'B'
  const fill = { coin: '@1', side, px: spotPrice, sz: sz.toString() }
  return tell(world, { fill })
}

function tell(world: World, body: JsonObject): boolean {
  world.venueSide.byHand(() => {
    world.control('elsewhere', { user, ...body })
  })
  return true
}

/** The owner ends what the venue still trades by itself: a world with slices to come has no rest. */
export function endTwaps(world: World): void {
  const { venue } = world.sim
  for (const { coin, twapId: t } of venue.twaps(user)) {
    const a = venue.market(coin)?.asset ?? 0
    world.venueSide.byHand(() => {
      world.control('act', { user, action: { type: 'twapCancel', a, t } })
    })
  }
}

function startTwap(world: World, market: Market, isBuy: boolean, part: number): boolean {
  const mid = world.sim.venue.mids().get(market.coin) ?? Decimal.one
  const value = Decimal.of((200 + part * 2_000).toFixed(2))
  const size = roundSizeDown(market, value.over(mid, 8, 'down'))
  const twap = {
    ...{ a: market.asset, b: isBuy, s: size.toString(), r: false },
    ...{ m: twapMinutes, t: false },
  }
  world.venueSide.byHand(() => {
    world.control('act', { user, action: { type: 'twapOrder', twap } })
  })
  return true
}
