import { afterEach, expect, test } from 'vitest'
import { AgentWorld, call } from './world.fixture.ts'

let world: AgentWorld
afterEach(async () => {
  await world.close()
})

const entries = (actions: readonly any[]): any[] =>
  actions.filter(({ type }) => type === 'order' || type === 'modify')

const buy = { coin: 'ETH', side: 'buy', size: '0.1', idempotency_key: 'one' }

test('three at once, three later, over restarts of both: it trades once', async () => {
  world = await AgentWorld.open()
  const agent = await world.agent()
  const atOnce = await Promise.all([1, 2, 3].map(() => call(agent, 'place_order', buy)))
  expect(atOnce.map(({ data }) => data.repeated).sort()).toEqual([false, true, true])
  const [first] = atOnce.map(({ data }) => ({ ...data, repeated: true }))
  const same = async (client: typeof agent) => {
    const { data, text } = await call(client, 'place_order', buy)
    expect(data).toEqual(first)
    expect(text).toMatch(/^Sent before, and not again\. Filled: buy 0\.1 ETH/)
  }
  await same(agent)
  // The same number written otherwise is the same argument.
  const padded = await call(agent, 'place_order', { ...buy, size: '0.100' })
  expect(padded.data).toEqual(first)
  // A new server knows only what Guard has on record.
  const second = await world.agent()
  for (let n = 0; n < 3; n += 1) await same(second)
  await world.restartGuard()
  await same(second)
  const third = await world.agent()
  await Promise.all([1, 2, 3].map(() => same(third)))
  expect(entries(await world.venueActions())).toHaveLength(1)
  const { data } = await call(third, 'guard_status')
  expect(data.positions).toMatchObject([{ coin: 'ETH', size: '0.1' }])
})

test('two servers at once: it trades once', async () => {
  world = await AgentWorld.open()
  const agents = await Promise.all([world.agent(), world.agent(), world.agent()])
  const answers = await Promise.all(agents.map((agent) => call(agent, 'place_order', buy)))
  expect(entries(await world.venueActions())).toHaveLength(1)
  for (const { data } of answers) expect(['done', 'unknown']).toContain(data.outcome)
  // Whoever did not learn it is told by the next call.
  for (const agent of agents) {
    expect((await call(agent, 'place_order', buy)).data).toMatchObject({
      outcome: 'done',
      repeated: true,
    })
  }
  expect(entries(await world.venueActions())).toEqual([])
})

test.each([
  ['another size', { size: '0.2' }],
  ['another side', { side: 'sell' }],
  ['a price', { price: '2400' }],
  ['another coin', { coin: 'BTC', size: '0.1' }],
])('%s with the same key is an error that names the first order', async (_what, other) => {
  world = await AgentWorld.open()
  const agent = await world.agent()
  await call(agent, 'place_order', buy)
  await world.venueActions()
  const inMemory = await call(agent, 'place_order', { ...buy, ...other })
  expect(inMemory).toMatchObject({ isError: true, text: expect.stringContaining('"size":"0.1"') })
  const onRecord = await call(await world.agent(), 'place_order', { ...buy, ...other })
  expect(onRecord.isError).toBe(true)
  expect(onRecord.text).toMatch(
    /used before with other arguments: buy 0\.1 ETH at 2498\.7, nonce \d+\. Nothing was sent/,
  )
  expect(await world.venueActions()).toEqual([])
})

test('a veto, a close and a change are given again, too', async () => {
  world = await AgentWorld.open()
  const agent = await world.agent()
  await call(agent, 'place_order', { ...buy, idempotency_key: 'position' })
  const resting = await call(agent, 'place_order', {
    coin: 'BTC',
    side: 'buy',
    size: '0.01',
    price: '80000',
  })
  const calls: [string, Record<string, unknown>][] = [
    ['place_order', { coin: 'ETH', side: 'buy', size: '0.001', idempotency_key: 'veto' }],
    ['modify_order', { oid: resting.data.order.oid, price: '80100', idempotency_key: 'change' }],
    ['close_position', { coin: 'ETH', idempotency_key: 'close' }],
  ]
  await world.venueActions()
  for (const [name, given] of calls) {
    const { data: first } = await call(agent, name, given)
    const sent = entries(await world.venueActions()).length
    expect(sent).toBe(first.outcome === 'refused' ? 0 : 1)
    await world.restartGuard()
    const again = await Promise.all(
      [agent, await world.agent(), agent].map((each) => call(each, name, given)),
    )
    for (const { data } of again) {
      expect(data.repeated, name).toBe(true)
      expect({ ...data.order, outcome: data.outcome }, name).toEqual({
        ...first.order,
        outcome: first.outcome,
      })
    }
    expect(entries(await world.venueActions()), name).toEqual([])
  }
})

test("another client's order with the same id is not taken for one's own", async () => {
  world = await AgentWorld.open()
  const agent = await world.agent()
  const other = await world.agent({ key: world.otherKey })
  await call(agent, 'place_order', buy)
  // The same words of two clients are two orders.
  expect((await call(other, 'place_order', buy)).data.repeated).toBe(false)
  expect(entries(await world.venueActions())).toHaveLength(2)
})
