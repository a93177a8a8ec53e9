import { afterEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/protocol/action.ts'
import type { Rules } from '../../src/core/rules/rules.ts'
import {
  becomes,
  cloid,
  gated,
  ordersOn,
  settled,
  stopLoss,
  workingStops,
} from './oneLife.fixture.ts'
import type { Gate } from './oneLife.fixture.ts'
import { gtc, order, orders, reduceOnly } from './world.fixture.ts'
import type { World, WorldOptions } from './world.fixture.ts'

let world: World
let gate: Gate
afterEach(async () => {
  gate.open()
  await world.close()
})

/** 0.5 ETH with Guard's own stop, 2% from the mid of 4000. */
async function holding(isLong: boolean, options: WorldOptions = {}): Promise<void> {
  ;({ world, gate } = await gated(options))
  await world.ask(orders(order(1, isLong, isLong ? '4010' : '3990', '0.5')))
  await settled(world)
  expect(await world.positions()).toEqual({ ETH: isLong ? '0.5' : '-0.5' })
}

describe('the limit of a stop that a bot sends on its own leaves a tenth of room', () => {
  const id = cloid(0x51)

  interface Row {
    readonly name: string
    readonly isLong: boolean
    /** Trigger and limit. */
    readonly asked: readonly [string, string]
    readonly gets: readonly [string, string]
    readonly changes: number
  }
  const rows: readonly Row[] = [
    {
      name: 'a sell',
      isLong: true,
      asked: ['3900', '3890'],
      gets: ['3900.0', '3510.0'],
      changes: 1,
    },
    {
      name: 'a buy',
      isLong: false,
      asked: ['4100', '4110'],
      gets: ['4100.0', '4510.0'],
      changes: 1,
    },
    // 3900.1 x 0.9 = 3510.09, outward to 3510.
    {
      name: 'a sell off the grid',
      isLong: true,
      asked: ['3900.03', '3890.07'],
      gets: ['3900.1', '3510.0'],
      changes: 2,
    },
    {
      name: 'a buy off the grid',
      isLong: false,
      asked: ['4100.07', '4110.03'],
      gets: ['4100.0', '4510.0'],
      changes: 2,
    },
    {
      name: 'a sell with room and its limit off the grid',
      isLong: true,
      asked: ['3900', '3400.07'],
      gets: ['3900.0', '3400.0'],
      changes: 1,
    },
  ]

  test.each(rows)('$name', async ({ isLong, asked, gets, changes }) => {
    await holding(isLong)
    const [trigger, limit] = asked
    const reply = await world.ask(orders(stopLoss(1, !isLong, trigger, limit, '0.5', { c: id })))
    await settled(world)
    const found = (await workingStops(world, 'ETH')).filter((each) => each.cloid === id)
    expect(found.map(({ triggerPx, limitPx }) => [triggerPx, limitPx])).toEqual([gets])
    expect(reply).toMatchObject({ status: 'ok', verdict: 'resize', code: 'resized' })
    const decision = world.events('decision').at(-1)
    expect(decision.changes).toHaveLength(changes)
    for (const text of decision.changes) expect(text).toMatch(/stop/)
  })

  test('of the whole position at trigger time', async () => {
    await holding(true)
    const stop = stopLoss(1, false, '3900', '3890', '0', { c: id })
    await world.ask({ ...orders(stop), grouping: 'positionTpsl' })
    await settled(world)
    const found = (await workingStops(world, 'ETH')).filter((each) => each.cloid === id)
    expect(found.map(({ triggerPx, limitPx }) => [triggerPx, limitPx])).toEqual([
      ['3900.0', '3510.0'],
    ])
  })

  test("so that a tighter one covers, and Guard's own goes", async () => {
    await holding(true)
    await world.ask(orders(stopLoss(1, false, '3950', '3945', '0.5', { c: id })))
    const stops = async (): Promise<string[]> =>
      (await workingStops(world, 'ETH')).map((each) => `${each.triggerPx} ${each.limitPx}`)
    await becomes(world, stops, ['3950.0 3555.0'])
  })
})

describe('an order against a position and larger than it', () => {
  const against = (isLong: boolean, more: JsonObject = {}): JsonObject =>
    order(1, !isLong, isLong ? '3990' : '4010', '0.8', more)
  const lastOrders = async (): Promise<any[]> =>
    (await world.venue.log()).findLast(({ action }) => action.type === 'order').action.orders

  test.each([
    ['long', true],
    ['short', false],
  ])('is cut to the %s position and can only close it', async (_, isLong) => {
    await holding(isLong)
    const reply = await world.ask(orders(against(isLong)))
    await settled(world)
    expect(await world.positions()).toEqual({})
    expect(reply).toMatchObject({
      ...{ status: 'ok', verdict: 'resize', code: 'resized' },
      ...{ requested_size: '0.8', size: '0.5' },
      response: { data: { statuses: [{ filled: { totalSz: '0.5' } }] } },
    })
    expect(await lastOrders()).toMatchObject([{ r: true, s: '0.5' }])
    const { changes } = world.events('decision').at(-1)
    expect(changes.join('\n')).toMatch(/0\.8.*0\.5/)
  })

  test('rests as one that can only close, and takes the position back to flat', async () => {
    await holding(true)
    const reply = await world.ask(orders(order(1, false, '4100', '0.8', gtc)))
    await settled(world)
    expect(reply).toMatchObject({ status: 'ok', requested_size: '0.8', size: '0.5' })
    const [resting] = (await ordersOn(world, 'ETH')).filter(({ isTrigger }) => !isTrigger)
    expect(resting).toMatchObject({ sz: '0.5', limitPx: '4100.0', reduceOnly: true })
    await world.venue.control('price', { coin: 'ETH', mid: '4110' })
    await becomes(world, () => world.positions(), {})
  })

  test('is one side of a quote: the other side goes as it is', async () => {
    await holding(true)
    const reply = await world.ask(
      orders(order(1, true, '3990', '0.1', gtc), order(1, false, '4010', '0.8', gtc)),
    )
    await settled(world)
    const { statuses } = reply.response.data
    expect(statuses).toEqual([
      { resting: { oid: expect.any(Number) } },
      { resting: { oid: expect.any(Number) } },
    ])
    expect(reply.entries).toMatchObject([
      { requested_size: '0.1', size: '0.1' },
      { requested_size: '0.8', size: '0.5' },
    ])
    const resting = (await ordersOn(world, 'ETH')).filter(({ isTrigger }) => !isTrigger)
    expect(resting.map(({ side, sz, reduceOnly: r }) => [side, sz, r]).sort()).toEqual([
      ['A', '0.5', true],
      ['B', '0.1', false],
    ])
  })

  test('that is reduce-only already says what became of its size', async () => {
    await holding(true)
    const reply = await world.ask(orders(against(true, reduceOnly)))
    expect(reply).toMatchObject({ status: 'ok', requested_size: '0.8', size: '0.5' })
    expect(await world.positions()).toEqual({})
  })

  test('is vetoed under flip = "refuse", and cut under flip = "cut"', async () => {
    await holding(true, { rules: { flip: 'refuse' } as Partial<Rules> })
    const refused = await world.ask(orders(against(true)))
    expect(refused).toMatchObject({ verdict: 'veto', code: 'flip' })
    expect(await world.positions()).toEqual({ ETH: '0.5' })
    await world.close()
    await holding(true, { rules: { flip: 'cut' } as Partial<Rules> })
    const cut = await world.ask(orders(against(true)))
    expect(cut).toMatchObject({ status: 'ok', requested_size: '0.8', size: '0.5' })
    expect(await world.positions()).toEqual({})
  })
})
