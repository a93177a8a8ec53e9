import { expect, test } from 'vitest'
import { assetKind, builderDexAsset } from './assetId.ts'

test.each([
  [0, 'perp'],
  [9_999, 'perp'],
  [10_000, 'spot'],
  [10_107, 'spot'],
  [99_999, 'spot'],
  [100_000, 'reserved'],
  [109_999, 'reserved'],
  [110_000, 'builder_dex'],
  [99_999_999, 'builder_dex'],
  [100_000_000, 'outcome'],
  [0xffff_ffff, 'outcome'],
  [0x1_0000_0000, 'invalid'],
  [-1, 'invalid'],
  [0.5, 'invalid'],
  [NaN, 'invalid'],
])('%d is %s', (asset, kind) => {
  expect(assetKind(asset)).toBe(kind)
})

test("a builder dex's perp names the dex and its place in it", () => {
  expect(builderDexAsset(110_000)).toEqual({ dex: 1, index: 0 })
  expect(builderDexAsset(123_456)).toEqual({ dex: 2, index: 3_456 })
  expect(builderDexAsset(109_999)).toBeNull()
  expect(builderDexAsset(0)).toBeNull()
})
