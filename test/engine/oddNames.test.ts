import { afterEach, expect, test } from 'vitest'
import { gtc, order, orders, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

const plain = { name: 'BTC', szDecimals: 5, maxLeverage: 40, mid: '80000' }
const odd = { name: 'A&B', szDecimals: 2, maxLeverage: 10, mid: '50' }
const after = { name: 'SOL', szDecimals: 2, maxLeverage: 20, mid: '200' }

const coveredCoins = async (): Promise<string[]> => {
  const { openOrders } = await world.venueState()
  return openOrders
    .filter((each: any) => each.orderType === 'Stop Market')
    .map((each: any) => String(each.coin))
    .sort()
}

test('one market with an odd name blinds nothing: all that is held gets its stop', async () => {
  world = await World.start({ markets: [plain, odd, after] })
  await world.until(() => world.guard.ready().ok, 'ready')
  for (const [asset, price, size] of [
    [0, '81000', '0.01'],
    [1, '52', '10'],
    [2, '201', '5'],
  ] as const) {
    await world.outside(orders(order(asset, true, price, size)))
  }
  await world.until(async () => (await coveredCoins()).join() === 'A&B,BTC,SOL', 'covered')
  const opens = await world.ask(orders(order(1, true, '40', '1', gtc)))
  expect([opens.verdict, opens.code]).toEqual(['veto', 'market_not_allowed'])
  const known = await world.ask(orders(order(2, true, '150', '1', gtc)))
  expect(known.code).not.toBe('unknown_market')
  await world.kill('enough')
  await world.until(async () => Object.keys(await world.positions()).length === 0, 'flat')
})
