import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Decimal } from '../values/decimal.ts'
import { cloid } from '../values/cloid.ts'
import { anyAddress, anyCloid, anyDecimal } from './action.fixture.ts'
import type { Json } from './action.ts'
import { decodeReply, encodeReply } from './exchangeReply.ts'
import type { ExchangeReply, ReplyStatus } from './exchangeReply.ts'
import { makeGuardCloid } from './guardCloid.ts'
import {
  isAcceptedWhole,
  placeStatuses,
  statusesFor,
  withoutCloid,
  withoutGuardCloid,
} from './replyStatuses.ts'

const id = `0x${'ab'.repeat(16)}`
const ok = (response: Json): Json => ({ status: 'ok', response })
const statuses = (type: string, ...list: readonly Json[]): Json =>
  ok({ type, data: { statuses: list } })

test.each<[string, Json, ExchangeReply]>([
  ['a refusal', { status: 'err', response: 'no' }, { kind: 'err', text: 'no' }],
  ['a default', ok({ type: 'default' }), { kind: 'default' }],
  [
    'a resting order',
    statuses('order', { resting: { oid: 123, cloid: id } }),
    {
      kind: 'statuses',
      type: 'order',
      statuses: [{ kind: 'resting', oid: 123, cloid: cloid(id) }],
    },
  ],
  [
    'a fill',
    statuses('order', { filled: { totalSz: '0.02', avgPx: '1891.4', oid: 1 } }),
    {
      kind: 'statuses',
      type: 'order',
      statuses: [
        {
          kind: 'filled',
          oid: 1,
          totalSize: Decimal.of('0.02'),
          averagePrice: Decimal.of('1891.4'),
          cloid: null,
        },
      ],
    },
  ],
  [
    'a group',
    statuses('order', { error: 'x asset=3' }, 'waitingForFill', 'waitingForTrigger'),
    {
      kind: 'statuses',
      type: 'order',
      statuses: [
        { kind: 'error', text: 'x asset=3' },
        { kind: 'waitingForFill' },
        { kind: 'waitingForTrigger' },
      ],
    },
  ],
  [
    'cancels',
    statuses('cancel', 'success', { error: 'gone' }),
    {
      kind: 'statuses',
      type: 'cancel',
      statuses: [{ kind: 'success' }, { kind: 'error', text: 'gone' }],
    },
  ],
  [
    'a TWAP',
    ok({ type: 'twapOrder', data: { status: { running: { twapId: 77 } } } }),
    { kind: 'twapRunning', twapId: 77 },
  ],
  [
    'a refused TWAP',
    ok({ type: 'twapOrder', data: { status: { error: 'x' } } }),
    { kind: 'twapError', type: 'twapOrder', text: 'x' },
  ],
  [
    'a TWAP cancel',
    ok({ type: 'twapCancel', data: { status: 'success' } }),
    { kind: 'twapCancelled' },
  ],
  [
    'a refused TWAP cancel',
    ok({ type: 'twapCancel', data: { status: { error: 'x' } } }),
    { kind: 'twapError', type: 'twapCancel', text: 'x' },
  ],
  [
    'a new sub-account',
    ok({ type: 'createSubAccount', data: `0x${'1'.repeat(40)}` }),
    { kind: 'created', type: 'createSubAccount', address: `0x${'1'.repeat(40)}` as never },
  ],
])('%s is read, and written back the same', (_what, json, reply) => {
  expect(decodeReply(json)).toEqual(reply)
  expect(encodeReply(decodeReply(json))).toEqual(json)
})

test('sizes and prices keep one decimal, as the venue writes them', () => {
  const json = statuses('order', { filled: { totalSz: '136.0', avgPx: '84143.0', oid: 1 } })
  expect(encodeReply(decodeReply(json))).toEqual(json)
})

test.each<[string, Json]>([
  ['null', null],
  ['a text', 'ok'],
  ['a list', []],
  ['no status', { response: { type: 'default' } }],
  ['another status', { status: 'maybe', response: { type: 'default' } }],
  ['a refusal without words', { status: 'err', response: {} }],
  ['no type', ok({})],
  ['an unknown answer', ok({ type: 'new', data: { a: 1 } })],
  ['a TWAP without an id', ok({ type: 'twapOrder', data: { status: { running: {} } } })],
])('%s is unreadable, kept as it came', (_what, json) => {
  expect(decodeReply(json)).toEqual({ kind: 'unreadable', json })
  expect(encodeReply(decodeReply(json))).toEqual(json)
})

test.each<[string, Json]>([
  ['a number', 1],
  ['an unknown word', 'waitingForGodot'],
  ['an unknown object', { pending: {} }],
  ['an order without an id', { resting: {} }],
  ['an id as text', { resting: { oid: '1' } }],
  ['a bad client id', { resting: { oid: 1, cloid: 'x' } }],
  ['a fill without a size', { filled: { oid: 1, avgPx: '1.0' } }],
])('a status that is %s is unreadable alone', (_what, status) => {
  expect(decodeReply(statuses('order', 'waitingForFill', status))).toEqual({
    kind: 'statuses',
    type: 'order',
    statuses: [{ kind: 'waitingForFill' }, { kind: 'unreadable', json: status }],
  })
})

