import { afterEach, describe, expect, test } from 'vitest'
import { gtc, order, orders, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

const listing = { name: 'NEW', szDecimals: 2, maxLeverage: 10, mid: '50' }
const asset = 3
const status = () => world.guard.status()

/** A Guard that has read the markets, and a market that was listed after that. */
async function listed(): Promise<void> {
  world = await World.start({ simulator: { options: { accountMs: 200 } } })
  await world.venue.control('list', listing)
}

describe('a market that was listed after the start', () => {
  test('a position that is opened there by hand gets its stop', async () => {
    await listed()
    await world.outside(orders(order(asset, true, '52', '10')))
    await world.until(() => status().positions[0]?.covered === true, 'covered')
    const { openOrders } = await world.venueState()
    expect(openOrders).toMatchObject([{ coin: 'NEW', orderType: 'Stop Market', sz: '10.0' }])
  })

  test('a kill closes what is held there, and cancels what rests there', async () => {
    await listed()
    await world.kill('enough')
    await world.outside(orders(order(asset, true, '45', '10', gtc)))
    await world.outside(orders(order(asset, true, '52', '10')))
    await world.until(async () => {
      const { openOrders } = await world.venueState()
      return openOrders.length === 0 && Object.keys(await world.positions()).length === 0
    }, 'flat')
  })

  test("a bot's entry there is judged with it, and an id that is none costs few reads", async () => {
    await listed()
    const reply = await world.ask(orders(order(asset, true, '51', '1')))
    expect(reply.code).not.toBe('unknown_market')
    expect(await world.positions()).toHaveProperty('NEW')
    const used = world.budget.used()
    for (let each = 0; each < 20; each += 1) {
      const refused = await world.ask(orders(order(77, true, '51', '1')))
      expect(refused.code).toBe('unknown_market')
    }
    expect(world.budget.used() - used).toBeLessThan(100)
  })

  test('is found though reads of the markets fail for a while', async () => {
    await listed()
    const match = { type: 'metaAndAssetCtxs' }
    await world.venue.fault({ where: 'info', kind: 'http_500', match, count: 3 })
    await world.outside(orders(order(asset, true, '52', '10')))
    await world.until(() => status().positions[0]?.covered === true, 'covered')
  })
})
