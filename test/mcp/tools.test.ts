import type { Client } from '@modelcontextprotocol/client'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AgentWorld, call } from './world.fixture.ts'

/** Every tool on a real Guard and the simulator: by its schema, once done and once refused. */

let world: AgentWorld
let agent: Client
beforeAll(async () => {
  world = await AgentWorld.open()
  agent = await world.agent()
})
afterAll(async () => {
  await world.close()
})

const reading = [
  ...['guard_status', 'guard_limits', 'guard_preview', 'guard_explain', 'guard_events'],
  ...['guard_rules', 'market', 'book', 'candles', 'fills', 'funding', 'open_orders'],
]
const trading = [
  ...['place_order', 'modify_order', 'cancel_order', 'cancel_all', 'close_position'],
  'set_leverage',
]

/** Those that are the same when repeated only with an idempotency_key, which each of them takes. */
const onceByKey = ['place_order', 'modify_order', 'close_position']

test('a key adds the kill switch, and --trade the rest', async () => {
  const names = async (given: object) =>
    (await (await world.agent(given)).listTools()).tools.map(({ name }) => name)
  expect(await names({ key: null, trade: false })).toEqual(reading)
  expect(await names({ key: null, trade: true })).toEqual(reading)
  expect(await names({ trade: false })).toEqual([...reading, 'guard_kill'])
  expect(await names({})).toEqual([...reading, 'guard_kill', ...trading])
})

test('annotations, units and schemas are told', async () => {
  const { tools } = await agent.listTools()
  for (const { name, annotations, inputSchema, outputSchema, description } of tools) {
    const isReading = reading.includes(name)
    // By the protocol what is not destructive only adds: a cancel, a change or an order against a
    // position takes something away.
    expect(annotations, name).toMatchObject({
      readOnlyHint: isReading,
      destructiveHint: !isReading,
      idempotentHint: ![...onceByKey].includes(name),
    })
    expect(description?.length, name).toBeGreaterThan(40)
    expect(inputSchema, name).toMatchObject({ type: 'object', additionalProperties: false })
    expect(outputSchema, name).toMatchObject({ type: 'object', additionalProperties: false })
    // No tool takes an asset id, and no order takes a binary float.
    expect(JSON.stringify(inputSchema), name).not.toMatch(/"asset"|"type":"number"/)
  }
})

type Check = (data: any, text: string) => void
type Step = readonly [name: string, given: () => Record<string, unknown>, check: Check]
let oid = 0

