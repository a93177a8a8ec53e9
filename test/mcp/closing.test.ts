import { afterEach, expect, test } from 'vitest'
import { AgentWorld, call } from './world.fixture.ts'

let world: AgentWorld
afterEach(async () => {
  await world.close()
})

test('the side that closes a position has its size as the limit', async () => {
  world = await AgentWorld.open()
  const agent = await world.agent()
  await call(agent, 'place_order', { coin: 'ETH', side: 'buy', size: '0.1' })
  const { data } = await call(agent, 'guard_limits', { coin: 'ETH', side: 'sell' })
  expect(data).toMatchObject({ largest_size: '0.1', binds: 'position' })
  const more = await call(agent, 'guard_limits', { coin: 'ETH', side: 'buy' })
  expect(Number(more.data.largest_size)).toBeGreaterThan(0.1)
  expect(more.data.binds).not.toBe('position')
})

test('cancel_all says what stays as the venue has it: children go with their entries', async () => {
  world = await AgentWorld.open()
  const agent = await world.agent()
  await call(agent, 'place_order', { coin: 'ETH', side: 'buy', size: '0.1' })
  const resting = { coin: 'BTC', side: 'buy', size: '0.01', price: '80000', stop: '79000' }
  await call(agent, 'place_order', resting)
  const { data: before } = await call(agent, 'open_orders')
  const { data } = await call(agent, 'cancel_all')
  const { data: after } = await call(agent, 'open_orders')
  const oids = (orders: readonly { oid: number }[]) => orders.map(({ oid }) => oid).sort()
  expect(data.kept.sort()).toEqual(oids(after.orders))
  expect([...data.cancelled, ...data.kept].sort()).toEqual(oids(before.orders))
  expect(data.kept.length).toBeGreaterThan(0)
})
