import type { Coin } from '../../../../src/core/values/coin.ts'
import { Decimal } from '../../../../src/core/values/decimal.ts'
import { err, ok } from '../../../../src/core/values/result.ts'
import type { Result } from '../../../../src/core/values/result.ts'
import { touchAround } from '../grid.ts'
import { checkLiquidations } from '../liquidation.ts'
import { requote, withdrawQuotes } from '../makers.ts'
import { addSpot } from '../tokens.ts'
import { runTriggers } from '../triggers.ts'
import type { Account, BuilderMarket, Dex, MarketState, World } from '../world.ts'
import { assetOf } from './assetIds.ts'
import type { DexChange } from './dexTerms.ts'
import { dexNamed } from './dexReads.ts'
import { resumeTrading, stopTrading } from './halt.ts'
import { renewMark } from './markEngine.ts'

/** What a builder does to markets of its dex: to one of them, or to all. */
export function changeDex(
  world: World,
  name: string,
  coin: Coin | null,
  change: DexChange,
): Result<void> {
  const dex = dexNamed(world, name)
  if (dex === null) return err(`dex: there is no dex ${name}`)
  const markets = dex.markets.filter((market) => coin === null || market.coin === coin)
  if (markets.length === 0) return err(`coin: there is no market ${String(coin)} on ${name}`)
  const why = problemOf(change, coin)
  if (why !== null) return err(why)
  for (const market of markets) {
    if (market.builder !== null) changeMarket(world, market, market.builder, change)
  }
  runTriggers(world)
  checkLiquidations(world)
  runTriggers(world)
  return ok(undefined)
}

function problemOf({ posted, cap }: DexChange, coin: Coin | null): string | null {
  if (posted !== undefined) {
    if (coin === null) return 'coin: a price is posted for one market'
    const prices = [posted.oracle, ...posted.marks]
    if (prices.some((price) => !price.isPositive())) return 'oracle, marks: must be above zero'
    if (posted.marks.length > 2) return 'marks: there may be two'
  }
  if (cap?.isPositive() === false) return 'cap: must be above zero'
  return null
}

function changeMarket(
  world: World,
  market: MarketState,
  builder: BuilderMarket,
  change: DexChange,
): void {
  const { feed } = builder
  if (change.cap !== undefined) builder.cap = change.cap
  if (change.marginMode !== undefined) {
    builder.marginMode = change.marginMode
    market.market = { ...market.market, onlyIsolated: change.marginMode !== 'normal' }
  }
  if (change.isThin !== undefined) showDepth(world, market, builder, change.isThin)
  if (change.isStopped !== undefined) feed.isStopped = change.isStopped
  if (change.session !== undefined) feed.session = change.session
  if (change.posted !== undefined) {
    feed.posted = change.posted
    renewMark(world, market)
  }
  if (change.isDelisted === true) stopTrading(world, market, true)
  else if (change.isHalted === true) stopTrading(world, market, false)
  else if (change.isHalted === false) resumeTrading(world, market)
}

/** Makers quote anew around the same price. */
function showDepth(
  world: World,
  market: MarketState,
  builder: BuilderMarket,
  isThin: boolean,
): void {
  builder.isThin = isThin
  if (market.market.isDelisted) return
  const touch = market.touch ?? touchAround(market.mid, market.sizeDecimals)
  withdrawQuotes(market)
  if (touch !== null) requote(world, market, touch)
}

/** A dex vanishes: its positions end at their marks, and what lies there goes back to its owners. */
export function removeDex(world: World, name: string): Result<void> {
  const dex = dexNamed(world, name)
  if (dex === null) return err(`dex: there is no dex ${name}`)
  for (const market of dex.markets) {
    stopTrading(world, market, true)
    world.byCoin.delete(market.coin)
  }
  for (const account of [world.maker, world.crowd, world.liquidator, ...world.accounts.values()]) {
    giveBack(world, account, dex)
  }
  world.everyMarket = world.everyMarket.filter(({ builder }) => builder?.dex !== dex)
  const index = world.dexes.indexOf(dex)
  if (world.options.dexRemoval === 'hole') world.dexes[index] = null
  else {
    world.dexes.splice(index, 1)
    renumber(world)
  }
  return ok(undefined)
}

function giveBack(world: World, account: Account, dex: Dex): void {
  // Another dex of this name would be another one.
  for (const { coin } of dex.markets) account.leverage.delete(coin)
  const left = account.dexCash.get(dex.name) ?? Decimal.zero
  account.dexCash.delete(dex.name)
  if (left.isZero()) return
  if (dex.collateral === 'USDC') account.cash = account.cash.plus(left)
  else addSpot(account, dex.collateral, left)
  if (!account.isHouse) world.events.push({ kind: 'account', user: account.address })
}

/** Every market gets the id that its dex's place gives it. */
function renumber(world: World): void {
  for (const [at, dex] of world.dexes.entries()) {
    for (const [index, market] of dex?.markets.entries() ?? []) {
      market.asset = assetOf(at + 1, index)
      market.market = { ...market.market, asset: market.asset }
    }
  }
}
