import { afterEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/protocol/action.ts'
import {
  booksOf,
  cloid,
  gated,
  group,
  pending,
  settled,
  shown,
  stopLoss,
} from './oneLife.fixture.ts'
import type { Gate } from './oneLife.fixture.ts'
import { gtc, order, orders } from './world.fixture.ts'
import type { World } from './world.fixture.ts'

let world: World
let gate: Gate
afterEach(async () => {
  gate.open()
  await world.close()
})

const id = cloid(0xaa)
/** A venue that takes an id twice, which some of its clients rely on. */
const simulator = { options: { duplicateCloid: 'allow' } } as const
const hasId = (action: any): boolean =>
  action.type === 'order' && action.orders.some(({ c }: any) => c === id)

describe('a client order id that an entry on its way has is refused to another one', () => {
  const large = order(1, true, '4010', '2', { c: id })
  const taken = order(1, true, '4010', '0.01', { c: id })
  const resting = order(1, true, '3990', '0.01', { ...gtc, c: id })

  /** Both are asked for before the venue sees either, and only the small one is let go. */
  async function both(first: JsonObject, second: JsonObject): Promise<() => Promise<any>> {
    ;({ world, gate } = await gated({ simulator }))
    gate.keep('request', hasId)
    const one = pending(world.ask(first))
    await world.until(() => gate.waiting.length === 1, 'the first to be on its way')
    const two = pending(world.ask(second))
    await world.until(() => two.isDone() || gate.waiting.length === 2, 'the second to be judged')
    gate.letGo((action) => action.orders[0].s === '0.01')
    await world.until(() => one.isDone() || two.isDone(), 'the small one to be answered')
    await shown(world)
    return async () => {
      gate.open()
      await one.reply
      const reply = await two.reply
      await settled(world)
      return reply
    }
  }

  test.each([
    ['a large one, then a small one that fills', large, taken],
    ['a large one, then a small one that rests', large, resting],
    ['a small one that fills, then a large one', taken, large],
    ['a small one that rests, then a large one', resting, large],
  ])('%s: the open risk stays within its budget', async (_, first, second) => {
    const finish = await both(orders(first), orders(second))
    for (let n = 0; n < 3; n += 1) {
      await world.ask(orders(order(0, true, '100400', '0.2')))
      await world.ask(orders(order(2, true, '200.8', '100')))
    }
    const reply = await finish()
    expect((await booksOf(world)).risk).toBeLessThanOrEqual(600)
    expect(reply).toMatchObject({ verdict: 'veto', code: 'invalid' })
    expect(reply.response).toContain(id)
  })

  test('the value of a coin stays within its cap', async () => {
    const near = (entry: JsonObject): JsonObject =>
      group(entry, stopLoss(1, false, '3985', '3580', String(entry['s'])))
    const finish = await both(near(taken), near({ ...large, s: '4' }))
    await world.ask(near(order(1, true, '4010', '4')))
    await finish()
    expect((await booksOf(world)).value).toBeLessThanOrEqual(20_000)
  })
})

test('of two entries of one action that have the same id the second is refused in its place', async () => {
  ;({ world, gate } = await gated({ simulator }))
  const reply = await world.ask(
    orders(
      order(1, true, '3990', '0.1', { ...gtc, c: id }),
      order(2, true, '199', '1', { ...gtc, c: id }),
      order(2, true, '198', '1', { ...gtc, c: cloid(0xbb) }),
    ),
  )
  const { statuses } = reply.response.data
  expect(statuses[1]).toEqual({ error: expect.stringContaining('Guard veto [invalid]') })
  expect(statuses[1].error).toContain(id)
  expect([statuses[0], statuses[2]]).toEqual([
    { resting: { oid: expect.any(Number), cloid: id } },
    { resting: { oid: expect.any(Number), cloid: cloid(0xbb) } },
  ])
})

test('an id is refused while its order is open, by the number of that order, and free once it has ended', async () => {
  ;({ world, gate } = await gated({ simulator }))
  const entry = orders(order(1, true, '3990', '0.1', { ...gtc, c: id }))
  const first = await world.ask(entry)
  const { oid } = first.response.data.statuses[0].resting
  await settled(world)
  const refused = await world.ask(orders(order(2, true, '199', '1', { ...gtc, c: id })))
  expect(refused).toMatchObject({ verdict: 'veto', code: 'invalid' })
  expect(refused.response).toContain(String(oid))

  // The order itself may keep its id when it is changed.
  const changed = { type: 'modify', oid, order: order(1, true, '3980', '0.1', { ...gtc, c: id }) }
  expect(await world.ask(changed)).toMatchObject({ status: 'ok' })
  await settled(world)
  const cancel = { type: 'cancelByCloid', cancels: [{ asset: 1, cloid: id }] }
  expect((await world.ask(cancel)).response.data.statuses).toEqual(['success'])
  await world.until(() => world.guard.status().open_orders === 0, 'its end')
  expect((await world.ask(entry)).response.data.statuses).toEqual([
    { resting: { oid: expect.any(Number), cloid: id } },
  ])
})
