import { afterEach, describe, expect, test } from 'vitest'
import { accountAddress, order, orders, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

const quick = { options: { accountMs: 200 } }

const elsewhere = (body: object) =>
  world.venue.control('elsewhere', { user: accountAddress, ...body })
const fill = (coin: string, side: 'A' | 'B', px: string, sz: string, more = {}) =>
  elsewhere({ fill: { coin, side, px, sz, ...more } })
const resting = (coin: string, side: 'A' | 'B', px: string, sz: string) =>
  elsewhere({ order: { coin, side, px, sz } })

const status = () => world.guard.status()
const equity = () => Number(status().risk.equity)

/** An entry of a bot is what tells whether Guard thinks that all is covered. */
async function expectEntriesPass(): Promise<void> {
  const reply = await world.ask(orders(order(1, true, '4010', '0.01')))
  expect(reply.verdict ?? reply).not.toBe('veto')
  await world.until(() => status().positions[0]?.covered === true, 'covered')
}

describe.each(['disabled', 'unifiedAccount'])('an account of the mode %s', (mode) => {
  const spot = mode === 'disabled' ? [{ coin: 'USDC', total: '1000' }] : []
  test('spot and builder dex fills are no positions of the main dex', async () => {
    world = await World.start({ account: { mode, spot }, simulator: quick })
    await fill('@1', 'B', '30', '10')
    await fill('PURR/USDC', 'B', '0.2', '100')
    await fill('xyz:TSLA', 'B', '100', '1')
    const wanted = mode === 'disabled' ? 10_000 : 10_000 - 300 - 20 - 0.045
    await world.until(() => equity() === wanted, 'the equity that is left')
    expect(status().positions).toEqual([])
    expect(world.discrepancies()).toEqual([])
    await expectEntriesPass()
    expect(world.events('protect')).toEqual([])
  })

  test('spot and builder dex orders are no entries, and count as open ones', async () => {
    world = await World.start({ account: { mode, spot }, simulator: quick })
    const { oid } = await resting('@1', 'B', '25', '4')
    await resting('xyz:TSLA', 'B', '90', '1')
    await world.until(() => status().open_orders === 1, 'the spot order to be counted')
    expect(world.discrepancies()).toEqual([])
    await expectEntriesPass()
    // A bot may cancel it: it is nobody's stop.
    const reply = await world.ask({ type: 'cancel', cancels: [{ a: 10_001, o: oid }] })
    expect(reply.response.data.statuses).toEqual(['success'])
    expect(world.events('flatten')).toEqual([])
  })

  test('a kill is done though a spot order rests and a token is held', async () => {
    world = await World.start({ account: { mode, spot }, simulator: quick })
    await expectEntriesPass()
    await resting('@1', 'B', '25', '4')
    await fill('@1', 'B', '30', '10')
    await world.kill('enough')
    await world.event('flatten')
    await world.until(async () => Object.keys(await world.positions()).length === 0, 'flat')
    await world.until(() => status().positions.length === 0, 'seen flat')
    expect(await world.positions()).toEqual({})
    const { openOrders } = await world.venueState()
    expect(openOrders).toMatchObject([{ coin: '@1' }])
  })
})

describe('the money of a unified account', () => {
  const start = () => World.start({ account: { mode: 'unifiedAccount' }, simulator: quick })

  test('a spot purchase that is most of it is no loss, and its sale no profit', async () => {
    world = await start()
    await fill('@1', 'B', '30', '100')
    await fill('@1', 'B', '30', '150')
    await world.until(() => equity() === 2_500, 'the equity that is left')
    expect(status().risk).toMatchObject({ state: 'active', daily_loss: '0', drawdown: '0' })
    expect(world.events('flatten')).toEqual([])
    await expectEntriesPass()
    await fill('@1', 'A', '30', '200')
    await world.until(() => equity() > 8_000, 'the equity that came back')
    expect(Number(status().risk.peak_equity)).toBeLessThan(8_600)
    expect(Number(status().risk.drawdown)).toBeLessThan(0.001)
  })

  test('a purchase in more pieces than there are deposits to choose from', async () => {
    world = await start()
    for (let piece = 0; piece < 20; piece += 1) await fill('@1', 'B', '30', '10')
    await world.until(() => equity() === 4_000, 'the equity that is left')
    expect(status().risk).toMatchObject({ state: 'active', daily_loss: '0' })
  })

  test('a pair that is paid in another token moves no USDC', async () => {
    const spot = [{ coin: 'HYPE', total: '100' }]
    world = await World.start({ account: { mode: 'unifiedAccount', spot }, simulator: quick })
    await fill('@2', 'A', '30', '100')
    await world.until(() => world.discrepancies().length === 0 && equity() === 10_000, 'told')
    await expectEntriesPass()
    expect(status().risk).toMatchObject({ state: 'active' })
  })

  test("a builder dex's loss is a loss: it halts the day", async () => {
    world = await start()
    await fill('xyz:TSLA', 'A', '100', '10', { closedPnl: '-900' })
    await world.until(() => status().risk.state === 'halted_for_day', 'the halt')
  })
})

test('a spot trade whose report is lost is found among the fills, and is no loss', async () => {
  world = await World.start({ account: { mode: 'unifiedAccount' }, simulator: quick })
  for (const type of ['userFills', 'userEvents']) {
    await world.venue.fault({
      ...{ where: 'ws', kind: 'lie', match: { type }, count: 0, patch: { fills: [] } },
    })
  }
  await fill('@1', 'B', '30', '250')
  await world.until(() => equity() === 2_500, 'the equity that is left')
  await world.until(() => status().risk.daily_loss === '0', 'the trade to be known as one')
  expect(status().risk).toMatchObject({ state: 'active', day_start_equity: '2500' })
  expect(world.events('flatten')).toEqual([])
})
