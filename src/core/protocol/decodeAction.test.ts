import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Decimal } from '../values/decimal.ts'
import { anyAction } from './action.fixture.ts'
import type { Json, JsonObject } from './action.ts'
import { actionCatalog } from './actionCatalog.ts'
import { decodeAction } from './decodeAction.ts'
import { encodeAction } from './encodeAction.ts'
import { parseJson } from './strictJson.ts'

const order: JsonObject = {
  a: 0,
  b: true,
  p: '100000',
  s: '0.001',
  r: false,
  t: { limit: { tif: 'Gtc' } },
}
const trigger = { isMarket: true, triggerPx: '98000', tpsl: 'sl' }
const cloid = `0x${'ab'.repeat(16)}`

function orders(...list: readonly Json[]): JsonObject {
  return { type: 'order', orders: list, grouping: 'na' }
}

test('decoding what was encoded gives it back', () => {
  fc.assert(
    fc.property(anyAction, (action) => {
      const text = JSON.stringify(encodeAction(action))
      const json = parseJson(text)
      if (!json.ok) throw new Error(json.error)
      expect(decodeAction(json.value)).toEqual({ ok: true, value: action })
    }),
    { numRuns: 2_000 },
  )
})

test('keys inside an action may come in any order', () => {
  fc.assert(
    fc.property(anyAction, (action) => {
      const shuffled = reversed(encodeAction(action))
      expect(decodeAction(shuffled)).toEqual({ ok: true, value: action })
    }),
    { numRuns: 300 },
  )
})

function reversed(json: Json): Json {
  if (Array.isArray(json)) return (json as readonly Json[]).map(reversed)
  if (typeof json !== 'object' || json === null) return json
  const entries = Object.entries(json).map(([key, value]) => [key, reversed(value as Json)])
  return Object.fromEntries(entries.toReversed()) as JsonObject
}

test('trailing zeros are read and not written', () => {
  const decoded = decodeAction(orders({ ...order, p: '100000.0', s: '0.00100' }))
  if (!decoded.ok) throw new Error(decoded.error.join())
  expect(encodeAction(decoded.value)).toEqual(orders(order))
})

test('ids and addresses are written in lower case', () => {
  const builder = { b: `0x${'AB'.repeat(20)}`, f: 10 }
  const decoded = decodeAction({
    ...orders({ ...order, c: cloid.toUpperCase().replace('X', 'x') }),
    builder,
  })
  if (!decoded.ok) throw new Error(decoded.error.join())
  const lower = { b: builder.b.toLowerCase(), f: 10 }
  expect(encodeAction(decoded.value)).toEqual({ ...orders({ ...order, c: cloid }), builder: lower })
})

test('a priority fee is told apart', () => {
  const action = { ...orders(order), grouping: { p: 5 } }
  const decoded = decodeAction(action)
  expect(decoded).toMatchObject({ ok: true, value: { grouping: 'na', priorityFee: 5 } })
  if (decoded.ok) expect(encodeAction(decoded.value)).toEqual(action)
})

test('flags are read and kept apart; only the one of a modify is written again', () => {
  const cancel = { type: 'cancel', cancels: [{ a: 1, o: 2 }], f: true }
  const modify = { type: 'modify', oid: 7, order, a: true }
  const batch = { type: 'batchModify', modifies: [{ oid: cloid, order }], a: true }
  const byCloid = { type: 'cancelByCloid', cancels: [{ asset: 1, cloid }], f: true }
  const forwarded = [cancel, byCloid, modify, batch].map((action) => {
    const decoded = decodeAction(action)
    if (!decoded.ok) throw new Error(decoded.error.join())
    expect(decoded.value).toMatchObject('f' in action ? { isFast: true } : { alwaysPlace: true })
    return encodeAction(decoded.value)
  })
  expect(forwarded).toEqual([
    { type: 'cancel', cancels: [{ a: 1, o: 2 }] },
    { type: 'cancelByCloid', cancels: [{ asset: 1, cloid }] },
    modify,
    batch,
  ])
})

test('a schedule is cleared by an absent time and by null', () => {
  const cleared = { ok: true, value: { type: 'scheduleCancel', time: null } }
  expect(decodeAction({ type: 'scheduleCancel' })).toEqual(cleared)
  expect(decodeAction({ type: 'scheduleCancel', time: null })).toEqual(cleared)
})

test('zero is a number: whether it makes sense is judged later', () => {
  const decoded = decodeAction(orders({ ...order, s: '0', p: '0' }))
  expect(decoded).toMatchObject({ ok: true, value: { orders: [{ size: Decimal.zero }] } })
})

const withOrder = (change: JsonObject): JsonObject => orders({ ...order, ...change })
const without = (key: string): JsonObject =>
  orders(Object.fromEntries(Object.entries(order).filter(([each]) => each !== key)))
