import { afterEach, expect, test } from 'vitest'
import { Pen } from '../../lab/redteam/signing.ts'
import { ask } from '../../lab/redteam/talk.ts'
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

test('an agent with tighter rules of its own is told those, and a market order keeps to them', async () => {
  const clientRules = ['risk_per_trade = "0.01"', 'max_distance_from_mid = "0.001"']
  world = await AgentWorld.open({ clientRules })
  const rules = async (given: object) => {
    const { data } = await call(await world.agent(given), 'guard_rules')
    return data.rules.slice(0, 1)
  }
  expect(await rules({})).toMatchObject([{ rule: 'risk_per_trade', value: '0.01', usd: '100' }])
  expect(await rules({ key: world.otherKey })).toMatchObject([{ value: '0.02', usd: '200' }])
  expect(await rules({ key: null })).toMatchObject([{ value: '0.02' }])
  const wish = { coin: 'ETH', side: 'buy', size: '0.1', stop: '2440' }
  const { data } = await call(await world.agent(), 'place_order', wish)
  expect(data).toMatchObject({ outcome: 'done', verdict: 'allow', changes: [] })
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

test("a stop of Guard's own is tightened by one of the agent's over the whole position", async () => {
  world = await AgentWorld.open()
  const agent = await world.agent()
  await call(agent, 'place_order', { coin: 'ETH', side: 'buy', size: '0.1' })
  const stops = async () => {
    const { data } = await call(agent, 'open_orders', { coin: 'ETH' })
    return data.orders as readonly { oid: number; trigger: string }[]
  }
  const [own] = await stops()
  if (own === undefined) throw new Error('Guard has put its stop')
  const before = Number(own.trigger)
  const looser = { oid: own.oid, trigger: String(Math.floor(before - 10)) }
  const refused = await call(agent, 'modify_order', looser)
  expect(refused).toMatchObject({
    isError: true,
    text: expect.stringMatching(/Guard's own stop at .*tighter.*Give trigger, above/s),
  })
  const tighter = { oid: own.oid, trigger: String(Math.ceil(before + 5)) }
  const { data } = await call(agent, 'modify_order', tighter)
  expect(data).toMatchObject({ outcome: 'done', order: { state: 'resting' } })
  let left = await stops()
  while (left.length !== 1) left = await stops()
  expect(Number(left[0]?.trigger)).toBe(Math.ceil(before + 5))
})

test.each([
  ['buy', '1'],
  ['sell', '1000000'],
] as const)(
  'a take profit of a %s on the side of a loss is refused by name',
  async (side, price) => {
    world = await AgentWorld.open()
    const agent = await world.agent()
    const wish = { coin: 'ETH', side, size: '0.1', take_profit: price }
    const { isError, text } = await call(agent, 'place_order', wish)
    expect(isError).toBe(true)
    expect(text).toMatch(side === 'buy' ? /above its price/ : /below its price/)
  },
)

test('a close says that a TWAP of another client goes on opening', async () => {
  world = await AgentWorld.open({ rules: ['twap = "watched"'] })
  const agent = await world.agent()
  const twap = { a: 1, b: true, s: '0.6', r: false, m: 30, t: false }
  const signed = new Pen(world.crypto, world.otherKey).sign({ type: 'twapOrder', twap })
  const body = JSON.stringify(signed)
  const headers = { 'content-type': 'application/json' }
  const { json } = await ask(world.url, '/exchange', { body, headers })
  expect(json).toMatchObject({ status: 'ok' })
  const held = async () => (await call(agent, 'guard_status')).data.positions.length
  while ((await held()) === 0);
  const { data, text } = await call(agent, 'close_position', { coin: 'ETH' })
  expect(data).toMatchObject({ outcome: 'done', next: expect.stringMatching(/A TWAP .* runs/) })
  expect(text).toMatch(/whoever placed it has to cancel it/)
})