/** In this order: each finds what those before it have left. */
const done: readonly Step[] = [
  [
    'guard_status',
    () => ({}),
    (data) =>
      expect(data).toMatchObject({
        state: 'active',
        mode: 'testnet',
        entries_pass: true,
        usd: {
          equity: '10000',
          day_loss_left: '600',
          drawdown_left: '2500',
          open_risk_left: '600',
        },
      }),
  ],
  [
    'guard_limits',
    () => ({ coin: 'ETH', side: 'buy' }),
    (data) =>
      expect(data).toMatchObject({
        largest_size: '3.0888',
        binds: 'risk_per_trade',
        stop: '2436.7',
        usd_left: { day_loss: '600' },
      }),
  ],
  [
    'guard_limits',
    () => ({ coin: 'ETH', side: 'sell', stop: '2500' }),
    (data) =>
      expect(data).toMatchObject({ largest_size: '6.9634', binds: 'risk_per_trade', stop: '2500' }),
  ],
  [
    'guard_preview',
    () => ({ coin: 'ETH', side: 'buy', size: '10' }),
    (data) =>
      expect(data).toMatchObject({
        verdict: 'resize',
        size: '3.0888',
        rules: ['stop_distance', 'risk_per_trade'],
      }),
  ],
  ['market', () => ({}), (data) => expect(data.coins).toEqual(['BTC', 'ETH'])],
  [
    'market',
    () => ({ coin: 'ETH' }),
    (data) => expect(data.market).toMatchObject({ coin: 'ETH', mid: '2486.35', max_leverage: 25 }),
  ],
  [
    'book',
    () => ({ coin: 'ETH', levels: 2 }),
    (data) => expect([data.bids.length, data.asks.length]).toEqual([2, 2]),
  ],
  [
    'candles',
    () => ({ coin: 'ETH', interval: '1m', count: 200 }),
    (data) => expect(data.rows.length).toBeLessThanOrEqual(200),
  ],
  ['funding', () => ({ coin: 'ETH' }), (data) => expect(data.coin).toBe('ETH')],
  [
    'guard_rules',
    () => ({}),
    (data) =>
      expect(data.rules[0]).toMatchObject({ rule: 'risk_per_trade', value: '0.02', usd: '200' }),
  ],
  [
    'place_order',
    () => ({ coin: 'ETH', side: 'buy', size: '10', idempotency_key: 'first' }),
    (data, text) => {
      expect(text).toBe(
        'Filled: buy 3.0888 ETH, 3.0888 at 2486.4 on average, stop at 2436.7. Guard made it 3.0888 of the 10 asked.',
      )
      expect(data).toMatchObject({
        outcome: 'done',
        verdict: 'resize',
        order: { asked_size: '10', size: '3.0888', limit_price: '2498.7', state: 'filled' },
      })
      expect(data.changes).toHaveLength(2)
    },
  ],
  [
    'place_order',
    () => ({
      coin: 'BTC',
      side: 'buy',
      size_usd: '500',
      price: '80000.4',
      stop: '79000',
      take_profit: '90000',
      tif: 'alo',
    }),
    (data) => {
      expect(data).toMatchObject({
        outcome: 'done',
        verdict: 'allow',
        order: { size: '0.00625', limit_price: '80000', stop: '79000', state: 'resting' },
      })
      oid = data.order.oid
    },
  ],
  ['open_orders', () => ({ coin: 'BTC' }), (data) => expect(data.orders).toHaveLength(3)],
  [
    'modify_order',
    () => ({ oid, price: '80100' }),
    (data) => {
      expect(data).toMatchObject({
        outcome: 'done',
        order: { coin: 'BTC', limit_price: '80100', state: 'resting' },
      })
    },
  ],
  [
    'fills',
    () => ({}),
    (data) => expect(data.fills[0]).toMatchObject({ coin: 'ETH', side: 'buy', size: '3.0888' }),
  ],
  [
    'guard_explain',
    () => ({ idempotency_key: 'first' }),
    (data) => {
      expect(data).toMatchObject({
        own: true,
        verdict: 'resize',
        asked: ['buy 10 ETH at 2498.7'],
        accepted: [true, true],
      })
      expect(data.rules.map(({ rule }: any) => rule)).toEqual(['risk_per_trade', 'stop_distance'])
    },
  ],
  [
    'guard_events',
    () => ({ kinds: ['decision'], limit: 1 }),
    (data) => expect(data.events).toMatchObject([{ kind: 'decision', code: 'resized' }]),
  ],
  [
    'set_leverage',
    () => ({ coin: 'BTC', leverage: 2 }),
    (data) => expect(data).toMatchObject({ outcome: 'done', leverage: 2 }),
  ],
  [
    'close_position',
    () => ({ coin: 'ETH', size: '1' }),
    (data) =>
      expect(data).toMatchObject({ outcome: 'done', order: { side: 'sell', filled_size: '1' } }),
  ],
  [
    'cancel_all',
    () => ({}),
    (data) => {
      expect(data.outcome).toBe('done')
      expect(data.cancelled.length).toBeGreaterThan(0)
      // The stops stay.
      expect(data.kept.length).toBeGreaterThan(0)
    },
  ],
  [
    'place_order',
    () => ({ coin: 'BTC', side: 'buy', size: '0.001', price: '80000' }),
    (data) => (oid = data.order.oid),
  ],
  [
    'cancel_order',
    () => ({ oid }),
    (data) => expect(data).toMatchObject({ outcome: 'done', cancelled: [oid] }),
  ],
]

