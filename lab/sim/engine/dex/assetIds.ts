const firstAsset = 100_000
const assetsOfDex = 10_000

/** The id of a market: dexes count from 1, for the main one is 0. */
export function assetOf(dexIndex: number, marketIndex: number): number {
  return firstAsset + dexIndex * assetsOfDex + marketIndex
}

/** Where an id points; null for one of the main dex or of a spot pair. */
export function placeOf(asset: number): { dexIndex: number; marketIndex: number } | null {
  if (!Number.isSafeInteger(asset) || asset < firstAsset + assetsOfDex) return null
  const behind = asset - firstAsset
  return { dexIndex: Math.floor(behind / assetsOfDex), marketIndex: behind % assetsOfDex }
}

export function isBuilderAsset(asset: number): boolean {
  return placeOf(asset) !== null
}
