import { afterEach, describe, expect, test } from 'vitest'
import { order, orders, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

const start = (mode: string, spot: 'sell' | 'refuse' = 'sell') =>
  World.start({
    account: { mode, spot: [{ coin: 'HYPE', total: '20' }] },
    rules: { spot },
    simulator: { options: { accountMs: 200 } },
  })

const sell = (size: string, price: string, tif = 'Gtc', more = {}) =>
  orders({ a: 10_001, b: false, p: price, s: size, r: false, t: { limit: { tif } }, ...more })
const hype = async () => {
  const { spotClearinghouseState } = await world.venueState()
  return spotClearinghouseState.balances.find(({ coin }: any) => coin === 'HYPE')
}

describe.each(['disabled', 'unifiedAccount'])('an account of the mode %s', (mode) => {
  test('sells what it holds, cut to what nothing holds, and never more', async () => {
    world = await start(mode)
    const resting = await world.ask(sell('8', '32'))
    expect(resting).toMatchObject({ verdict: 'allow', size: '8' })
    expect(resting.response.data.statuses).toMatchObject([{ resting: {} }])
    const cut = await world.ask(sell('15', '29', 'Ioc'))
    expect(cut).toMatchObject({ verdict: 'resize', requested_size: '15', size: '12' })
    expect(cut.response.data.statuses).toMatchObject([{ filled: { totalSz: '12.0' } }])
    expect(await world.ask(sell('1', '29', 'Ioc'))).toMatchObject({ code: 'below_minimum' })
    expect(await hype()).toMatchObject({ total: '8.0', hold: '8.0' })
    // It is money that came in: no profit, no position, nothing to cover.
    const { risk, positions } = world.guard.status()
    expect(risk).toMatchObject({ state: 'active', daily_loss: '0', drawdown: '0' })
    expect(positions).toEqual([])
    expect(world.discrepancies()).toEqual([])
    expect(world.events('protect')).toEqual([])
  })

  test('a second sell is judged by all that is free, whether the stream shows the first or not', async () => {
    world = await start(mode)
    await world.ask(sell('8', '32'))
    const answeredAt = world.spotAt()
    await world.until(() => world.spotAt() > answeredAt, 'the balance to be told')
    expect(await world.ask(sell('12', '33'))).toMatchObject({ verdict: 'allow', size: '12' })
    expect(await hype()).toMatchObject({ total: '20.0', hold: '20.0' })
    // What is taken back is free at once, by a read that is newer than the answers.
    const [{ oid }] = (await world.venueState()).openOrders
    const cancel = { type: 'cancel', cancels: [{ a: 10_001, o: oid }] }
    await world.ask(cancel)
    const free = 20 - Number((await hype()).hold)
    expect(await world.ask(sell('20', '34'))).toMatchObject({ size: String(free) })
  })

  test('two sells at once share what is free', async () => {
    world = await start(mode)
    await world.ask(sell('1', '29', 'Ioc'))
    const both = await Promise.all([world.ask(sell('15', '33')), world.ask(sell('15', '34'))])
    const sizes = both.map(({ size }) => Number(size)).sort((left, right) => left - right)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(19)
    expect(both.map(({ response }) => response.data.statuses[0])).toMatchObject([
      { resting: {} },
      { resting: {} },
    ])
  })

  test('everything else on spot is refused, and the bot may change and cancel its own', async () => {
    world = await start(mode)
    const buy = sell('1', '30', 'Gtc', { b: true })
    expect(await world.ask(buy)).toMatchObject({ code: 'unsupported_market' })
    const reducing = sell('1', '30', 'Ioc', { r: true })
    expect(await world.ask(reducing)).toMatchObject({ code: 'unsupported_market' })
    const placed = await world.ask(sell('8', '32'))
    const { oid } = placed.response.data.statuses[0].resting
    await world.until(() => world.guard.status().open_orders === 1, 'the order to be listed')
    const next = { a: 10_001, b: false, p: '33', s: '9', r: false, t: { limit: { tif: 'Gtc' } } }
    expect(await world.ask({ type: 'modify', oid, order: next })).toMatchObject({ status: 'ok' })
    expect(await hype()).toMatchObject({ hold: '9.0' })
    const [{ oid: later }] = (await world.venueState()).openOrders
    const cancel = { type: 'cancel', cancels: [{ a: 10_001, o: later }] }
    expect((await world.ask(cancel)).response.data.statuses).toEqual(['success'])
    expect(await hype()).toMatchObject({ hold: '0.0' })
  })

  test('a sell that has not left at a kill does not leave', async () => {
    world = await start(mode)
    const letGo = world.disk.hold()
    const asked = world.ask(sell('8', '32'))
    const isJudged = (): boolean => world.logged.some(({ message }) => message === 'judged')
    await world.until(isJudged, 'the sell to be judged')
    const killed = world.guard.kill('enough')
    letGo()
    expect(await asked).toMatchObject({ code: 'kill_switch' })
    await killed
    expect((await world.venueState()).openOrders).toEqual([])
    expect(await hype()).toMatchObject({ hold: '0.0' })
  })

  test('a kill leaves what is held and what is for sale, and nothing more is sold', async () => {
    world = await start(mode)
    await world.ask(sell('8', '32'))
    await world.ask(orders(order(1, true, '4010', '0.01')))
    await world.kill('enough')
    await world.until(async () => Object.keys(await world.positions()).length === 0, 'flat')
    expect(await world.ask(sell('1', '29', 'Ioc'))).toMatchObject({ code: 'kill_switch' })
    expect((await world.venueState()).openOrders).toMatchObject([{ coin: '@1', sz: '8.0' }])
    expect(await hype()).toMatchObject({ total: '20.0' })
  })
})

test('without the rule a sell is refused as before', async () => {
  world = await start('disabled', 'refuse')
  expect(await world.ask(sell('1', '29', 'Ioc'))).toMatchObject({ code: 'unsupported_market' })
  expect(await hype()).toMatchObject({ total: '20.0' })
})
