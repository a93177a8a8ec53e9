import { afterEach, expect, test } from 'vitest'
import { ask } from '../../lab/redteam/talk.ts'
import { AgentWorld, call } from './world.fixture.ts'

/** What an agent is told when Guard is away, the venue is silent or nobody knows what became of an order. */

let world: AgentWorld
afterEach(async () => {
  await world.close()
})

test('Guard that does not run, and then runs again', async () => {
  world = await AgentWorld.open()
  const agent = await world.agent()
  await call(agent, 'guard_status')
  await world.stopGuard()
  for (const [name, given] of [
    ['guard_status', {}],
    ['place_order', { coin: 'ETH', side: 'buy', size: '0.1', idempotency_key: 'k' }],
    ['guard_kill', { reason: 'x', confirm: true }],
  ] as const) {
    const { isError, text } = await call(agent, name, given)
    expect(isError, name).toBe(true)
    expect(text, name).toMatch(/No Guard answers at http:\/\/127\.0\.0\.1:\d+.*`guard run`/)
  }
  await world.startGuard()
  const { data } = await call(agent, 'place_order', {
    ...{ coin: 'ETH', side: 'buy', size: '0.1', idempotency_key: 'k' },
  })
  expect(data).toMatchObject({ outcome: 'done', repeated: false })
})

const fault = (body: object) =>
  ask(world.simulator.url, '/sim/fault', {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })

test('an order whose answer is lost is unknown, and is found out with the same key', async () => {
  world = await AgentWorld.open()
  const agent = await world.agent()
  await call(agent, 'guard_status')
  const { status } = await fault({
    where: 'exchange',
    kind: 'drop_reply',
    count: 1,
    match: { type: 'order' },
  })
  expect(status).toBe(200)
  const buy = { coin: 'ETH', side: 'buy', size: '0.1', idempotency_key: 'lost' }
  const first = await call(agent, 'place_order', buy)
  expect(first).toMatchObject({
    isError: false,
    data: { outcome: 'unknown', order: { state: 'not_known' } },
  })
  expect(first.text).toMatch(/not known whether this was placed/)
  expect(first.data.next).toMatch(/same idempotency_key, or guard_explain/)
  const explained = await call(agent, 'guard_explain', { idempotency_key: 'lost' })
  expect(explained.data.accepted).toContain(null)
  expect(explained.data.accepted).not.toContain(false)
  expect(explained.data.remedy).toMatch(/open_orders and fills/)
  expect(explained.text).toMatch(/of 1 it is not known yet\. It may have been placed/)
  // Guard away is no word on what was sent before.
  await world.stopGuard()
  for (const [name, given] of [
    ['place_order', buy],
    ['guard_explain', { idempotency_key: 'lost' }],
  ] as const) {
    const { isError, text } = await call(agent, name, given)
    expect({ name, isError, text }).toMatchObject({
      isError: true,
      text: expect.stringMatching(/may have been sent before, and its outcome is still unknown/),
    })
  }
  await world.startGuard()
  // The venue knows it, and it is asked.
  for (const each of [agent, await world.agent()]) {
    const again = await call(each, 'place_order', buy)
    expect(again.data).toMatchObject({
      repeated: true,
      outcome: 'done',
      order: { state: 'filled' },
    })
  }
  expect((await world.venueActions()).filter(({ type }) => type === 'order')).toHaveLength(1)
})

test('a venue that answers no reads: a status is told, and a close still goes', async () => {
  world = await AgentWorld.open()
  const agent = await world.agent()
  await call(agent, 'place_order', { coin: 'ETH', side: 'buy', size: '0.1' })
  await fault({ where: 'info', kind: 'http_500', count: 0 })
  expect((await call(agent, 'guard_status')).data.positions).toHaveLength(1)
  const { isError, text } = await call(agent, 'book', { coin: 'BTC' })
  expect({ isError, text }).toMatchObject({
    isError: true,
    text: expect.stringMatching(/venue|Guard/),
  })
  const { data } = await call(agent, 'close_position', { coin: 'ETH' })
  expect(data).toMatchObject({ outcome: 'done', order: { state: 'filled' } })
})

test('the share of market reads is a tenth, equal reads are one, and orders do not depend on it', async () => {
  world = await AgentWorld.open({ weight: 1_200 })
  const agent = await world.agent()
  await call(agent, 'guard_status')
  const reads = []
  for (let n = 0; n < 12; n += 1) reads.push(await call(agent, 'fills'))
  const refused = reads.filter(({ isError }) => isError)
  expect(refused.length).toBeGreaterThan(5)
  expect(refused[0].text).toMatch(/share of market reads.*Wait \d+ s/)
  const { data } = await call(agent, 'place_order', {
    coin: 'ETH',
    side: 'buy',
    size: '0.1',
    price: '2400',
  })
  expect(data.outcome).toBe('done')
  const changed = await call(agent, 'modify_order', { oid: data.order.oid, price: '2401' })
  expect(changed.data.outcome).toBe('done')
  const cancelled = await call(agent, 'cancel_order', { oid: changed.data.order.oid })
  expect(cancelled.data.cancelled).toEqual([changed.data.order.oid])
  expect((await call(agent, 'cancel_all')).isError).toBe(false)
})
