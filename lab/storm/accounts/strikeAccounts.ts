import type { Json } from '../../../src/core/protocol/action.ts'
import { roundPrice, roundSizeDown } from '../../../src/core/protocol/grid.ts'
import type { Market } from '../../../src/core/protocol/market.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'
import { tokenDecimals } from '../../sim/engine/spotPairs.ts'
import { pickAt } from '../chance.ts'
import type { FaultKind } from '../faultKinds.ts'
import { user } from '../keys.ts'
import type { Dice } from '../step.ts'
import { everyMarket, everyPosition, midOf } from '../wholeAccount.ts'
import { orders, share, times } from '../wireOrders.ts'
import type { World } from '../world.ts'
import { bringBack, leaveVault, takeAway } from './accountMoney.ts'

/** The venue cannot be made to forget that a mode was set; the last one is what Guard cannot size for. */
const modes = ['unifiedAccount', 'disabled', 'portfolioMargin'] as const
/** Spot pairs are numbered from here on. */
const firstSpotAsset = 10_000

/** What happens to the account, or at a bad moment for what waits in it; true when it was one of these. */
export function strikeAccounts(world: World, fault: FaultKind, dice: Dice): boolean {
  const [place, first, second] = dice
  const forMs = Math.floor(300 + second * 6_000)
  switch (fault) {
    case 'margin_gone':
      return marginGone(world, first, forMs)
    case 'vault_withdrawal':
      if (!world.plan.isVault) return marginGone(world, first, forMs)
      leaveVault(world, dice)
      return true
    case 'mode_changed':
      return changeMode(world, dice, forMs)
    case 'venue_upgrade':
      return upgrade(world, forMs)
    case 'breakout':
      return breakOut(world, pickAt(everyMarket(world.sim.venue), place), first, second)
    case 'prices_turn':
      return turnPrices(world, 0.004 + first * 0.07)
    case 'guard_away':
      return goAway(world, forMs)
    case 'spot_by_hand':
      return tradeSpot(world, dice)
    default:
      return false
  }
}

/** The owner takes what is free, and brings it back after a while or never. */
function marginGone(world: World, first: number, forMs: number): boolean {
  const taken = takeAway(world, first)
  if (taken === null || first < 0.3) return true
  world.time.after(forMs, () => {
    bringBack(world, taken)
  })
  return true
}

/** By the owner's own word, where the venue takes it, or because the venue wants it so. */
function changeMode(world: World, [, first, second, third]: Dice, forMs: number): boolean {
  const { plan } = world
  // A vault has one mode only.
  if (plan.isVault) return true
  const to = pickAt(modes, first)
  world.trace.say(`mode ${to}`)
  if (second < 0.5) setMode(world, to)
  else {
    const action = { type: 'userSetAbstraction', user, abstraction: to }
    world.venueSide.byHand(() => {
      world.control('act', { user, action })
    })
  }
  if (third < 0.6) {
    world.time.after(forMs, () => {
      setMode(world, plan.isUnified ? 'unifiedAccount' : 'disabled')
    })
  }
  return true
}

function setMode(world: World, mode: (typeof modes)[number]): void {
  world.venueSide.byHand(() => {
    world.control('mode', { user, mode })
  })
}

/** For a while only post-only orders are taken, and no slice of a TWAP trades. */
function upgrade(world: World, forMs: number): boolean {
  world.limitedUntil = Math.max(world.limitedUntil, world.time.elapsed + forMs)
  world.control('options', { postOnlyPeriod: true })
  world.time.after(forMs, () => {
    endUpgrade(world)
  })
  return true
}

function endUpgrade(world: World): void {
  world.control('options', { postOnlyPeriod: false })
}

/** A price breaks out to one side, and then to the other. */
function breakOut(world: World, market: Market, first: number, second: number): boolean {
  const far = 0.004 + 0.03 * second
  const up = first < 0.5 ? 1 + far : 1 - far
  move(world, market, up)
  world.time.after(Math.floor(1_600 * Math.abs(first - 0.5)), () => {
    move(world, market, (2 - up) / up)
  })
  return true
}

/** The prices of all that is held turn against it. */
function turnPrices(world: World, far: number): boolean {
  for (const { coin, size } of everyPosition(world.sim.venue, user)) {
    const market = world.sim.venue.market(coin)
    if (market !== null) move(world, market, size.isPositive() ? 1 - far : 1 + far)
  }
  return true
}

function move(world: World, market: Market, factor: number): void {
  const mid = midOf(world.sim.venue, market.coin)
  if (mid === undefined || market.isDelisted) return
  const moved = times(market, mid, factor).toString()
  world.trace.say(() => `${market.coin} moves to ${moved}`)
  world.control('price', { coin: market.coin, mid: moved })
}

/** The machine is gone for a while. */
function goAway(world: World, forMs: number): boolean {
  if (world.life === null) return true
  world.isHeld = true
  world.die('killed')
  world.time.after(forMs, () => {
    world.release()
  })
  return true
}

/** A person buys or sells a token at the venue. */
function tradeSpot(world: World, [place, first, second]: Dice): boolean {
  const { pair, price } = pickAt(world.sim.venue.spotPairs(), place)
  const grid = { sizeDecimals: tokenDecimals[pair.base], kind: 'spot' as const }
  const isBuy = first < 0.5
  const usd = Decimal.of((20 + second * 1_500).toFixed(2))
  const size = roundSizeDown(grid, usd.over(price, 8, 'down'))
  const limit = roundPrice(grid, price.times(share(isBuy ? 1.02 : 0.98)), 'floor')
  const order = {
    ...{ a: firstSpotAsset + pair.index, b: isBuy, p: limit.toString(), s: size.toString() },
    ...{ r: false, t: { limit: { tif: 'Ioc' } } },
  }
  const action: Json = orders(order)
  world.venueSide.byHand(() => {
    world.control('act', { user, action })
  })
  return true
}

/** What was changed about the account is as Guard can size for it, and the venue takes every order. */
export function healAccounts(world: World): void {
  if (!world.plan.isOfAccounts) return
  endUpgrade(world)
  const { isUnified } = world.plan
  if (world.sim.venue.mode(user) === 'portfolioMargin') {
    setMode(world, isUnified ? 'unifiedAccount' : 'disabled')
  }
}
