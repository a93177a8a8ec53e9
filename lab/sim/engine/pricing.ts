import type { Decimal } from '../../../src/core/values/decimal.ts'
import { err, ok } from '../../../src/core/values/result.ts'
import type { Result } from '../../../src/core/values/result.ts'
import { samplePremium } from './funding.ts'
import { frozenTouch, requote } from './makers.ts'
import { checkLiquidations } from './liquidation.ts'
import { runTriggers } from './triggers.ts'
import { runTwaps } from './twaps.ts'
import type { MarketState, World } from './world.ts'

export interface Prices {
  readonly mid: Decimal
  readonly mark?: Decimal
  readonly oracle?: Decimal
}

/** Moves a market: the book first, then the mark, then what follows from it. */
export function setPrice(world: World, market: MarketState, prices: Prices): Result<void> {
  const touch = frozenTouch(market, prices.mid)
  if (touch === null) return err(midError(market, prices.mid))
  for (const [name, price] of [
    ['mark', prices.mark],
    ['oracle', prices.oracle],
  ] as const) {
    if (price !== undefined && !price.isPositive()) {
      return err(`${name} of ${market.coin}: must be above zero, got ${price.toString()}`)
    }
  }
  samplePremium(world, market)
  market.mid = prices.mid
  market.path.moveTo((touch.bid + touch.ask) / 2n)
  requote(world, market, touch)
  setMark(world, market, prices.mark ?? prices.mid, prices.oracle ?? prices.mid)
  runTriggers(world)
  checkLiquidations(world)
  runTriggers(world)
  runTwaps(world)
  return ok(undefined)
}

export function midError(market: { readonly coin: string }, mid: Decimal): string {
  return `mid of ${market.coin}: must be a grid price or the middle of two neighbouring ones, got ${mid.toString()}`
}

export function setMark(world: World, market: MarketState, mark: Decimal, oracle: Decimal): void {
  market.mark = mark
  market.oracle = oracle
  market.needsTriggers = true
  market.candles.add(world.nowMs, market.mid, null)
  world.events.push({ kind: 'price', coin: market.coin })
}