test('each does what it is for, and answers by its schema', async () => {
  const { tools } = await agent.listTools()
  const ajv = new Ajv2020({ strict: false })
  const validators = new Map(
    tools.map(({ name, outputSchema }) => [name, ajv.compile((outputSchema ?? {}) as object)]),
  )
  for (const [name, given, check] of done) {
    const { isError, text, data } = await call(agent, name, given())
    expect({ name, isError, text }).toEqual({ name, isError: false, text: expect.any(String) })
    const validate = validators.get(name)
    expect(validate?.(data), `${name}: ${JSON.stringify(validate?.errors)}`).toBe(true)
    // One plain line, and not the JSON again.
    expect(text).not.toMatch(/[{}\n]/)
    check(data, text)
  }
  const used = new Set(done.map(([name]) => name))
  expect(tools.map(({ name }) => name).filter((name) => !used.has(name))).toEqual(['guard_kill'])
})

describe('a refusal by a rule is an answer, with what to do next', () => {
  test.each<[string, Record<string, unknown>, string, RegExp]>([
    ['place_order', { coin: 'ETH', side: 'buy', size: '0.001' }, 'below_minimum', /Ask for more/],
    [
      'place_order',
      { coin: 'ETH', side: 'buy', size: '1', stop: '2600' },
      'stop_wrong_side',
      /below the price for a buy/,
    ],
    ['set_leverage', { coin: 'BTC', leverage: 20 }, 'leverage', /Ask for a lower leverage/],
  ])('%s %j', async (name, given, code, advice) => {
    const before = await world.venueActions()
    expect(before).toBeDefined()
    const { isError, text, data } = await call(agent, name, given)
    expect(isError).toBe(false)
    expect(data).toMatchObject({ outcome: 'refused', verdict: 'veto', code })
    expect(data.reason.length).toBeGreaterThan(10)
    expect(data.next).toMatch(advice)
    // A host that shows the text alone shows why, and what to do.
    expect(text).toContain(code)
    expect(text.toLowerCase()).toContain(data.reason.toLowerCase())
    expect(text).toContain(data.next)
    expect(await world.venueActions()).toEqual([])
  })

  test('a stop cannot be cancelled', async () => {
    const { data: open } = await call(agent, 'open_orders', { coin: 'ETH' })
    const stop = open.orders.find((each: any) => each.trigger !== null)
    const { data } = await call(agent, 'cancel_order', { oid: stop.oid })
    expect(data).toMatchObject({
      outcome: 'refused',
      verdict: 'veto',
      cancelled: [],
      kept: [stop.oid],
    })
  })
})

