import { afterEach, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/protocol/action.ts'
import { gtc, order, orders, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

const xyz = { name: 'xyz', markets: [{ name: 'TSLA', szDecimals: 3, maxLeverage: 10, mid: '400' }] }
const rules = { markets: ['*', 'xyz:*'], triggerEntries: 'watched' } as const
const tesla = 110_000
const status = () => world.guard.status()

/** A sell that waits for the price to rise to it. */
const waiting = (asset: number, price: string, triggerPx: string, size: string): JsonObject => {
  const trigger = { isMarket: true, triggerPx, tpsl: 'tp' }
  return orders(order(asset, false, price, size, { t: { trigger } }))
}
const loss = () => Number(status().risk.waiting_loss)

/** Guard dies while the stream's list of the orders on xyz stands still, from before they were placed. */
async function dieWithStaleList(): Promise<void> {
  const account = { mode: 'unifiedAccount' }
  const simulator = { options: { accountMs: 200 } }
  world = await World.start({ dexes: [xyz], rules, account, simulator })
  await world.until(() => status().entries.pass, 'entries')
  const match = { dex: 'xyz', type: 'openOrders' }
  await world.venue.fault({ where: 'ws', kind: 'stale', match, count: 0 })
  expect(await world.ask(waiting(tesla, '419', '420', '0.2'))).toMatchObject({ status: 'ok' })
  await world.until(() => loss() > 0 && status().in_flight === 0, 'the entry that waits')
  await world.crash()
}

test('after a start nothing opens before the orders on a dex are read that the stream lists as they were', async () => {
  await dieWithStaleList()
  await world.venue.fault({
    ...{ where: 'info', kind: 'delay', ms: 60_000, count: 0 },
    match: { type: 'frontendOpenOrders', dex: 'xyz' },
  })
  await world.startGuard()
  await world.until(() => status().entries.reason?.includes('xyz') === true, 'why nothing opens')
  expect(status().entries).toMatchObject({
    pass: false,
    reason: 'the orders on xyz have not been listed since Guard started',
  })
})

test('an entry after a start counts beside those that wait on a dex', async () => {
  await dieWithStaleList()
  await world.startGuard()
  const reply = await world.ask(waiting(1, '4080', '4100', '0.01'))
  expect(reply).toMatchObject({ status: 'ok' })
  // A tenth of what both are worth: 84 USD and 41 USD.
  expect(loss()).toBeCloseTo(12.5, 5)
})

test('orders of the main dex that cannot be read are not known by a stream that stands still', async () => {
  world = await World.start({ simulator: { options: { accountMs: 200 } } })
  await world.venue.fault({ where: 'ws', kind: 'stale', count: 0 })
  expect(await world.ask(orders(order(1, true, '3900', '0.01', gtc)))).toMatchObject({
    status: 'ok',
  })
  await world.until(() => status().open_orders > 0, 'the entry')
  await world.crash()
  const match = { type: 'frontendOpenOrders' }
  await world.venue.fault({ where: 'info', kind: 'http_500', match, count: 0 })
  await world.buildGuard()
  const started = world.guard.start()
  const missing = 'recovering: the venue has not told yet: orders'
  await world.until(() => status().entries.reason === missing, 'only the orders missing')
  await world.venue.send('DELETE', '/sim/fault')
  await started
  expect(status().open_orders).toBeGreaterThan(0)
})
