import { afterEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/protocol/action.ts'
import { gtc, order, orders, reduceOnly, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

test('an exit passes while more than Guard’s own request weight is left, though nothing else does', async () => {
  const weightLimit = 2_000
  world = await World.start({ weightLimit, simulator: { options: { accountMs: 200 } } })
  await world.ask(orders(order(1, true, '4010', '0.5')))
  await world.until(() => world.guard.status().positions[0]?.covered === true, 'covered')
  world.budget.tryTake('safety', weightLimit * 0.95 - 2 - world.budget.used())
  const refused = await world.ask(orders(order(1, true, '4010', '0.1')))
  expect(refused.code).toBe('rate_limited')
  const reply = await world.ask(orders(order(1, false, '3900', '0.4', reduceOnly)))
  expect(reply).toMatchObject({ status: 'ok', verdict: 'allow' })
  await world.until(async () => (await world.positions())['ETH'] !== '0.5', 'the exit')
})

test('the cancel of a take profit finds the same room as that of an entry: up to 90%, before exits', async () => {
  const weightLimit = 2_000
  world = await World.start({ weightLimit, simulator: { options: { accountMs: 200 } } })
  await world.ask(orders(order(1, true, '4010', '0.5')))
  await world.until(() => world.guard.status().positions[0]?.covered === true, 'covered')
  const takesProfit = { trigger: { isMarket: true, triggerPx: '4200', tpsl: 'tp' } }
  const oids = { entry: [] as number[], profit: [] as number[] }
  for (const price of ['3950', '3940']) {
    const entry = await world.ask(orders(order(1, true, price, '0.1', gtc)))
    oids.entry.push(entry.response.data.statuses[0].resting.oid)
    const profit = order(1, false, '4100', '0.1', { ...reduceOnly, t: takesProfit })
    const placed = await world.ask(orders(profit))
    oids.profit.push(placed.response.data.statuses[0].resting.oid)
  }
  const cancel = async (oid: number | undefined): Promise<string> =>
    (await world.ask({ type: 'cancel', cancels: [{ a: 1, o: oid ?? 0 }] })).code
  world.budget.tryTake('safety', weightLimit * 0.9 - 2 - world.budget.used())
  expect([await cancel(oids.entry[0]), await cancel(oids.profit[0])]).toEqual([
    'allowed',
    'allowed',
  ])
  const used = world.budget.used()
  if (used < weightLimit * 0.9) world.budget.tryTake('safety', weightLimit * 0.9 - used)
  expect([await cancel(oids.entry[1]), await cancel(oids.profit[1])]).toEqual([
    'rate_limited',
    'rate_limited',
  ])
  const exit = orders(order(1, false, '3900', '0.1', reduceOnly))
  expect(await world.ask(exit)).toMatchObject({ status: 'ok', verdict: 'allow' })
})

/** Sends an exit that cannot fill, over and over and five at once, until Guard holds one back. */
async function flood(asset: number, price: string): Promise<any> {
  const useless = orders(order(asset, false, price, '0.1', reduceOnly))
  for (let round = 0; round < 400; round += 1) {
    const replies = await Promise.all([0, 1, 2, 3, 4].map(() => world.ask(useless)))
    const held = replies.find(({ code }) => code === 'rate_limited')
    if (held !== undefined) return held
  }
  throw new Error('no exit was held back')
}

const alertCodes = (): string[] => world.guard.status().alerts.map(({ code }) => code)
const isCovered = (coin: string): boolean =>
  world.guard.status().positions.some((each) => each.coin === coin && each.covered)
const flat = async (): Promise<boolean> => Object.keys(await world.positions()).length === 0
/** What the venue did not take at all: for its weight, or for the actions of the account. */
const refusedByVenue = (): any[] =>
  world.events('sent').filter(({ reply }) => reply.status !== 'ok')
const isolated = { type: 'isolated', value: 5 }

describe('beside a bot that floods exits which cannot fill, and a venue that counts', () => {
  const weightLimit = 500
  const begin = async (account: JsonObject): Promise<void> => {
    world = await World.start({ account, weightLimit, simulator: { weightLimit } })
  }

  test('Guard’s stop for a position opened by hand and a kill find weight', async () => {
    await begin({ positions: [{ coin: 'ETH', szi: '1', leverage: isolated }] })
    await world.until(() => isCovered('ETH'), 'covered')
    const held = await flood(1, '4500')
    expect(held.response).toMatch(/it costs 1 of the venue's request weight, 475 of 500 a minute/)
    expect(alertCodes()).toContain('exits_held')
    await world.event('error', ({ text }) => /^an exit of a bot was held back/.test(text))
    await world.outside(orders(order(2, true, '210', '1')))
    await world.until(() => isCovered('SOL'), 'Guard’s stop')
    expect((await world.ask(orders(order(1, false, '4500', '0.1', reduceOnly)))).code).toBe(
      'rate_limited',
    )
    await world.kill('enough')
    await world.until(flat, 'flat')
    expect(refusedByVenue()).toEqual([])
  })

  test('with nothing to reduce it spends no more than entries may, and a real exit goes', async () => {
    await begin({ positions: [{ coin: 'ETH', szi: '1', leverage: isolated }] })
    await world.until(() => isCovered('ETH'), 'covered')
    const held = await flood(2, '300')
    expect(held.response).toMatch(/425 of 500 a minute are used/)
    // Nor has a buy anything to reduce where a sell would.
    const wrongSide = orders(order(1, true, '4500', '0.1', reduceOnly))
    expect((await world.ask(wrongSide)).code).toBe('rate_limited')
    expect(await world.ask(orders(order(1, false, '3900', '0.4', reduceOnly)))).toMatchObject({
      response: { data: { statuses: [{ filled: { totalSz: '0.4' } }] } },
    })
    await world.kill('enough')
    await world.until(flat, 'flat')
    expect(refusedByVenue()).toEqual([])
  })
})

test('the last actions of the account are left for a kill by a flood of exits', async () => {
  world = await World.start({
    account: {
      positions: [
        { coin: 'ETH', szi: '1', leverage: isolated },
        { coin: 'SOL', szi: '5', leverage: isolated },
      ],
      allowance: { cap: 10_000, used: 9_990 },
    },
  })
  await world.until(() => isCovered('ETH') && isCovered('SOL'), 'covered')
  await world.until(() => alertCodes().includes('actions'), 'the allowance')
  const held = await flood(1, '4500')
  expect(held.response).toMatch(/the last 18 are kept for Guard's own stops and closes/)
  await world.kill('enough')
  await world.until(flat, 'flat')
  expect(refusedByVenue()).toEqual([])
})