const anyOid = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER })
const anyStatus: fc.Arbitrary<ReplyStatus> = fc.oneof(
  fc.record({ kind: fc.constant('resting' as const), oid: anyOid, cloid: fc.option(anyCloid) }),
  fc.record({
    kind: fc.constant('filled' as const),
    oid: anyOid,
    totalSize: anyDecimal,
    averagePrice: anyDecimal,
    cloid: fc.option(anyCloid),
  }),
  fc.record({ kind: fc.constant('error' as const), text: fc.string() }),
  fc.record({ kind: fc.constantFrom('success', 'waitingForFill', 'waitingForTrigger') }),
)
const anyReply: fc.Arbitrary<ExchangeReply> = fc.oneof(
  fc.record({
    kind: fc.constant('statuses' as const),
    type: fc.constantFrom('order', 'cancel'),
    statuses: fc.array(anyStatus),
  }),
  fc.record({ kind: fc.constant('err' as const), text: fc.string() }),
  fc.record({
    kind: fc.constant('created' as const),
    type: fc.constant('createVault'),
    address: anyAddress,
  }),
)

/** Equal values compare as equal text: the venue's one decimal changes the scale, not the number. */
const shown = (reply: ExchangeReply): string => JSON.stringify(reply)

test('decoding what was encoded gives it back', () => {
  fc.assert(
    fc.property(anyReply, (reply) => {
      expect(shown(decodeReply(encodeReply(reply)))).toBe(shown(reply))
    }),
    { numRuns: 1_000 },
  )
})

const resting = (oid: number): ReplyStatus => ({ kind: 'resting', oid, cloid: null })
const error: ReplyStatus = { kind: 'error', text: 'no' }

test('an action gets one status for each entry', () => {
  const two: ExchangeReply = { kind: 'statuses', type: 'order', statuses: [resting(1), error] }
  expect(statusesFor(two, 2)).toEqual([resting(1), error])
  const once: ExchangeReply = { kind: 'statuses', type: 'order', statuses: [error] }
  expect(statusesFor(once, 3)).toEqual([error, error, error])
  expect(statusesFor({ kind: 'err', text: 'no' }, 2)).toEqual([error, error])
  expect(statusesFor({ kind: 'default' }, 1)).toEqual([{ kind: 'success' }])
})

test('an answer of another length says nothing of anyone', () => {
  const two: ExchangeReply = { kind: 'statuses', type: 'order', statuses: [resting(1), resting(2)] }
  for (const reply of [
    two,
    { kind: 'unreadable', json: 'x' } as const,
    { kind: 'twapCancelled' } as const,
  ]) {
    expect(statusesFor(reply, 3).map((each) => each.kind)).toEqual([
      'unreadable',
      'unreadable',
      'unreadable',
    ])
  }
  const one: ExchangeReply = { kind: 'statuses', type: 'order', statuses: [resting(1)] }
  expect(statusesFor(one, 2).map((each) => each.kind)).toEqual(['unreadable', 'unreadable'])
})

test("statuses come back in the bot's order, without the orders Guard added", () => {
  const placed = placeStatuses(
    [
      { statuses: [resting(10)], places: [2] },
      { statuses: [resting(11), { kind: 'waitingForFill' }], places: [0, null] },
    ],
    4,
    (place) => ({ kind: 'error', text: `vetoed ${place}` }),
  )
  expect(placed).toEqual([
    resting(11),
    { kind: 'error', text: 'vetoed 1' },
    resting(10),
    { kind: 'error', text: 'vetoed 3' },
  ])
})

test('any split of the statuses over actions is put together again', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(anyStatus, fc.integer({ min: 0, max: 3 }))), (list) => {
      const parts = [0, 1, 2, 3].map((part) => {
        const places = [...list.keys()].filter((at) => list[at]?.[1] === part)
        return { places, statuses: places.map((at) => list[at]?.[0] as ReplyStatus) }
      })
      const all = list.map(([status]) => status)
      expect(placeStatuses(parts, all.length, () => error)).toEqual(all)
    }),
  )
})

test("Guard's own id is taken out of a status, a bot's is not", () => {
  const guards: ReplyStatus = {
    kind: 'resting',
    oid: 1,
    cloid: makeGuardCloid('order', new Uint8Array(11)),
  }
  const bots: ReplyStatus = { kind: 'resting', oid: 1, cloid: cloid(id) }
  expect(withoutGuardCloid(guards)).toEqual(resting(1))
  expect(withoutGuardCloid(bots)).toEqual(bots)
  expect(withoutGuardCloid(error)).toBe(error)
  expect(withoutCloid(bots)).toEqual(resting(1))
})

test.each<[boolean, ExchangeReply]>([
  [true, { kind: 'default' }],
  [true, { kind: 'statuses', type: 'order', statuses: [resting(1), { kind: 'waitingForFill' }] }],
  [false, { kind: 'statuses', type: 'order', statuses: [resting(1), error] }],
  [false, { kind: 'statuses', type: 'order', statuses: [{ kind: 'unreadable', json: 1 }] }],
  [false, { kind: 'err', text: 'no' }],
  [false, { kind: 'twapError', type: 'twapOrder', text: 'no' }],
  [false, { kind: 'unreadable', json: null }],
])('accepted whole: %s for %j', (expected, reply) => {
  expect(isAcceptedWhole(reply)).toBe(expected)
})
