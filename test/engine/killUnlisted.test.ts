import { afterEach, expect, test } from 'vitest'
import { gtc, order, orders, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

const market = (name: string, mid: string) => ({ name, szDecimals: 3, maxLeverage: 10, mid })
const xyz = { name: 'xyz', markets: [market('TSLA', '400'), market('HOOD', '100')] }
const [tesla, hood] = [110_000, 110_001]
const status = () => world.guard.status()
const alert = () => status().alerts.find(({ code }) => code === 'flattening')
const resting = async () => (await world.askAbout('frontendOpenOrders', 'xyz')) as any[]

test('after a kill nothing is said to be flat before the orders of a dex in use were listed', async () => {
  const account = { mode: 'unifiedAccount' }
  const simulator = { options: { accountMs: 200 } }
  world = await World.start({
    dexes: [xyz],
    rules: { markets: ['*', 'xyz:*'] },
    account,
    simulator,
  })
  await world.until(() => status().entries.pass, 'entries')
  await world.ask(orders(order(tesla, true, '402', '1')))
  await world.until(() => status().positions[0]?.covered === true, 'covered')
  for (const [where, kind] of [
    ['ws', 'silence'],
    ['info', 'http_500'],
  ]) {
    const match = { dex: 'xyz', type: where === 'ws' ? 'openOrders' : 'frontendOpenOrders' }
    await world.venue.fault({ ...{ where, kind }, match, count: 0 })
  }
  const updates = { where: 'ws', kind: 'silence', match: { type: 'orderUpdates' }, count: 0 }
  await world.venue.fault(updates)
  await world.outside(orders(order(hood, true, '90', '1', gtc)))
  await world.kill('enough')
  await world.until(() => status().positions.length === 0, 'closed')
  await world.until(() => alert()?.text.includes('orders on xyz') === true, 'the alert')
  expect(alert()?.text).toContain('orders on xyz that nobody has listed since')
  expect(await resting()).toHaveLength(1)
  world.machine.passedMs += 30_000
  world.fire(500)
  expect(alert()).toBeDefined()
  await world.venue.send('DELETE', '/sim/fault')
  world.machine.passedMs += 6_000
  await world.until(async () => (await resting()).length === 0, 'the entry cancelled')
  await world.until(() => alert() === undefined, 'flat')
})
