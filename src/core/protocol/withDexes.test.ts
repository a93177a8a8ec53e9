import { expect, test } from 'vitest'
import { markets } from '../account/account.fixture.ts'
import { withDexes } from './withDexes.ts'

const meta = {
  universe: [{ name: 'xyz:TSLA', szDecimals: 3, maxLeverage: 10, marginTableId: 10 }],
  marginTables: [],
  collateralToken: 0,
}

test('perps of builder dexes stand beside those of the main dex, by their own ids', () => {
  const all = withDexes(markets(), [null, { name: 'xyz' }], [{ universe: [] }, meta])
  expect(all.byAsset.get(110_000)?.coin).toBe('xyz:TSLA')
  expect(all.byAsset.get(1)?.coin).toBe('ETH')
})

test.each([
  ['dexes', 'nothing', [meta]],
  ['perps', [null, { name: 'xyz' }], 'nothing'],
])('%s that cannot be read leave the main dex', (_, dexes, metas) => {
  expect(withDexes(markets(), dexes, metas).byAsset.size).toBe(markets().byAsset.size)
})
