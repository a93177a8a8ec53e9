import { afterEach, expect, test } from 'vitest'
import { startRig, until } from '../gateway.fixture.ts'
import { account } from '../status.fixture.ts'
import type { Rig } from '../gateway.fixture.ts'
import { keyOf } from './infoPolicy.ts'

const rigs: Rig[] = []
async function rig(): Promise<Rig> {
  const started = await startRig()
  rigs.push(started)
  return started
}
afterEach(async () => {
  for (const { gateway, time } of rigs.splice(0)) {
    const closed = gateway.close(0)
    time.advance(1)
    await closed
  }
})
const read = (rig: Rig, request: object) => rig.ask('/info', { body: JSON.stringify(request) })

test("the venue's answer passes through", async () => {
  const r = await rig()
  expect((await read(r, { type: 'allMids' })).json).toEqual({ BTC: '100.5', '@107': '3.0' })
  expect(r.venue.asked).toEqual([{ type: 'allMids' }])
})

test.each([
  ['meta', 60_000],
  ['spotMeta', 60_000],
  ['metaAndAssetCtxs', 2_000],
  ['allMids', 500],
  ['l2Book', 250],
])('%s is kept for %i ms', async (type, ms) => {
  const r = await rig()
  r.venue.answer = () => ({ n: r.venue.asked.length })
  expect((await read(r, { type })).json).toEqual({ n: 1 })
  r.time.advance(ms - 1)
  expect((await read(r, { dex: '', type })).json).toEqual({ n: 1 })
  r.time.advance(1)
  expect((await read(r, { type })).json).toEqual({ n: 2 })
})

test.each(['exchangeStatus', 'clearinghouseState', 'openOrders', 'orderStatus', 'noSuchType'])(
  '%s is always asked for',
  async (type) => {
    const r = await rig()
    r.venue.answer = () => ({ n: r.venue.asked.length })
    const request = { type, user: type === 'exchangeStatus' ? undefined : account }
    expect((await read(r, request)).json).toEqual({ n: 1 })
    expect((await read(r, request)).json).toEqual({ n: 2 })
  },
)

test('many who ask the same at once are one read', async () => {
  const r = await rig()
  let release = (): void => undefined
  const held = new Promise<void>((resolve) => (release = resolve))
  r.venue.before = () => held
  const joined = () => r.options.metrics.registry.text().includes('from="joined"} 49')
  const answers = Array.from({ length: 50 }, () => read(r, { type: 'userFills', user: account }))
  await until(joined)
  release()
  expect((await Promise.all(answers)).every(({ status }) => status === 200)).toBe(true)
  expect(r.venue.asked.length).toBe(1)
})

test('a read asked before a bot traded never answers one asked after', async () => {
  const r = await rig()
  let release = (): void => undefined
  const held = new Promise<void>((resolve) => (release = resolve))
  r.venue.before = () => held
  const before = read(r, { type: 'openOrders', user: account })
  await until(() => r.venue.asked.length === 1)
  await r.ask('/exchange', { body: '{}' })
  const after = read(r, { type: 'openOrders', user: account })
  await until(() => r.venue.asked.length === 2)
  release()
  await Promise.all([before, after])
})

test("the account's own reads come from Guard's model when it has them", async () => {
  const r = await rig()
  r.guard.accountReads = (request: any) => (request.type === 'openOrders' ? [] : null)
  expect((await read(r, { type: 'openOrders', user: account })).json).toEqual([])
  expect(r.venue.asked).toEqual([])
  await read(r, { type: 'userFills', user: account })
  expect(r.venue.asked.length).toBe(1)
})

test('a venue that does not answer is 502 and is asked again', async () => {
  const r = await rig()
  r.venue.error = { kind: 'unreachable', text: 'timed out after 5000 ms' }
  const answer = await read(r, { type: 'meta' })
  expect([answer.status, answer.json.error.code]).toEqual([502, 'venue_unreachable'])
  expect(answer.json.error.text).toContain('timed out after 5000 ms')
  r.venue.error = null
  expect((await read(r, { type: 'meta' })).status).toBe(200)
})

