import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ValidateFunction } from 'ajv'
import * as z from 'zod'
import { expect, test } from 'vitest'
import type { EventBody, GuardEvent } from '../../core/events/guardEvent.ts'
import type { Json, WireAction } from '../../core/protocol/action.ts'
import type { StatusView } from '../../engine/statusView.ts'
import { eventKinds } from '../events/eventsQuery.ts'
import { FakeReader, startRig } from '../gateway.fixture.ts'
import { account, fakeStatus, clientKey } from '../status.fixture.ts'
import { eventSchemas, guardEvent } from './events.ts'
import { eventsSchema, openApi } from './openApi.ts'
import { status } from './status.ts'

/** The compiler holds the schemas and the types of the program together, in both directions. */
type Plain<T> = Json extends T
  ? T
  : WireAction extends T
    ? WireAction
    : T extends readonly (infer U)[]
      ? readonly Plain<U>[]
      : T extends object
        ? { readonly [K in keyof T]: Plain<T[K]> }
        : T
type Same<A, B> = [Plain<A>] extends [Plain<B>]
  ? [Plain<B>] extends [Plain<A>]
    ? true
    : false
  : false
type KindOf<T, K> = Extract<T, { kind: K }>
type SameKinds = {
  [K in GuardEvent['kind']]: Same<
    KindOf<z.infer<typeof guardEvent>, K>,
    KindOf<GuardEvent, K>
  > extends true
    ? Same<keyof KindOf<z.infer<typeof guardEvent>, K>, keyof KindOf<GuardEvent, K>>
    : false
}
const sameEvents: { [K in GuardEvent['kind']]: true } = {} as SameKinds
const sameStatus: true = true satisfies Same<z.infer<typeof status>, StatusView>
void sameEvents
void sameStatus

function compile(schema: object): ValidateFunction {
  return new Ajv2020({ strict: false, allErrors: true }).compile(schema)
}
/** The published schema lets readers meet new fields; a test must notice what is not published. */
const strictEvent = () => compile(z.toJSONSchema(guardEvent, { io: 'output' }))

const order: WireAction = { type: 'order', orders: [], grouping: 'na' }
const samples: readonly EventBody[] = [
  {
    kind: 'started',
    schema: 1,
    version: '0.1.0',
    mode: 'paper',
    account,
    rules: 'gr1_e30',
    clients: [clientKey],
  },
  {
    kind: 'decision',
    via: 'ws',
    client: null,
    signed_as: null,
    nonce: null,
    action: null,
    verdict: 'veto',
    code: 'malformed',
    text: 'not JSON',
    changes: [],
    change_records: [],
    request: null,
    pre: [],
    forward: null,
    forward_more: [],
    post: [],
  },
  {
    kind: 'decision',
    via: 'http',
    client: clientKey,
    signed_as: 'mainnet',
    nonce: 1_794_700_000_000,
    action: 'order',
    verdict: 'resize',
    code: 'resized',
    text: 'size cut',
    changes: ['size cut from 2 to 1'],
    change_records: [{ field: 'orders.0.s', from: '2', to: '1', rule: 'risk_per_trade' }],
    request: order,
    pre: [{ type: 'updateLeverage', asset: 0, isCross: false, leverage: 5 }],
    forward: order,
    forward_more: [order],
    post: [],
  },
  { kind: 'sent', decision: 2, index: 0, nonce: 3, ok: false, reply: { error: 'x' } },
  {
    kind: 'risk',
    state: 'halted_for_day',
    detail: { until_ms: 5, equity: '94', day_start: '100', limit: '0.06' },
    equity: '94',
    open_positions: 1,
    discrepancies: ['BTC changed outside Guard'],
    journal_error: null,
  },
  {
    kind: 'risk',
    state: 'stopped',
    detail: { equity: '70', peak: '100', limit: '0.25' },
    equity: null,
    open_positions: 0,
    discrepancies: [],
    journal_error: 'disk full',
  },
  { kind: 'flatten', reason: 'kill', actions: [order], problems: ['XYZ: no price'], sent: true },
  { kind: 'protect', coins: ['BTC'], actions: [order], problems: [], sent: false },
  { kind: 'kill', reason: 'x (command line)' },
  { kind: 'error', text: 'x' },
  { kind: 'stopped', reason: 'SIGTERM' },
  { kind: 'recovered', of: 2, index: 0, outcome: 'unknown', evidence: 'no answer' },
  { kind: 'reviewed', what: 'stopped', reason: 'looked at it', equity: '70' },
]

