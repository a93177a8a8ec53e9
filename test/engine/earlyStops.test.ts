import { afterEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/protocol/action.ts'
import { becomes, booksOf, cloid, gated, group, ordersOn } from './oneLife.fixture.ts'
import { settled, shown, stopLoss, stranger, takeProfit } from './oneLife.fixture.ts'
import type { Gate } from './oneLife.fixture.ts'
import { gtc, order, orders, reduceOnly } from './world.fixture.ts'
import type { World } from './world.fixture.ts'

let world: World
let gate: Gate
afterEach(async () => {
  gate.open()
  await world.close()
})

const start = async (): Promise<void> => {
  ;({ world, gate } = await gated({ simulator: { options: { accountMs: 200 } } }))
}
const openRisk = (): number => Number(world.guard.status().risk.open_risk)
const fillChannels = ['userFills', 'userEvents', 'clearinghouseState', 'webData2', 'webData3']

/** From now on the stream tells orders, and neither fills nor positions. */
async function hideFills(more: JsonObject = {}): Promise<void> {
  for (const type of fillChannels) {
    await world.venue.fault({ where: 'ws', kind: 'silence', match: { type }, count: 0, ...more })
  }
}

/** Nor do reads. */
async function hideReads(): Promise<void> {
  const match = { type: 'clearinghouseState' }
  await world.venue.fault({ where: 'info', kind: 'http_500', count: 0, match })
}

const showAll = async (): Promise<void> => {
  await world.venue.send('DELETE', '/sim/fault')
  await shown(world)
  await settled(world)
}

const cancelOf = (oid: number): JsonObject => ({ type: 'cancel', cancels: [{ a: 1, o: oid }] })

/** Buys at 4000 with a stop of the bot's own. */
const buy = (size: string, stop: string, id: number, more: JsonObject = {}): Promise<any> =>
  world.ask(
    group(
      order(1, true, '4010', size, more),
      stopLoss(1, false, stop, '3200', size, { c: cloid(id) }),
    ),
  )

/** 1.35 ETH that risk 472.5 of the 600 USD of open risk, by stops at 3650. */
async function base(): Promise<void> {
  await start()
  for (const id of [1, 2, 3]) {
    await buy('0.45', '3650', id)
    await settled(world)
  }
  expect(openRisk()).toBeCloseTo(472.5, 0)
}

/** Entries of another coin take all the open risk that is left; the books keep to the rule in the end. */
async function spendTheRest(): Promise<void> {
  for (let nth = 0; nth < 3; nth += 1) {
    const stop = stopLoss(2, false, '190', '160', '15')
    await world.ask(group(order(2, true, '200.5', '15'), stop))
  }
  await showAll()
  expect((await booksOf(world)).risk).toBeLessThanOrEqual(600)
}

test('an entry’s stop that is told before its fill covers nothing of what was held before', async () => {
  await start()
  await buy('0.5', '3650', 1)
  await settled(world)
  const before = openRisk()
  expect(before).toBeGreaterThan(170)
  await hideFills()
  await hideReads()
  await buy('0.5', '3950', 2)
  await becomes(world, () => world.guard.status().open_orders, 2)
  expect(world.guard.status().positions).toMatchObject([{ coin: 'ETH', size: '0.5' }])
  // The entry is counted as it was judged, at its limit of 4010: 60 a coin.
  expect(openRisk()).toBeGreaterThanOrEqual(before + 30)
  const open = await ordersOn(world, 'ETH')
  expect(open).toHaveLength(2)
  for (const { oid } of open) {
    const reply = await world.ask(cancelOf(oid))
    expect(JSON.stringify(reply)).toContain('Guard veto [stop_removed]: 0.5 of the ETH position')
  }
})

test('nor where the socket was cut while it filled', async () => {
  await base()
  await buy('1.35', '3980', 5, { ...gtc, p: '4000' })
  await settled(world)
  const before = openRisk()
  await hideFills({ ms: 4_000 })
  await world.venue.fault({ where: 'ws', kind: 'disconnect', count: 1 })
  await world.outside(orders(order(1, false, '4000', '1.35')), stranger)
  const stops = (): number => world.guard.status().open_orders
  await becomes(world, stops, 4)
  expect(openRisk()).toBeGreaterThanOrEqual(before)
  await spendTheRest()
})

test('nor where Guard starts, and it fills between the reads of positions and of orders', async () => {
  await base()
  await buy('1.35', '3980', 5, { ...gtc, p: '4000' })
  await settled(world)
  await world.crash()
  await hideFills()
  const late = { where: 'info', kind: 'delay', count: 1, ms: 1_500 }
  await world.venue.fault({ ...late, match: { type: 'frontendOpenOrders' } })
  const silent = { where: 'ws', kind: 'silence', count: 0, ms: 1_500 }
  await world.venue.fault({ ...silent, match: { type: 'openOrders' } })
  await world.buildGuard(gate.around)
  const started = world.guard.start()
  await world.until(() => world.guard.status().positions.length > 0, 'the position to be read')
  await world.outside(orders(order(1, false, '4000', '1.35')), stranger)
  await started
  await world.until(() => world.guard.ready().ok, 'ready')
  await spendTheRest()
})

test('a take profit that fires before anything is told has closed nothing of what was held', async () => {
  await base()
  await hideFills()
  const profit = takeProfit(1, false, '4015', '3600', '1.35')
  const stop = stopLoss(1, false, '3980', '3500', '1.35', { c: cloid(5) })
  await world.ask(group(order(1, true, '4010', '1.35'), profit, stop))
  await becomes(world, () => world.guard.status().open_orders, 5)
  await world.venue.control('price', { coin: 'ETH', mid: '4015' })
  await becomes(world, () => world.guard.status().open_orders, 3)
  expect(openRisk()).toBeGreaterThanOrEqual(472)
  await spendTheRest()
})

test('nor has an exit that fills in that moment: every stop stays', async () => {
  await start()
  await buy('0.5', '3650', 1)
  await settled(world)
  await hideFills()
  await hideReads()
  await buy('0.5', '3950', 2)
  await becomes(world, () => world.guard.status().open_orders, 2)
  await world.ask(orders(order(1, false, '3990', '0.5', reduceOnly)))
  for (const { oid } of await ordersOn(world, 'ETH')) {
    const reply = await world.ask(cancelOf(oid))
    expect(JSON.stringify(reply)).toContain('Guard veto [stop_removed]')
  }
})

test('what Guard’s own stop saves over the first part of an entry is left for its next part', async () => {
  await base()
  const reply = await world.ask(
    group(
      order(1, true, '4000', '3.6', gtc),
      stopLoss(1, false, '3980', '3500', '3.6', { c: cloid(5) }),
    ),
  )
  await settled(world)
  const before = openRisk()
  for (let part = 0; part < 2; part += 1) {
    await world.outside(orders(order(1, false, '4000', '1.35')), stranger)
    const size = part === 0 ? '2.7' : '4.05'
    await becomes(world, () => world.guard.status().positions.map((each) => each.size), [size])
    await settled(world)
    expect(openRisk()).toBeGreaterThanOrEqual(before - 1)
  }
  await world.ask(cancelOf(reply.response.data.statuses[0].resting.oid))
  await spendTheRest()
})

describe('what an extra tight stop of the bot’s saves is not spent twice', () => {
  /** The same position with a second stop over all of it: 67.5 USD instead of 472.5 as long as nothing else fills. */
  async function tightened(): Promise<void> {
    await base()
    await world.ask(orders(stopLoss(1, false, '3950', '3400', '1.35', { c: cloid(4) })))
    await settled(world)
    expect(openRisk()).toBeCloseTo(67.5, 0)
  }

  test('by an entry that fills in part, and is then cancelled', async () => {
    await tightened()
    const reply = await buy('1.35', '3900', 5, { ...gtc, p: '4000' })
    await settled(world)
    await spendTheRest()
    await world.outside(orders(order(1, false, '4000', '0.8')), stranger)
    await becomes(world, () => world.guard.status().positions[0]?.size, '2.15')
    await world.ask(cancelOf(reply.response.data.statuses[0].resting.oid))
    await settled(world)
    expect((await booksOf(world)).risk).toBeLessThanOrEqual(600)
  })

  test('by one that finds only a part of its size at once, after others have spent it', async () => {
    await tightened()
    await spendTheRest()
    await world.outside(orders(order(1, false, '4000', '0.3', gtc)), stranger)
    await buy('1.35', '3900', 6, { p: '4000' })
    await settled(world)
    expect((await booksOf(world)).risk).toBeLessThanOrEqual(600)
  })

  test('by one that fills in part once the stop that it leaves to the position is gone', async () => {
    await tightened()
    const second = await world.ask(
      orders(stopLoss(1, false, '3940', '3400', '1.35', { c: cloid(6) })),
    )
    const entry = await buy('0.5', '3900', 5, { ...gtc, p: '4000' })
    await settled(world)
    await spendTheRest()
    const refused = await world.ask(cancelOf(second.response.data.statuses[0].resting.oid))
    expect(refused.response).toContain('Guard veto [stop_loosened]: the stops that are left lose')
    await world.outside(orders(order(1, false, '4000', '0.4')), stranger)
    await becomes(world, () => world.guard.status().positions[0]?.size, '1.75')
    await world.ask(cancelOf(entry.response.data.statuses[0].resting.oid))
    await settled(world)
    expect((await booksOf(world)).risk).toBeLessThanOrEqual(600)
  })

  test('such an entry is cut, or refused, when it is judged, and not when it is about to leave', async () => {
    await tightened()
    const cut = await buy('1.35', '3900', 5, { ...gtc, p: '4000' })
    expect(cut).toMatchObject({ code: 'resized' })
    await spendTheRest()
    const refused = await buy('1.35', '3900', 6, { ...gtc, p: '3990' })
    expect(refused.response).toContain('Guard veto [open_risk]: open risk is ')
  })
})
