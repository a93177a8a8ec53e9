import { afterEach, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/protocol/action.ts'
import { accountInside } from './insideGuard.fixture.ts'
import { order, orders, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

const market = (name: string, mid: string): JsonObject => ({
  ...{ name, szDecimals: 3, maxLeverage: 10, mid },
})
const dexes = [{ name: 'xyz', markets: [market('TSLA', '400')] }]
const status = () => world.guard.status()
const isCovered = (): boolean =>
  status().positions.some((each) => each.coin === 'xyz:TSLA' && each.covered)

test('a position on a dex that a start sees after the main dex is no sign of a liquidation', async () => {
  const simulator = { options: { accountMs: 200 } }
  world = await World.start({ dexes, simulator, account: { mode: 'unifiedAccount' } })
  await world.outside(orders(order(110_000, true, '410', '1')))
  await world.until(isCovered, 'the stop')
  await world.crash()
  const states = { type: 'allDexsClearinghouseState' }
  await world.venue.fault({ where: 'ws', kind: 'silence', match: states, count: 0 })
  await world.venue.fault({ where: 'info', kind: 'http_500', match: { dex: 'xyz' }, count: 0 })
  await world.startGuard()
  // The patience with the other dex ends, and the main one counts alone.
  world.machine.passedMs += 3_000
  await world.until(() => accountInside(world.guard).venueTime !== null, 'the main dex')
  expect(status().positions).toEqual([])
  await world.venue.send('DELETE', '/sim/fault')
  await world.until(isCovered, 'the position')
  world.machine.passedMs += 11_000
  world.fire(500)
  const words = JSON.stringify([status().alerts, status().entries.reason, world.events('error')])
  expect(words).not.toContain('where none was held')
})