test('every kind has a schema, and every sample of it fits', () => {
  expect(eventSchemas.map(({ shape }) => shape.kind.value).sort()).toEqual([...eventKinds].sort())
  expect(new Set(samples.map(({ kind }) => kind)).size).toBe(eventKinds.length)
  const published = compile(eventsSchema())
  const strict = strictEvent()
  const reader = new FakeReader()
  for (const body of samples) {
    const event = reader.add(body)
    expect([published(event), published.errors]).toEqual([true, null])
    expect([strict(event), strict.errors]).toEqual([true, null])
  }
})

test.each([
  ['money as a number', { equity: 94 }],
  ['money that is no decimal', { equity: '1e5' }],
  ['a missing field', { equity: undefined }],
  ['a field of another kind of detail', { detail: { peak: '1' } }],
  ['an unknown state', { state: 'paused' }],
  ['a fractional seq', { seq: 1.5 }],
])('%s does not fit', (_, change) => {
  const risk = samples.find(({ kind }) => kind === 'risk')
  const event = JSON.parse(JSON.stringify({ seq: 1, at_ms: 1, ...risk, ...change }))
  expect(compile(eventsSchema())(event)).toBe(false)
})

test('a reader may meet fields that were added later', () => {
  const event = { seq: 1, at_ms: 1, kind: 'error', text: 'x', later: 1 }
  expect(compile(eventsSchema())(event)).toBe(true)
  expect(strictEvent()(event)).toBe(false)
})

test('real answers fit the OpenAPI file that the port itself serves', async () => {
  const rig = await startRig()
  for (const body of samples) rig.reader.add(body)
  const api = (await rig.ask('/openapi.json')).json
  const check = async (path: string, code = 200): Promise<void> => {
    const answer = await rig.ask(path)
    expect(answer.status).toBe(code)
    const [name = ''] = path.split('?')
    const { schema } = api.paths[name].get.responses[String(code)].content['application/json']
    const validate = compile({ ...schema, components: api.components })
    expect([validate(answer.json), validate.errors]).toEqual([true, null])
  }
  await check('/guard/events')
  await check('/guard/status')
  await check('/guard/decision?nonce=1794700000000')
  await check('/guard/decision?nonce=1', 404)
  await check('/guard/events?since=x', 400)
  await check('/healthz')
  await check('/readyz')
  rig.guard.notReady = 'recovering'
  await check('/readyz', 503)
  expect((await rig.ask('/schema/events.json')).json).toEqual(
    JSON.parse(JSON.stringify(eventsSchema())),
  )
  const closed = rig.gateway.close(0)
  rig.time.advance(1)
  await closed
})

test('the status is strict about what it shows', () => {
  const validate = compile(z.toJSONSchema(status, { io: 'output' }))
  expect([validate(fakeStatus), validate.errors]).toEqual([true, null])
  expect(validate({ ...fakeStatus, extra: 1 })).toBe(false)
  expect(validate({ ...fakeStatus, risk: { ...fakeStatus.risk, equity: 1 } })).toBe(false)
})

test('every reference of the OpenAPI file leads somewhere, and every schema is used', () => {
  const api = openApi('0.1.0') as any
  const text = JSON.stringify(api)
  const used = new Set(
    [...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map((m) => m[1]),
  )
  const named = Object.keys(api.components.schemas)
  expect([...used].filter((name) => !named.includes(name ?? ''))).toEqual([])
  expect(named.filter((name) => !used.has(name))).toEqual([])
  expect(text).not.toContain('"$id"')
})
