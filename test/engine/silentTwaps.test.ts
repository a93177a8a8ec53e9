import { afterEach, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/protocol/action.ts'
import { accountAddress, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

const oil = { name: 'OIL', szDecimals: 2, maxLeverage: 10, mid: '60' }
const status = () => world.guard.status()
const ends = async (): Promise<string[]> => {
  const history = await world.venue.info({ type: 'twapHistory', user: accountAddress })
  return history.map((row: any) => row.status.status)
}

test.each([
  ['the main dex', 1, '5'],
  ['a builder dex', 110_000, '50'],
])('a TWAP on %s that no stream tells is cancelled at a kill', async (_, a, s) => {
  const account = { dex_equity: { xyz: '5000' } }
  const simulator = { options: { accountMs: 200 } }
  world = await World.start({ dexes: [{ name: 'xyz', markets: [oil] }], account, simulator })
  for (const type of ['twapStates', 'userTwapSliceFills', 'userTwapHistory', 'userEvents']) {
    await world.venue.fault({ where: 'ws', kind: 'silence', match: { type }, count: 0 })
  }
  const twap: JsonObject = { a, b: true, s, r: false, m: 30, t: false }
  await world.outside({ type: 'twapOrder', twap })
  expect(status().twaps).toEqual([])
  await world.kill('enough')
  await world.until(async () => (await ends()).includes('terminated'), 'the end of the TWAP')
  await world.until(() => status().positions.length === 0, 'flat')
  await world.until(() => status().twaps.length === 0, 'no TWAP left')
  expect(world.events('flatten').some((each) => JSON.stringify(each).includes('twapCancel'))).toBe(
    true,
  )
})
