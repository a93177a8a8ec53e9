import { afterEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/protocol/action.ts'
import { gated, group, pending, settled, stopLoss, takeProfit } from './oneLife.fixture.ts'
import type { Gate } from './oneLife.fixture.ts'
import { gtc, order, orders, reduceOnly } from './world.fixture.ts'
import type { World } from './world.fixture.ts'

let world: World
let gate: Gate
afterEach(async () => {
  gate.open()
  await world.close()
})

const openOrders = async (): Promise<number> => (await world.venueState()).openOrders.length

describe('orders on their way count', () => {
  const entry = (n: number): JsonObject => orders(order(1, true, String(3900 + n), '0.003', gtc))

  test('eighty entries at once never have more than the ten open that may be', async () => {
    ;({ world, gate } = await gated({ rules: { maxOpenOrders: 10 } }))
    // None of them has reached the venue when the last one is judged.
    gate.keep('request', ({ type }) => type === 'order')
    const asked = Array.from({ length: 80 }, (_, n) => pending(world.ask(entry(n))))
    await world.until(
      () => asked.filter(({ isDone }) => isDone()).length + gate.waiting.length === 80,
      'all of them to be judged',
    )
    gate.open()
    const replies = await Promise.all(asked.map(({ reply }) => reply))
    await settled(world)
    // Each entry is two orders: its stop hangs on it.
    expect(await openOrders()).toBe(10)
    const codes = replies.map(({ code }) => code)
    expect(codes.filter((code) => code === 'resized')).toHaveLength(5)
    expect(codes.filter((code) => code === 'too_many_orders')).toHaveLength(75)
  })

  test('so do those of one action before the one that is judged, with their stops', async () => {
    ;({ world, gate } = await gated({ rules: { maxOpenOrders: 5 } }))
    const list = [3000, 3010, 3020, 3030].map((price) => order(1, true, String(price), '0.01', gtc))
    const reply = await world.ask(orders(...list))
    await settled(world)
    expect(await openOrders()).toBe(4)
    expect(reply.entries.map(({ code }: any) => code)).toEqual([
      'resized',
      'resized',
      'too_many_orders',
      'too_many_orders',
    ])
  })

  test('an entry needs room for its stop too', async () => {
    ;({ world, gate } = await gated({ rules: { maxOpenOrders: 3 } }))
    await world.ask(orders(order(1, true, '3900', '0.01', gtc)))
    await settled(world)
    const reply = await world.ask(orders(order(2, true, '190', '1', gtc)))
    await settled(world)
    expect(await openOrders()).toBe(2)
    expect(reply).toMatchObject({ verdict: 'veto', code: 'too_many_orders' })
  })

  test('closes that rest count as well', async () => {
    ;({ world, gate } = await gated({ rules: { maxOpenOrders: 6 } }))
    await world.ask(orders(order(1, true, '4010', '0.5')))
    await settled(world)
    gate.keep('request', ({ type }) => type === 'order')
    const sell = (n: number): JsonObject =>
      orders(order(1, false, String(4100 + n), '0.01', { ...gtc, ...reduceOnly }))
    const asked = Array.from({ length: 20 }, (_, n) => pending(world.ask(sell(n))))
    await world.until(
      () => asked.filter(({ isDone }) => isDone()).length + gate.waiting.length === 20,
      'all of them to be judged',
    )
    gate.open()
    const replies = await Promise.all(asked.map(({ reply }) => reply))
    await settled(world)
    expect(await openOrders()).toBe(6)
    expect(replies.filter(({ code }) => code === 'too_many_orders')).toHaveLength(15)
  })
})

describe('at the bound', () => {
  const sell = (more: JsonObject): JsonObject => order(1, false, '3990', '0.1', more)

  /** A covered position of 0.5 ETH and a resting entry: with their stops, as many as may be. */
  async function atTheBound(): Promise<void> {
    ;({ world, gate } = await gated({ rules: { maxOpenOrders: 3 } }))
    await world.ask(orders(order(1, true, '4010', '0.5')))
    await settled(world)
    await world.ask(orders(order(2, true, '190', '1', gtc)))
    await settled(world)
    expect(await openOrders()).toBe(3)
  }

  test.each<[string, JsonObject]>([
    ['a reduce-only limit order', orders(sell({ ...gtc, ...reduceOnly, p: '4100' }))],
    ['a limit order that closes', orders(sell({ ...gtc, p: '4100' }))],
    ['a take profit', orders(takeProfit(1, false, '4200', '3800', '0.5'))],
    [
      'a take profit of the position',
      { ...orders(takeProfit(1, false, '4200', '3800', '0')), grouping: 'positionTpsl' },
    ],
    ['a stop that adds no cover', orders(stopLoss(1, false, '3850', '3465', '0.5'))],
    [
      'a stop-limit',
      orders({
        ...sell(reduceOnly),
        t: { trigger: { isMarket: false, triggerPx: '3900', tpsl: 'sl' } },
      }),
    ],
    [
      'a close with its stop',
      group(sell({ ...gtc, ...reduceOnly, p: '4100' }), stopLoss(1, false, '3900', '3510', '0.1')),
    ],
  ])('%s is not added', async (_, action) => {
    await atTheBound()
    const reply = await world.ask(action)
    await settled(world)
    expect(await openOrders()).toBe(3)
    expect(reply).toMatchObject({ verdict: 'veto', code: 'too_many_orders' })
    // What goes at once always does.
    const close = await world.ask(orders(sell(reduceOnly)))
    expect(close.response.data.statuses).toMatchObject([{ filled: { totalSz: '0.1' } }])
    expect(await world.positions()).toEqual({ ETH: '0.4' })
  })

  test('a market stop that adds cover is', async () => {
    await atTheBound()
    // Guard's own stop for what is bought by hand is on its way: the position is bare.
    gate.keep('request', ({ type }, lane) => type === 'order' && lane === 'safety')
    await world.outside(orders(order(2, true, '201', '5')))
    await world.until(() => gate.waiting.length === 1, "Guard's own stop to be on its way")
    const isMore = await world.ask(orders(takeProfit(2, false, '210', '190', '5')))
    expect(isMore).toMatchObject({ verdict: 'veto', code: 'too_many_orders' })
    const stop = await world.ask(orders(stopLoss(2, false, '196', '176.4', '5')))
    expect(stop.response.data.statuses).toEqual([{ resting: { oid: expect.any(Number) } }])
  })
})
