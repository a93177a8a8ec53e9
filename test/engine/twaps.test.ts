import { afterEach, describe, expect, test } from 'vitest'
import { accountAddress, order, orders, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

const quick = { options: { accountMs: 100 } }
const twap = (size: string, more = {}) => ({
  type: 'twapOrder',
  twap: { a: 1, b: true, s: size, r: false, m: 30, t: false, ...more },
})

const running = async (): Promise<number> => {
  const { twapStates } = await world.venue.info({
    ...{ type: 'webData2', user: accountAddress },
  })
  return twapStates.length
}
const isFlat = async () => Object.keys(await world.positions()).length === 0
const status = () => world.guard.status()
const sent = async (type: string) =>
  (await world.venue.log()).filter(({ action }: any) => action.type === type)

describe("a TWAP that was started by hand at the venue's page", () => {
  test('lets nothing open: what is still to come has no stop and was judged by nobody', async () => {
    world = await World.start({ simulator: quick })
    await world.outside(twap('6.1'))
    await world.until(() => status().positions[0]?.covered === true, 'covered')
    await world.until(() => status().twaps.length === 1, 'the TWAP to be seen')
    expect(await world.ask(orders(order(0, true, '100000', '0.001')))).toMatchObject({
      code: 'unprotected_order',
      response: expect.stringMatching(/a TWAP on ETH was made elsewhere/),
    })
    const exit = { ...order(1, false, '3900', '0.1'), r: true }
    expect(await world.ask(orders(exit))).toMatchObject({ status: 'ok' })
  })

  test('what its slices open is a position with a stop, and the TWAP is told', async () => {
    world = await World.start({ simulator: quick })
    await world.outside(twap('6.1'))
    await world.until(() => status().positions[0]?.covered === true, 'covered')
    expect(await world.positions()).toEqual({ ETH: '0.1' })
    const told = () => world.discrepancies().filter((text) => text.includes('TWAP'))
    await world.until(() => told().length === 1, 'the discrepancy')
    expect(told()[0]).toMatch(/^ETH: a TWAP that was started elsewhere \(\d+\) buys 6.1, 0.1 of it/)
    // Each slice is a fill: nothing about the money is in doubt.
    await world.venue.control('clock', { advance_ms: 60_000 })
    await world.until(async () => (await world.positions())['ETH'] === '0.3', 'two more slices')
    await world.until(() => status().positions[0]?.size === '0.3', 'seen')
    await world.until(() => status().positions[0]?.covered === true, 'covered again')
    expect(await sent('twapCancel')).toEqual([])
  })

  test('a kill cancels it before it closes, and stays flat', async () => {
    world = await World.start({ simulator: quick })
    await world.outside(twap('6.1'))
    await world.until(() => status().positions[0]?.covered === true, 'covered')
    await world.until(() => world.discrepancies().length > 0, 'the TWAP to be seen')
    await world.kill('enough')
    await world.until(isFlat, 'flat')
    await world.until(async () => (await running()) === 0, 'the TWAP to be gone')
    const log = await world.venue.log()
    const types = log.map(({ action }: any) => action.type)
    expect(types.indexOf('twapCancel')).toBeGreaterThan(-1)
    expect(types.indexOf('twapCancel')).toBeLessThan(types.lastIndexOf('order'))
    await world.venue.control('clock', { advance_ms: 120_000 })
    expect(await isFlat()).toBe(true)
    const event = await world.event('flatten')
    expect(event.actions[0]).toMatchObject({ type: 'twapCancel', a: 1 })
  })

  test('one that waits for a price is cancelled too, one that only closes is left alone', async () => {
    world = await World.start({ simulator: quick })
    await world.ask(orders(order(1, true, '4010', '0.5')))
    await world.until(() => status().positions[0]?.covered === true, 'covered')
    await world.outside({ ...twap('1'), details: { t: { p: '5000', a: true }, s: null } })
    await world.outside(twap('0.4', { b: false, r: true }))
    await world.until(() => world.discrepancies().length >= 2, 'both to be seen')
    await world.kill('enough')
    await world.until(isFlat, 'flat')
    await world.until(async () => (await sent('twapCancel')).length === 1, 'one cancel')
    expect(await running()).toBe(1)
  })

  test('a cancel that is refused or lost is tried again, what slices open meanwhile is closed', async () => {
    world = await World.start({ simulator: quick })
    await world.outside(twap('6.1'))
    await world.until(() => status().positions[0]?.covered === true, 'covered')
    await world.until(() => world.discrepancies().length > 0, 'the TWAP to be seen')
    const match = { type: 'twapCancel' }
    await world.venue.fault({ where: 'exchange', kind: 'http_500', match, count: 2 })
    await world.kill('enough')
    await world.until(isFlat, 'flat')
    await world.venue.control('clock', { advance_ms: 30_000 })
    await world.until(async () => (await running()) === 0, 'the TWAP to be gone')
    await world.until(isFlat, 'flat again')
  })

  test('one that is found at the start of a Guard that is latched is cancelled', async () => {
    world = await World.start({ simulator: quick })
    await world.kill('enough')
    await world.stopGuard()
    await world.outside(twap('6.1'))
    await world.startGuard()
    await world.until(async () => (await running()) === 0 && (await isFlat()), 'gone and flat')
  })
})

test('a loss of the day ends it as a kill does', async () => {
  world = await World.start({ simulator: quick })
  await world.outside(twap('61'))
  await world.until(() => status().positions[0]?.covered === true, 'covered')
  await world.until(() => world.discrepancies().length > 0, 'the TWAP to be seen')
  await world.venue.control('price', { coin: 'ETH', mid: '3200' })
  await world.until(() => status().risk.state !== 'active', 'the halt')
  await world.until(async () => (await running()) === 0 && (await isFlat()), 'gone and flat')
})
