import { afterEach, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../src/core/protocol/action.ts'
import { gtc, order, orders, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

const builder = '0xAbCdEf0000000000000000000000000000000001'
const cloid = '0x0000000000000000000000000000abcd'
const vault = '0x000000000000000000000000000000000000dead'
const stop = {
  t: { trigger: { isMarket: true, triggerPx: '3900', tpsl: 'sl' } },
  r: true,
  c: cloid,
}

/** As a client posts it that sorts its keys after signing. */
function sorted(json: Json): Json {
  if (Array.isArray(json)) return json.map(sorted)
  if (typeof json !== 'object' || json === null) return json
  const fields = Object.entries(json).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(fields.map(([name, value]) => [name, sorted(value)]))
}

const actions: readonly (readonly [string, JsonObject])[] = [
  ['an order', orders(order(1, true, '4010', '0.1'))],
  [
    'a group with a stop',
    {
      ...{ type: 'order', grouping: 'normalTpsl' },
      orders: [order(1, true, '3990', '0.1', gtc), order(1, false, '3900', '0.1', stop)],
    },
  ],
  ['leverage', { type: 'updateLeverage', asset: 1, isCross: false, leverage: 3 }],
  ['cancels', { type: 'cancel', cancels: [{ a: 1, o: 999 }] }],
  ['cancels by id', { type: 'cancelByCloid', cancels: [{ asset: 1, cloid }] }],
  ['a change', { type: 'modify', oid: 999, order: order(1, true, '3990', '0.1', gtc) }],
  [
    'changes',
    { type: 'batchModify', modifies: [{ oid: 999, order: order(1, true, '3990', '0.1', gtc) }] },
  ],
  ['a switch', { type: 'scheduleCancel', time: 9_999_999_999_999 }],
  ['a move to spot', { type: 'spotUser', classTransfer: { usdc: 1, toPerp: false } }],
  ['a vault', { type: 'vaultTransfer', vaultAddress: vault, isDeposit: true, usd: 1 }],
  ['a referrer', { type: 'setReferrer', code: 'PROBE' }],
]

/** The venue's order of the top-level keys, where the tables above differ from it. */
function inOrder({ type, orders: list, grouping, ...rest }: JsonObject): JsonObject {
  return list === undefined
    ? { type: type ?? null, ...rest }
    : { type: type ?? null, orders: list, grouping: grouping ?? null, ...rest }
}

test.each(actions)('%s: signed in the venue order and posted sorted', async (_, given) => {
  world = await World.start()
  const signed = world.sign(venueOrder(inOrder(given)))
  const posted = sorted({ ...signed })
  expect(JSON.stringify(posted)).not.toBe(JSON.stringify(signed))
  const reply = await world.post(posted)
  expect(reply.code).not.toMatch(/^auth_/)
  expect(world.events('decision').at(-1)).toMatchObject({ client: world.client })
})

/** Orders as the venue has them: a, b, p, s, r, t, c. */
function venueOrder(json: JsonObject): JsonObject {
  const text = JSON.stringify(json, (_, value: Json) => {
    if (typeof value !== 'object' || value === null || !('p' in value)) return value
    const { a, b, p, s, r, t, c } = value as JsonObject
    return { a, b, p, s, r, t, c }
  })
  return JSON.parse(text) as JsonObject
}

test('an address that the client wrote in capitals was signed in lower case', async () => {
  world = await World.start()
  const action = { ...orders(order(1, true, '4010', '0.1')), builder: { b: builder, f: 1 } }
  const lower = { ...action, builder: { b: builder.toLowerCase(), f: 1 } }
  const reply = await world.post({ ...world.sign(lower), action })
  expect(reply.code).not.toMatch(/^auth_/)
})

test('a signature over other content names nobody, whatever the order', async () => {
  world = await World.start()
  const signed = world.sign(orders(order(1, true, '4010', '0.1')))
  const action = sorted(orders(order(1, true, '4010', '0.2')))
  expect(await world.post({ ...signed, action })).toMatchObject({ code: 'auth_unknown_signer' })
})

test('a Guard that stops says so', async () => {
  world = await World.start()
  const stopping = world.stopGuard()
  const reply = await world.ask(orders(order(1, true, '4010', '0.1')))
  expect(reply.response).toContain('Guard is stopping')
  await stopping
})
