import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Decimal } from '../values/decimal.ts'
import { cloid } from '../values/cloid.ts'
import { anyAddress, anyCloid, anyDecimal } from './action.fixture.ts'
import type { Json } from './action.ts'
import { decodeReply, encodeReply } from './exchangeReply.ts'
import type { ExchangeReply, ReplyStatus } from './exchangeReply.ts'
import { anyMisfit } from './misfit.fixture.ts'
import { isKnownReply, isKnownStatus } from './replyReference.fixture.ts'

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
  ['no answer in it', ok(null)],
  ['a type that is no text', ok({ type: 1 })],
  ['an unknown type', ok({ type: 'new', data: { a: 1 } })],
  ['an unknown type without data', ok({ type: 'new' })],
  ['an unknown type with statuses', statuses('new', 'success')],
  ['a default with statuses', statuses('default', { error: 'no' })],
  ['an order without statuses', ok({ type: 'order' })],
  ['an order with a single status', ok({ type: 'order', data: { status: 'success' } })],
  ['statuses that are no list', ok({ type: 'order', data: { statuses: {} } })],
  ['a new thing with an address', ok({ type: 'createAgent', data: `0x${'1'.repeat(40)}` })],
  ['a sub-account without an address', ok({ type: 'createSubAccount', data: 'x' })],
  ['a TWAP without an id', ok({ type: 'twapOrder', data: { status: { running: {} } } })],
  ['a TWAP without data', ok({ type: 'twapOrder' })],
  ['a TWAP that is a success', ok({ type: 'twapOrder', data: { status: 'success' } })],
  [
    'a TWAP cancel that runs',
    ok({ type: 'twapCancel', data: { status: { running: { twapId: 1 } } } }),
  ],
  [
    'a TWAP that says two things',
    ok({ type: 'twapOrder', data: { status: { error: 'x', running: { twapId: 1 } } } }),
  ],
])('%s is unknown, kept as it came', (_what, json) => {
  expect(decodeReply(json)).toEqual({ kind: 'unknown', json })
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
  ['a fill of less than nothing', { filled: { oid: 1, totalSz: '-1.0', avgPx: '1.0' } }],
  ['a fill below zero', { filled: { oid: 1, totalSz: '1.0', avgPx: '-1.0' } }],
  ['a fill without figures', { filled: null }],
  ['an error without words', { error: null }],
  ['null', null],
  ['two things at once', { resting: { oid: 1 }, error: 'no' }],
  ['the status of a cancel', 'success'],
])('a status that is %s is unknown alone', (_what, status) => {
  expect(decodeReply(statuses('order', 'waitingForFill', status))).toEqual({
    kind: 'statuses',
    type: 'order',
    statuses: [{ kind: 'waitingForFill' }, { kind: 'unknown', json: status }],
  })
})

test.each<[Json]>([['waitingForFill'], [{ resting: { oid: 1 } }]])(
  'a cancel is not answered with the status of an order: %j',
  (status) => {
    expect(decodeReply(statuses('cancel', 'success', status))).toMatchObject({
      statuses: [{ kind: 'success' }, { kind: 'unknown', json: status }],
    })
  },
)

test('a field more than the reference has changes nothing', () => {
  const json = {
    status: 'ok',
    response: {
      type: 'order',
      data: { statuses: [{ resting: { oid: 1, asset: 3 }, asset: 3 }], block: 7 },
      took: 1,
    },
    time: 1,
  }
  expect(decodeReply(json)).toEqual({
    kind: 'statuses',
    type: 'order',
    statuses: [{ kind: 'resting', oid: 1, cloid: null }],
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
  fc.record({ kind: fc.constantFrom('waitingForFill', 'waitingForTrigger') }),
)
const anyReply: fc.Arbitrary<ExchangeReply> = fc.oneof(
  fc.record({
    kind: fc.constant('statuses' as const),
    type: fc.constant('order' as const),
    statuses: fc.array(anyStatus),
  }),
  fc.record({ kind: fc.constant('err' as const), text: fc.string() }),
  fc.record({
    kind: fc.constant('created' as const),
    type: fc.constantFrom('createSubAccount', 'createVault'),
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

const orderStatuses: readonly Json[] = [
  { resting: { oid: 1, cloid: id } },
  { filled: { totalSz: '0.02', avgPx: '1891.4', oid: 1 } },
  { error: 'x' },
  'waitingForFill',
  'waitingForTrigger',
]
/** Real answers, and what is left of them after something in them was replaced. */
const answers: readonly Json[] = [
  { status: 'err', response: 'Invalid nonce: duplicate nonce 1' },
  ok({ type: 'default' }),
  statuses('cancel', 'success', { error: 'gone' }),
  statuses('order', ...orderStatuses),
  ok({ type: 'twapOrder', data: { status: { running: { twapId: 77 } } } }),
  ok({ type: 'twapCancel', data: { status: 'success' } }),
  ok({ type: 'twapCancel', data: { status: { error: 'x' } } }),
  ok({ type: 'createVault', data: `0x${'1'.repeat(40)}` }),
]

test('every answer of the reference is known', () => {
  for (const json of answers) {
    expect(isKnownReply(json)).toBe(true)
    expect(decodeReply(json).kind).not.toBe('unknown')
  }
})

test('what the reference does not have is unknown, and only that', () => {
  const seen = { known: 0, unknown: 0, statuses: 0 }
  const anyItem = anyMisfit([...orderStatuses, 'success'])
  const anyAnswer = fc.oneof(
    anyMisfit(answers),
    fc
      .tuple(fc.constantFrom('order', 'cancel'), anyItem)
      .map(([type, item]) => statuses(type, item)),
    fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>,
  )
  fc.assert(
    fc.property(anyAnswer, (json) => {
      const reply = decodeReply(json)
      expect(reply.kind !== 'unknown').toBe(isKnownReply(json))
      seen[reply.kind === 'unknown' ? 'unknown' : 'known'] += 1
      if (reply.kind !== 'statuses') return
      const { data } = (json as { response: { data: { statuses: Json[] } } }).response
      const known = data.statuses.map((status) => isKnownStatus(reply.type, status))
      expect(reply.statuses.map(({ kind }) => kind !== 'unknown')).toEqual(known)
      seen.statuses += known.filter((isKnown) => !isKnown).length
    }),
    { numRuns: 20_000 },
  )
  expect(Math.min(seen.known, seen.unknown, seen.statuses)).toBeGreaterThan(500)
})
