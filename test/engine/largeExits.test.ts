import { afterEach, expect, test } from 'vitest'
import { order, orders, reduceOnly, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

/** At most 500,000 USDC in one market order. */
const small = { name: 'NEW', szDecimals: 2, maxLeverage: 5, mid: '100' }

test("a bot's exit larger than the venue's largest market order closes all of it", async () => {
  world = await World.start({
    markets: [small],
    account: { equity: '5000000' },
    simulator: { options: { accountMs: 200 } },
  })
  for (let each = 0; each < 3; each += 1) {
    await world.outside(orders(order(0, true, '101', '4000')))
  }
  await world.until(() => world.guard.status().positions[0]?.size === '12000', 'the position')
  const reply = await world.ask(orders(order(0, false, '96', '12000', reduceOnly)))
  expect(reply).toMatchObject({ status: 'ok', requested_size: '12000', size: '12000' })
  expect(reply.response.data.statuses).toEqual([
    { filled: { totalSz: '12000.0', avgPx: expect.any(String), oid: expect.any(Number) } },
  ])
  expect(Number(reply.response.data.statuses[0].filled.avgPx)).toBeGreaterThan(96)
  expect(await world.positions()).toEqual({})
})
