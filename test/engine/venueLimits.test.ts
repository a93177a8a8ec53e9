import { afterEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/protocol/action.ts'
import { gtc, order, orders, reduceOnly, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

const isolated = (value: number): JsonObject => ({ type: 'isolated', value })
const flat = async (): Promise<boolean> => Object.keys(await world.positions()).length === 0
const openOrders = async (): Promise<any[]> => (await world.venueState()).openOrders
const covered = (): boolean => {
  const { positions } = world.guard.status()
  return positions.length > 0 && positions.every((each) => each.covered)
}
const alertCodes = (): string[] => world.guard.status().alerts.map(({ code }) => code)
/** The orders of all flatten events, each with its event's place. */
const closes = (): { event: number; actions: number; a: number; p: string; s: string }[] =>
  world
    .events('flatten')
    .flatMap(({ actions }, event) =>
      actions
        .filter(({ type }: any) => type === 'order')
        .flatMap((action: any, _: number, all: any[]) =>
          action.orders.map(({ a, p, s }: any) => ({ event, actions: all.length, a, p, s })),
        ),
    )

describe('an account with 1,000 orders, beside which the venue refuses every close', () => {
  /** 2.5 ETH with Guard's stop, and so many take profits that the account has 1,000 orders. */
  async function crowd(): Promise<void> {
    world = await World.start({
      account: { positions: [{ coin: 'ETH', szi: '2.5', leverage: isolated(5) }] },
      rules: { maxOpenOrders: 900 },
    })
    await world.until(covered, 'covered')
    for (const count of [200, 200, 200, 200, 199]) {
      const one = order(1, false, '4200', '0.0025', { ...gtc, ...reduceOnly })
      await world.outside(orders(...Array.from({ length: count }, () => one)))
    }
    await world.until(() => world.guard.status().open_orders === 1_000, '1,000 orders')
  }

  test('is closed after a kill: what covers nothing goes first, the youngest of it', async () => {
    await crowd()
    const before = await openOrders()
    const stop = before.find((each) => each.isTrigger)
    const { json } = await world.venue.send('GET', '/sim/log?since=0')
    await world.kill('enough')
    await world.until(flat, 'flat')
    const log = await world.venue.log(json.length)
    const sent = log.map(({ action }) => action.type)
    expect(sent.indexOf('cancel')).toBeLessThan(sent.indexOf('order'))
    // No close was refused: room was made before the first.
    const refused = log.filter(({ reply }) => JSON.stringify(reply).includes('Too many open'))
    expect(refused).toEqual([])
    const cancelled = log.flatMap(({ action }) => action.cancels ?? []).map(({ o }: any) => o)
    const youngest = before
      .filter((each) => !each.isTrigger)
      .map(({ oid }) => oid)
      .sort((left, right) => right - left)
    expect(cancelled).toEqual(youngest.slice(0, cancelled.length))
    expect(cancelled.length).toBeLessThan(100)
    expect(cancelled).not.toContain(stop.oid)
  })

  test('gets a stop that has gone again: room is made for it, and nothing is closed', async () => {
    await crowd()
    const stop = (await openOrders()).find((each) => each.isTrigger)
    const more = order(1, false, '4200', '0.0025', { ...gtc, ...reduceOnly })
    await world.outside({ type: 'cancel', cancels: [{ a: 1, o: stop.oid }] })
    await world.outside(orders(more))
    await world.until(covered, 'covered again')
    expect(await world.positions()).toEqual({ ETH: '2.5' })
  })
})

describe('one coin outside the price band', () => {
  const three = ['BTC', 'ETH', 'SOL']
  const sizes: Record<string, string> = { BTC: '0.05', ETH: '1', SOL: '10' }
  const positions = three.map((coin) => ({
    ...{ coin, szi: sizes[coin] ?? '0', leverage: isolated(5) },
  }))

  /** Nobody has written it down: the venue measures from the oracle, which is far off for SOL alone. */
  async function apart(oracle: string): Promise<void> {
    world = await World.start({
      account: { equity: '20000', positions },
      simulator: { options: { referencePrice: 'oracle' } },
    })
    await world.until(covered, 'covered')
    await world.venue.control('price', { coin: 'SOL', mid: '200', mark: '200', oracle })
  }
  const text = 'Order price cannot be more than 80% away from the reference price'

  test('keeps no other open: they go at once, each by itself, and it follows at another price', async () => {
    await apart('20')
    await world.kill('enough')
    await world.until(flat, 'flat')
    const all = closes()
    expect(all.filter(({ event }) => event === 0).map(({ a }) => a)).toEqual([0, 1, 2])
    const second = all.filter(({ event }) => event === 1)
    expect(second.map(({ a }) => a)).toEqual([0, 1, 2])
    expect(second[0]?.actions).toBe(3)
    // Each is closed once. A state that is told late may have Guard ask for BTC or ETH once more, and then
    // the venue finds nothing that it could reduce; SOL is asked for again, each time at another price.
    const log = await world.venue.log()
    const timesClosed = (asset: number) =>
      log.filter(
        ({ action, reply }: any) =>
          action.type === 'order' &&
          action.orders.some((each: any) => each.a === asset && each.r) &&
          JSON.stringify(reply).includes('"filled"'),
      ).length
    expect([0, 1, 2].map(timesClosed)).toEqual([1, 1, 1])
    const others = all.filter(({ a, event }) => event > 1 && a !== 2).map(({ a }) => a)
    expect(others.length).toBe(new Set(others).size)
    const prices = all.filter(({ a, event }) => a === 2 && event > 0).map(({ p }) => p)
    expect(prices).toEqual(['190', '40', '4'])
    const told = world.events('flatten').map(({ tries }) => tries)
    expect(told[0]).toEqual([])
    expect(told[1]).toEqual(three.map((coin) => `${coin}: ${text}`))
    expect(told.slice(2)).toContainEqual([`SOL: ${text}`])
    expect(world.events('error').map((each) => each.text)).toContain(`a close was refused: ${text}`)
    await world.until(() => !alertCodes().includes('close_refused'), 'no alert')
  })

  test('that cannot be closed is told for as long as that lasts', async () => {
    await apart('2000')
    await world.kill('enough')
    await world.until(async () => Object.keys(await world.positions()).join() === 'SOL', 'the rest')
    await world.until(() => alertCodes().includes('close_refused'), 'an alert')
    const [alert] = world.guard.status().alerts.filter(({ code }) => code === 'close_refused')
    expect(alert).toMatchObject({ coin: 'SOL', text: expect.stringContaining(text) })
    await world.venue.control('price', { coin: 'SOL', mid: '200', mark: '200', oracle: '200' })
    await world.until(flat, 'flat')
    await world.until(() => alertCodes().length === 0, 'no alert')
  })
})

test('a close that is refused for the band, whatever its price, is tried again inside it, and soon', async () => {
  world = await World.stopped({
    account: { positions: [{ coin: 'ETH', szi: '1', leverage: isolated(5) }] },
  })
  let left = 5
  const text = 'Price too far from oracle'
  await world.startGuard(({ exchange, info }) => ({
    info,
    exchange: async (request, lane) => {
      const isClose = JSON.stringify(request.action).includes('"tif":"Ioc"')
      if (!isClose || left === 0) return await exchange(request, lane)
      left -= 1
      const data = { statuses: [{ error: text }] }
      return { kind: 'reply', reply: { status: 'ok', response: { type: 'order', data } } }
    },
  }))
  await world.until(covered, 'covered')
  await world.kill('enough')
  await world.until(flat, 'flat')
  // 5% beyond the price and the edge of the band in turns; never beyond it.
  expect(closes().map(({ p }) => p)).toEqual(['3800', '800', '800', '3800', '800', '800'])
})

test('while it flattens, a position that cannot be closed gets a stop again where its own has gone', async () => {
  world = await World.stopped({
    account: { positions: [{ coin: 'ETH', szi: '1', leverage: isolated(5) }] },
  })
  const closed = { value: false }
  const text = 'Only post-only orders allowed immediately after a network upgrade'
  await world.startGuard(({ exchange, info }) => ({
    info,
    exchange: async (request, lane) => {
      const isClose = JSON.stringify(request.action).includes('"tif":"Ioc"')
      if (!isClose || !closed.value) return await exchange(request, lane)
      return { kind: 'reply', reply: { status: 'err', response: text } }
    },
  }))
  await world.until(covered, 'covered')
  closed.value = true
  await world.kill('enough')
  await world.until(() => alertCodes().includes('close_refused'), 'a refused close')
  const [stop] = await openOrders()
  await world.outside({ type: 'cancel', cancels: [{ a: 1, o: stop.oid }] })
  await world.until(async () => (await openOrders()).length === 1, 'a stop again')
  const [again] = await openOrders()
  expect(again).toMatchObject({ coin: 'ETH', isTrigger: true, reduceOnly: true, sz: '1.0' })
  expect(again.oid).not.toBe(stop.oid)
  closed.value = false
  await world.until(flat, 'flat')
  await world.until(() => alertCodes().length === 0, 'no alert')
  expect(world.events('error').map((each) => each.text)).toEqual([`a close was refused: ${text}`])
})

describe('a position worth more than the venue’s largest market order', () => {
  const markets = [{ name: 'X', szDecimals: 1, maxLeverage: 5, mid: '100' }]
  /** 500,000 USD is the most for one order at this leverage. */
  const large = (szi: string): Promise<World> =>
    World.start({
      markets,
      account: {
        equity: '10000000',
        positions: [{ coin: 'X', szi, leverage: isolated(5) }],
      },
    })

  test('is covered by stops in pieces', async () => {
    world = await large('20000')
    await world.until(covered, 'covered')
    const stops = await openOrders()
    expect(stops.map(({ sz }) => sz)).toEqual(Array(4).fill('5000.0'))
    expect(world.guard.status().positions[0]?.stops).toHaveLength(4)
    expect(alertCodes()).toEqual([])
  })

  test.each(['20000', '-20000', '49999.9'])(
    'of %s is closed in pieces after a kill',
    async (szi) => {
      world = await large(szi)
      await world.until(covered, 'covered')
      await world.kill('enough')
      await world.until(flat, 'flat')
      expect(closes().length).toBeGreaterThanOrEqual(4)
      expect(world.events('error')).toEqual([])
    },
  )

  test('that ten orders do not close is closed in rounds', async () => {
    world = await large('70000')
    await world.until(() => world.events('protect').length > 0, 'a protect event')
    expect(world.events('protect')[0].problems).toEqual([
      'X: 20000 of it cannot be covered with ten orders',
    ])
    await world.kill('enough')
    await world.until(flat, 'flat')
  })
})