const plain = 'a plain decimal as a string, such as "12.5"'

test.each<[string, Json, string]>([
  ['a price as a number', withOrder({ p: 100000 }), `orders[0].p must be ${plain}, not 100000`],
  ['an exponent', withOrder({ p: '1e5' }), `orders[0].p must be ${plain}, not "1e5"`],
  ['a minus', withOrder({ s: '-1' }), `orders[0].s must be ${plain}, not "-1"`],
  ['minus zero', withOrder({ s: '-0' }), `orders[0].s must be ${plain}, not "-0"`],
  ['a plus', withOrder({ s: '+1' }), `orders[0].s must be ${plain}, not "+1"`],
  ['a space', withOrder({ s: ' 1' }), `orders[0].s must be ${plain}, not " 1"`],
  ['a leading zero', withOrder({ s: '01' }), `orders[0].s must be ${plain}, not "01"`],
  ['a bare fraction', withOrder({ s: '.5' }), `orders[0].s must be ${plain}, not ".5"`],
  ['a bare dot', withOrder({ s: '5.' }), `orders[0].s must be ${plain}, not "5."`],
  ['a hex number', withOrder({ s: '0x1' }), `orders[0].s must be ${plain}, not "0x1"`],
  ['other digits', withOrder({ s: '١' }), `orders[0].s must be ${plain}, not "١"`],
  ['a word', withOrder({ s: 'NaN' }), `orders[0].s must be ${plain}, not "NaN"`],
  ['a line end', withOrder({ s: '1\n' }), `orders[0].s must be ${plain}, not "1\\n"`],
  ['a missing key', without('r'), 'orders[0].r is missing'],
  ['an unknown key', withOrder({ x: 1 }), 'orders[0]."x" is not a known field'],
  [
    'a null id',
    withOrder({ c: null }),
    'orders[0].c must be a client order id: 0x and 32 hex digits, not null',
  ],
  [
    'a short id',
    withOrder({ c: '0xab' }),
    'orders[0].c must be a client order id: 0x and 32 hex digits, not "0xab"',
  ],
  ['a side as text', withOrder({ b: 'true' }), 'orders[0].b must be true or false, not "true"'],
  [
    'a fractional asset',
    withOrder({ a: 0.5 }),
    'orders[0].a must be a whole number from 0 to 4294967295, not 0.5',
  ],
  [
    'an asset of 2^32',
    withOrder({ a: 2 ** 32 }),
    'orders[0].a must be a whole number from 0 to 4294967295, not 4294967296',
  ],
  [
    'a negative asset',
    withOrder({ a: -1 }),
    'orders[0].a must be a whole number from 0 to 4294967295, not -1',
  ],
  [
    'an asset as text',
    withOrder({ a: '0' }),
    'orders[0].a must be a whole number from 0 to 4294967295, not "0"',
  ],
  ['no order type', withOrder({ t: {} }), 'orders[0].t.limit is missing'],
  [
    'two order types',
    withOrder({ t: { limit: { tif: 'Gtc' }, trigger } }),
    'orders[0].t."limit" is not a known field',
  ],
  [
    'an unknown tif',
    withOrder({ t: { limit: { tif: 'Po' } } }),
    'orders[0].t.limit.tif must be one of "Gtc", "Ioc", "Alo", "FrontendMarket", not "Po"',
  ],
  [
    'a read-only tif',
    withOrder({ t: { limit: { tif: 'LiquidationMarket' } } }),
    'orders[0].t.limit.tif must be one of "Gtc", "Ioc", "Alo", "FrontendMarket", not "LiquidationMarket"',
  ],
  [
    'a trigger without a side',
    withOrder({ t: { trigger: { isMarket: true, triggerPx: '1' } } }),
    'orders[0].t.trigger.tpsl is missing',
  ],
  [
    'a trigger of an unknown side',
    withOrder({ t: { trigger: { ...trigger, tpsl: 'xx' } } }),
    'orders[0].t.trigger.tpsl must be one of "tp", "sl", not "xx"',
  ],
  [
    'a trigger price as a number',
    withOrder({ t: { trigger: { ...trigger, triggerPx: 1 } } }),
    `orders[0].t.trigger.triggerPx must be ${plain}, not 1`,
  ],
  ['no orders', orders(), 'orders must have 1 to 64 elements, not 0'],
  [
    'too many orders',
    orders(...Array.from({ length: 65 }, () => order)),
    'orders must have 1 to 64 elements, not 65',
  ],
  ['an order that is none', orders(null), 'orders[0] must be an object, not null'],
  ['an order in a list', orders([order]), 'orders[0] must be an object, not a list'],
  [
    'orders in an object',
    { type: 'order', orders: {}, grouping: 'na' },
    'orders must be a list, not an object',
  ],
  ['no grouping', { type: 'order', orders: [order] }, 'grouping is missing'],
  [
    'an unknown grouping',
    { ...orders(order), grouping: 'x' },
    'grouping must be one of "na", "normalTpsl", "positionTpsl", not "x"',
  ],
  [
    'a priority as text',
    { ...orders(order), grouping: { p: '1' } },
    'grouping.p must be a whole number from 0 to 9007199254740991, not "1"',
  ],
  ['a null builder', { ...orders(order), builder: null }, 'builder must be an object, not null'],
  [
    'a builder without fee',
    { ...orders(order), builder: { b: `0x${'1'.repeat(40)}` } },
    'builder.f is missing',
  ],
  [
    'a short builder',
    { ...orders(order), builder: { b: '0x1', f: 1 } },
    'builder.b must be an address: 0x and 40 hex digits, not "0x1"',
  ],
  ['an unknown field', { ...orders(order), isFrontend: true }, '"isFrontend" is not a known field'],
  [
    'a fast flag that is false',
    { type: 'cancel', cancels: [{ a: 0, o: 1 }], f: false },
    'f must be true, or absent, not false',
  ],
  [
    'an order id as text',
    { type: 'cancel', cancels: [{ a: 0, o: '1' }] },
    'cancels[0].o must be a whole number from 0 to 9007199254740991, not "1"',
  ],
  [
    'a cancel by a short id',
    { type: 'cancelByCloid', cancels: [{ asset: 0, cloid: '0x1' }] },
    'cancels[0].cloid must be a client order id: 0x and 32 hex digits, not "0x1"',
  ],
  [
    'a modify of a short id',
    { type: 'modify', oid: '0x1', order },
    'oid must be an order id, or a client order id of 0x and 32 hex digits, not "0x1"',
  ],
  ['a modify without an order', { type: 'modify', oid: 1 }, 'order is missing'],
  [
    'a modify with a flag that is null',
    { type: 'modify', oid: 1, order, a: null },
    'a must be true, or absent, not null',
  ],
  [
    'a batch of nothing',
    { type: 'batchModify', modifies: [] },
    'modifies must have 1 to 64 elements, not 0',
  ],
  [
    'a leverage of zero',
    { type: 'updateLeverage', asset: 0, isCross: false, leverage: 0 },
    'leverage must be a whole number from 1 to 4294967295, not 0',
  ],
  [
    'a fractional leverage',
    { type: 'updateLeverage', asset: 0, isCross: false, leverage: 2.5 },
    'leverage must be a whole number from 1 to 4294967295, not 2.5',
  ],
  [
    'a fractional margin',
    { type: 'updateIsolatedMargin', asset: 0, isBuy: true, ntli: 0.5 },
    'ntli must be a whole number from -9007199254740991 to 9007199254740991, not 0.5',
  ],
  [
    'a time as text',
    { type: 'scheduleCancel', time: '1' },
    'time must be a whole number from 0 to 9007199254740991, not "1"',
  ],
])('%s is refused', (_what, action, problem) => {
  expect(decodeAction(action)).toEqual({ ok: false, error: [problem] })
})

