import { afterEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/protocol/action.ts'
import {
  becomes,
  cloid,
  gated,
  group,
  nudge,
  ordersOn,
  pending,
  settled,
  shown,
  stopLoss,
  takeProfit,
  workingStops,
} from './oneLife.fixture.ts'
import type { Gate } from './oneLife.fixture.ts'
import { gtc, order, orders, reduceOnly } from './world.fixture.ts'
import type { World } from './world.fixture.ts'

let world: World
let gate: Gate
afterEach(async () => {
  gate.open()
  await world.close()
})

describe('a take profit that is smaller than the entry of its group', () => {
  const profit = takeProfit(1, false, '4100', '3700', '0.01', { c: cloid(0x71) })
  const stop = stopLoss(1, false, '3950', '3500', '2', { c: cloid(0x51) })
  const refusal = /^Guard veto \[invalid\]: .*once .*filled/
  const now = order(1, true, '4010', '2')
  const later = order(1, true, '3990', '2', gtc)

  test.each<[string, JsonObject, number, string]>([
    ['with a stop', group(now, profit, stop), 1, '3950.0'],
    ['after the stop', group(now, stop, profit), 2, '3950.0'],
    ["with Guard's stop", group(now, profit), 1, '3920.0'],
    ['not grouped by the bot', orders(now, profit), 1, '3920.0'],
    ['of an entry that rests', group(later, profit, stop), 1, '3950.0'],
  ])('%s is refused in its place, and the rest goes', async (_, action, at, trigger) => {
    ;({ world, gate } = await gated())
    const reply = await world.ask(action)
    await settled(world)
    // A group's stop goes when its take profit fills: what is sent is only what may be together.
    const open = await ordersOn(world, 'ETH')
    expect(open.filter(({ orderType }) => orderType.startsWith('Take Profit'))).toEqual([])
    const stops = open.filter(({ orderType }) => orderType === 'Stop Market')
    expect(stops.map(({ triggerPx, sz }) => [triggerPx, sz])).toEqual([[trigger, '2.0']])
    const { statuses } = reply.response.data
    expect(reply).toMatchObject({ status: 'ok', verdict: 'resize', requested_size: '2', size: '2' })
    expect(statuses).toHaveLength((action['orders'] as any[]).length)
    expect(statuses[at]).toEqual({ error: expect.stringMatching(refusal) })
    expect(statuses.filter((each: any) => each.error !== undefined)).toHaveLength(1)
  })

  test('takes no stop with it when it is reached', async () => {
    ;({ world, gate } = await gated())
    await world.ask(group(now, profit, stop))
    await settled(world)
    await nudge(world, 'ETH', '4150')
    await shown(world)
    expect(await world.positions()).toEqual({ ETH: '2.0' })
    expect(await workingStops(world, 'ETH')).toMatchObject([{ triggerPx: '3950.0', sz: '2.0' }])
  })

  test('goes once the entry has filled, and one as large as the entry goes with it', async () => {
    ;({ world, gate } = await gated())
    const refused = await world.ask(group(now, profit, stop))
    expect(refused.response.data.statuses[1]).toEqual({ error: expect.stringMatching(refusal) })
    await settled(world)
    const alone = await world.ask(orders(profit))
    expect(alone.response.data.statuses).toEqual([
      { resting: { oid: expect.any(Number), cloid: cloid(0x71) } },
    ])
    // An entry that is cut takes along a take profit that was as large as it.
    const whole = takeProfit(2, false, '210', '190', '100')
    const cut = await world.ask(group(order(2, true, '200.8', '100'), whole))
    expect(Number(cut.size)).toBeLessThan(100)
    expect(cut.response.data.statuses[1]).toBe('waitingForTrigger')
  })
})

test("Guard's own stop stays when one is sent that only waits for a close to fill", async () => {
  ;({ world, gate } = await gated())
  await world.ask(orders(order(1, true, '4010', '0.5')))
  await settled(world)
  const sell = order(1, false, '4100', '0.5', { ...gtc, ...reduceOnly })
  const reply = await world.ask(group(sell, stopLoss(1, false, '3960', '3500', '0.5')))
  await shown(world)
  await nudge(world, 'ETH', '4001')
  expect(await workingStops(world, 'ETH')).toMatchObject([{ triggerPx: '3920.0', sz: '0.5' }])
  const { statuses } = reply.response.data
  expect(statuses).toEqual([{ resting: { oid: expect.any(Number) } }, 'waitingForFill'])
  // Nothing was cancelled in between either.
  expect(world.events('decision').at(-1).post).toEqual([])
  const sent = (await world.venue.log()).map(({ action }) => action.type)
  expect(sent).toEqual(['updateLeverage', 'order', 'order'])
})

test('what is bought by hand is covered at once, though an entry with its stop is on its way', async () => {
  ;({ world, gate } = await gated())
  gate.keep('request', ({ type }, lane) => type === 'order' && lane === 'entry')
  const asked = pending(world.ask(orders(order(1, true, '4010', '0.5'))))
  await world.until(() => gate.waiting.length === 1, 'the entry to be on its way')
  await world.outside(orders(order(1, true, '4010', '2')))
  const stops = async (): Promise<string[]> =>
    (await workingStops(world, 'ETH')).map(({ triggerPx, sz }) => `${triggerPx} ${sz}`)
  await becomes(world, stops, ['3920.0 2.0'])
  gate.open()
  await asked.reply
  await settled(world)
})