test.each([
  [1, '1'],
  [1_001, '2'],
  [59_999, '60'],
])('a read without weight is 429, to be asked again after %i ms', async (retryMs, seconds) => {
  const r = await rig()
  r.venue.error = { kind: 'no_weight', text: 'spent (840 of 1200)', retryMs }
  const answer = await read(r, { type: 'meta' })
  expect([answer.status, answer.headers['retry-after']]).toEqual([429, seconds])
  expect(answer.json).toEqual({ error: { code: 'rate_limited', text: 'spent (840 of 1200)' } })
})

test.each([
  ['text', 'too many requests'],
  ['JSON', null],
])('the refusal of the venue for its weight says when to ask again, as %s', async (_, told) => {
  const r = await rig()
  r.venue.status = 429
  r.venue.answer = () => told
  const answer = await read(r, { type: 'meta' })
  expect([answer.status, answer.headers['retry-after']]).toEqual([429, '1'])
  r.venue.status = 200
  expect((await read(r, { type: 'meta' })).headers['retry-after']).toBeUndefined()
})

test('a refusal of the venue keeps its status and text, and is not kept', async () => {
  const r = await rig()
  r.venue.status = 422
  r.venue.answer = () => 'Failed to deserialize the JSON body into the target type'
  const answer = await read(r, { type: 'meta' })
  expect([answer.status, answer.text]).toEqual([
    422,
    'Failed to deserialize the JSON body into the target type',
  ])
  expect(answer.headers['content-type']).toContain('text/plain')
  r.venue.status = 500
  r.venue.answer = () => null
  const missing = await read(r, { type: 'meta', dex: 'none' })
  expect([missing.status, missing.text]).toEqual([500, 'null'])
})

test.each(['', '[]', '"x"', '{"type":1}', '{', 'null'])('%j is not a read', async (body) => {
  const r = await rig()
  expect((await r.ask('/info', { body })).status).toBe(400)
  expect(r.venue.asked).toEqual([])
})

test('the cache is bounded', async () => {
  const r = await rig()
  r.venue.answer = () => ({})
  for (let n = 0; n < 300; n += 1) await read(r, { type: 'l2Book', coin: `C${String(n)}` })
  expect(r.venue.asked.length).toBe(300)
  await read(r, { type: 'l2Book', coin: 'C299' })
  expect(r.venue.asked.length).toBe(300)
  await read(r, { type: 'l2Book', coin: 'C0' })
  expect(r.venue.asked.length).toBe(301)
})

test('the order of fields does not matter, their values do', () => {
  const a = keyOf({ type: 'candleSnapshot', req: { coin: 'BTC', interval: '1m' } })
  expect(keyOf({ req: { interval: '1m', coin: 'BTC' }, dex: '', type: 'candleSnapshot' })).toBe(a)
  expect(keyOf({ type: 'candleSnapshot', req: { coin: 'ETH', interval: '1m' } })).not.toBe(a)
})

test('a long question is asked and answered, and never kept', async () => {
  const r = await rig()
  r.venue.answer = () => ({ n: r.venue.asked.length })
  const request = { type: 'meta', padding: 'x'.repeat(100_000) }
  expect((await read(r, request)).json).toEqual({ n: 1 })
  expect((await read(r, request)).json).toEqual({ n: 2 })
})

test("the status of an order that stands under an id of Guard's is asked for and shown by the bot's own", async () => {
  const r = await rig()
  const [name, id] = [`0x${'ab'.repeat(16)}`, `0x6775617202${'cd'.repeat(11)}`]
  r.guard.idsOfNames.set(name, id)
  r.venue.answer = ({ oid }) => ({ order: { order: { cloid: oid ?? null } } })
  const shown = async (user: string, oid: string | number) => {
    const { json } = await read(r, { type: 'orderStatus', user, oid })
    return [r.venue.asked.at(-1), json.order.order.cloid]
  }
  const request = { type: 'orderStatus', user: account }
  const uppercase = `0x${name.slice(2).toUpperCase()}`
  expect(await shown(account, name)).toEqual([{ ...request, oid: id }, name])
  expect(await shown(account, uppercase)).toEqual([{ ...request, oid: id }, name])
  expect(await shown(account, 7)).toEqual([{ ...request, oid: 7 }, 7])
  const another = `0x${'9'.repeat(40)}`
  expect(await shown(another, name)).toEqual([{ ...request, user: another, oid: name }, name])
})
