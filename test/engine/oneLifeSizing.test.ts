import { afterEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/protocol/action.ts'
import { Decimal } from '../../src/core/values/decimal.ts'
import { booksOf, gated, group, pending, settled, stopLoss } from './oneLife.fixture.ts'
import type { Gate, Pending } from './oneLife.fixture.ts'
import { gtc, order, orders } from './world.fixture.ts'
import type { World } from './world.fixture.ts'

let world: World
let gate: Gate
afterEach(async () => {
  gate.open()
  await world.close()
})

/** USD that the status shows at risk. */
const openRisk = (): number => Number(world.guard.status().risk.open_risk)

describe('a ladder counts as what it was sized with', () => {
  // 2.5% below the mids of 4000, 100000 and 200; the stops that Guard attaches are 2% below that.
  const rungs = [
    [1, '3900', '10'],
    [0, '97500', '1'],
    [2, '195', '200'],
    [1, '3900', '10'],
    [0, '97500', '1'],
  ] as const
  const ladder = rungs.map(([asset, price, size]) => order(asset, true, price, size, gtc))
  /**
   * 200 USD each at 78 + 4.29, 1950 + 107.25 and 3.9 + 0.2145 a unit risk 189.5712, 189.5595 and
   * 189.54 without the costs; of the 31.3293 that are left 0.3807 take 29.6946, and of the 1.6347
   * then left 0.00079 take 1.5405.
   */
  const sizes = ['2.4304', '0.09721', '48.6', '0.3807', '0.00079']
  const risk = 599.9058

  /** Nothing of it has reached the venue when it is looked at first. */
  async function expectRisk(asked: readonly Pending[]): Promise<void> {
    expect(openRisk()).toBe(risk)
    gate.open()
    await Promise.all(asked.map(({ reply }) => reply))
    await settled(world)
    expect(openRisk()).toBe(risk)
    expect((await booksOf(world)).risk).toBe(599.91)
  }

  /** Asks, and waits until it is on its way or refused. */
  async function judged(action: JsonObject): Promise<Pending> {
    const before = gate.waiting.length
    const asked = pending(world.ask(action))
    await world.until(() => gate.waiting.length > before || asked.isDone(), 'it to be judged')
    return asked
  }

  test('in one action', async () => {
    ;({ world, gate } = await gated())
    gate.keep('request', ({ type }) => type === 'order')
    const asked = await judged(orders(...ladder))
    await expectRisk([asked])
    const { entries } = await asked.reply
    expect(entries.map(({ size }: any) => size)).toEqual(sizes)
  })

  test('in one action after the other', async () => {
    ;({ world, gate } = await gated())
    gate.keep('request', ({ type }) => type === 'order')
    const asked: Pending[] = []
    for (const rung of ladder) asked.push(await judged(orders(rung)))
    await expectRisk(asked)
    const replies = await Promise.all(asked.map(({ reply }) => reply))
    expect(replies.map(({ size }) => size)).toEqual(sizes)
  })

  test('of sells', async () => {
    ;({ world, gate } = await gated())
    gate.keep('request', ({ type }) => type === 'order')
    const above = [order(1, false, '4100', '10', gtc), order(0, false, '102500', '1', gtc)]
    const asked = await judged(orders(...above, order(2, false, '205', '200', gtc), ...above))
    const onTheWay = openRisk()
    expect(onTheWay).toBeLessThanOrEqual(600)
    gate.open()
    await asked.reply
    await settled(world)
    expect(openRisk()).toBe(onTheWay)
  })
})

describe('the value of an entry counts at the higher of its limit and the mid', () => {
  const near = (size: string): JsonObject => stopLoss(1, false, '3890', '3400', size)

  test.each<[string, JsonObject, string]>([
    ['a buy below the mid', order(1, true, '3900', '1', gtc), '0.25'],
    ['a sell below the mid', order(1, false, '3990', '1'), '0.25'],
  ])('for max_order_value: %s', async (_, entry, size) => {
    ;({ world, gate } = await gated({ rules: { maxOrderValue: Decimal.of('1000') } }))
    const reply = await world.ask(orders(entry))
    expect(reply).toMatchObject({ status: 'ok', requested_size: '1', size })
  })

  test('for max_leverage', async () => {
    const two = Decimal.of('2')
    ;({ world, gate } = await gated({ rules: { maxLeverage: two, maxPosition: two } }))
    // Nearly half of twice the equity is held in BTC.
    const held = order(0, true, '100400', '0.1')
    await world.ask(group(held, stopLoss(0, false, '99900', '89000', '0.1')))
    await settled(world)
    const reply = await world.ask(group(order(1, true, '3900', '5', gtc), near('5')))
    await settled(world)
    const { value } = await booksOf(world)
    const most = 2 * Number(world.guard.status().risk.equity)
    expect(value).toBeLessThanOrEqual(most)
    // A lot of ETH is worth 40 cents.
    expect(value).toBeGreaterThan(most - 0.4)
    expect(reply).toMatchObject({ status: 'ok', verdict: 'resize' })
  })

  test('for max_position, also while it rests', async () => {
    ;({ world, gate } = await gated())
    const entry = group(order(1, true, '3900', '5', gtc), near('5'))
    expect(await world.ask(entry)).toMatchObject({ status: 'ok', size: '5' })
    await settled(world)
    const more = await world.ask(entry)
    await settled(world)
    expect((await booksOf(world)).value).toBeLessThanOrEqual(20_000)
    expect(more).toMatchObject({ verdict: 'veto', code: 'position_cap' })
  })
})
