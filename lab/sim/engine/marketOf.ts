import { placeOf } from './dex/assetIds.ts'
import type { MarketState, World } from './world.ts'

/** The perp of an asset id on any dex; undefined where there is none. */
export function marketOf(world: World, asset: number): MarketState | undefined {
  const place = placeOf(asset)
  if (place === null) return world.markets[asset]
  return world.dexes[place.dexIndex - 1]?.markets[place.marketIndex]
}
