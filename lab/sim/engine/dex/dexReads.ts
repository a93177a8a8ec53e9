import { cappedMarkets } from './openInterest.ts'
import type { DexView } from './dexViews.ts'
import type { Dex, MarketState, World } from '../world.ts'

export function dexNamed(world: World, name: string): Dex | null {
  return world.dexes.find((dex) => dex?.name === name) ?? null
}

/** The universe of a dex; the main one has no name. */
export function universeOf(world: World, name: string): readonly MarketState[] {
  return name === '' ? world.markets : (dexNamed(world, name)?.markets ?? [])
}

export function dexView(world: World, dex: Dex): DexView {
  const capped = cappedMarkets(world, dex)
  return {
    ...dex,
    markets: dex.markets.flatMap((each) => {
      if (each.builder === null) return []
      const isHidden = each.builder.isHalted && world.options.haltedMeta === 'listed'
      const market = isHidden ? { ...each.market, isDelisted: false } : each.market
      return [{ ...each.builder, market, isAtCap: capped.has(each) }]
    }),
  }
}

/** Whether contexts of a market are streamed: by one reading not while its builder posts nothing. */
export function isTold(world: World, market: MarketState | undefined): boolean {
  return world.options.stoppedOracle === 'told' || market?.builder?.feed.isStopped !== true
}
