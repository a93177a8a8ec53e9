/** Which kind of market an asset id names; what lies between the known ranges is reserved. */
type AssetKind = 'perp' | 'spot' | 'builder_dex' | 'outcome' | 'reserved' | 'invalid'

const spotFrom = 10_000
const reservedFrom = 100_000
const builderDexFrom = 110_000
const outcomeFrom = 100_000_000
/** How many perps a builder dex can have. */
const builderIds = 10_000
const idsBelow = 0x1_0000_0000

export function assetKind(asset: number): AssetKind {
  if (!Number.isSafeInteger(asset) || asset < 0 || asset >= idsBelow) return 'invalid'
  if (asset < spotFrom) return 'perp'
  if (asset < reservedFrom) return 'spot'
  if (asset < builderDexFrom) return 'reserved'
  return asset < outcomeFrom ? 'builder_dex' : 'outcome'
}

/** Where a builder dex's perp lies: the dex's place among the venue's dexes and the perp's in it. */
export function builderDexAsset(
  asset: number,
): { readonly dex: number; readonly index: number } | null {
  if (assetKind(asset) !== 'builder_dex') return null
  const rest = asset - reservedFrom
  return { dex: Math.floor(rest / builderIds), index: rest % builderIds }
}

/** The id of a builder dex's perp, by the dex's place among the venue's dexes and its own in the dex. */
export function builderAssetOf(dex: number, index: number): number {
  return reservedFrom + dex * builderIds + index
}
