import { afterEach, expect, test } from 'vitest'
import { World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

test('the first risk event of a plain account has the money on its builder dexes', async () => {
  const market = { name: 'TSLA', szDecimals: 3, maxLeverage: 10, mid: '400' }
  const account = { mode: 'disabled', dex_equity: { xyz: '4000' } }
  world = await World.stopped({ dexes: [{ name: 'xyz', markets: [market] }], account })
  // The dexes are listed later than the main dex is told.
  const match = { type: 'perpDexs' }
  await world.venue.fault({ where: 'info', kind: 'http_500', match, count: 2 })
  await world.startGuard()
  expect(await world.event('risk')).toMatchObject({ state: 'active', equity: '14000' })
})