test.each<[string, Record<string, unknown>, RegExp]>([
  ['guard_explain', { nonce: 1 }, /no decision of that name.*guard_events/],
  ['guard_explain', {}, /Give either nonce or idempotency_key/],
  ['market', { coin: 'eth' }, /Did you mean ETH\?/],
  ['book', { coin: '1' }, /Names are as the venue writes them/],
  ['guard_limits', { coin: 'ETH', side: 'long' }, /side/],
  ['candles', { coin: 'ETH', interval: '1h', count: 201 }, /count/],
  ['guard_events', { limit: 201 }, /limit/],
  ['guard_kill', { reason: 'x' }, /confirm/],
  ['guard_kill', { reason: 'x', confirm: false }, /confirm/],
  ['place_order', { coin: 'ETH', side: 'buy' }, /either size .* or size_usd/],
  ['place_order', { coin: 'ETH', side: 'buy', size: '1', size_usd: '1' }, /either size/],
  ['place_order', { coin: 'ETH', side: 'buy', size: '0' }, /above zero/],
  ['place_order', { coin: 'ETH', side: 'buy', size: 1 }, /expected string/],
  ['place_order', { coin: 'ETH', side: 'buy', size: '1', asset: 1 }, /allowed are: coin, side/],
  ['place_order', { coin: 'ETH', side: 'buy', size: '0.00001' }, /below the smallest one.*0\.0001/],
  ['place_order', { coin: 'ETH', side: 'buy', size: '1', tif: 'alo' }, /market order.*Give price/],
  [
    'guard_preview',
    { coin: 'ETH', side: 'buy', size: '1', tif: 'gtc' },
    /market order.*Give price/,
  ],
  ['modify_order', { oid: 1, price: '1' }, /No open order .*open_orders/],
  ['cancel_order', { oid: 1 }, /No open order/],
  ['close_position', { coin: 'BTC' }, /no position in this coin.*guard_status/],
  ['set_leverage', { coin: 'ETH', leverage: 0 }, /leverage/],
])('%s %j is an error that says what to do', async (name, given, expected) => {
  await world.venueActions()
  const { isError, text } = await call(agent, name, given)
  expect(text).toMatch(expected)
  expect(isError).toBe(true)
  expect(await world.venueActions()).toEqual([])
})

test('prompts and resources', async () => {
  expect((await agent.listPrompts()).prompts.map(({ name }) => name)).toEqual([
    'daily_review',
    'explain_refusal',
  ])
  const asked = await agent.getPrompt({ name: 'explain_refusal', arguments: { nonce: '7' } })
  expect(JSON.stringify(asked.messages)).toContain('guard_explain with nonce 7')
  expect((await agent.listResources()).resources.map(({ uri }) => uri)).toEqual([
    ...['guard://status', 'guard://rules', 'guard://events/latest'],
  ])
  for (const [uri, field] of [
    ['guard://status', 'state'],
    ['guard://rules', 'code'],
    ['guard://events/latest', 'last_seq'],
  ] as const) {
    const [content]: any[] = (await agent.readResource({ uri })).contents
    expect(JSON.parse(content.text), uri).toHaveProperty(field)
  }
})

test.each([
  { coin: 'ETH', side: 'buy', size: '123456789012345.123456789012', stop: '0.000000000001' },
  {
    coin: 'ETH',
    side: 'sell',
    size_usd: '999999999999999',
    price: '999999999999999',
    stop: '2600',
    take_profit: '1',
  },
  { coin: 'BTC', side: 'buy', size: '10', price: '123456.789', tif: 'alo' },
])('a preview has at most 600 characters: %j', async (given) => {
  const { isError, text, data } = await call(agent, 'guard_preview', given)
  expect({ isError, text }).toMatchObject({ isError: false })
  expect(text.length + JSON.stringify(data).length).toBeLessThanOrEqual(600)
})

test('last of all, the kill switch: nothing opens, and a close still goes', async () => {
  const { isError, data } = await call(agent, 'guard_kill', {
    reason: 'the end of the test',
    confirm: true,
  })
  expect(isError).toBe(false)
  expect(data).toMatchObject({ latched: true, already: false, durable: true })
  expect((await call(agent, 'guard_kill', { reason: 'again', confirm: true })).data.already).toBe(
    true,
  )
  const { data: opened } = await call(agent, 'place_order', {
    coin: 'BTC',
    side: 'buy',
    size: '0.01',
  })
  expect(opened).toMatchObject({ outcome: 'refused', code: 'kill_switch' })
  expect(opened.next).toMatch(/a person has reviewed it/)
  const { data: status, text } = await call(agent, 'guard_status')
  expect(status).toMatchObject({ state: 'killed', entries_pass: false })
  // What the kill says was written by somebody: it is no part of the line.
  expect(status.untrusted.kill_reason).toContain('the end of the test')
  expect(text).not.toContain('the end')
})