test('all problems are named', () => {
  const action = {
    type: 'order',
    orders: [{ a: -1, b: 1, p: 1, s: 'x', r: null, t: 7, z: 0 }],
    y: 1,
  }
  const decoded = decodeAction(action)
  expect(decoded.ok ? [] : decoded.error.map((each) => each.split(' ')[0])).toEqual([
    '"y"',
    'grouping',
    'orders[0]."z"',
    'orders[0].a',
    'orders[0].b',
    'orders[0].p',
    'orders[0].s',
    'orders[0].r',
    'orders[0].t',
  ])
})

test('the list of problems is bounded', () => {
  const decoded = decodeAction(orders(...Array.from({ length: 60 }, () => ({}))))
  expect(decoded.ok ? [] : decoded.error).toHaveLength(21)
  expect(decoded.ok ? '' : decoded.error.at(-1)).toBe('and 340 more problems')
})

test.each([null, 'order', [], {}, { type: 1 }, { type: 'toString' }, { type: '__proto__' }])(
  '%j is no action',
  (action) => {
    expect(decodeAction(action as Json)).toMatchObject({
      ok: false,
      error: [expect.stringMatching(/^type must be one of the actions Guard forwards/)],
    })
  },
)

test('exactly the actions that the table forwards can be decoded', () => {
  for (const [type, entry] of Object.entries(actionCatalog)) {
    const decoded = decodeAction({ type })
    const problems = decoded.ok ? [] : decoded.error
    expect(problems.some((each) => each.startsWith('type must be'))).toBe(!entry.isForwarded)
  }
})
