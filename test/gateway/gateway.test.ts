import * as hl from '@nktkas/hyperliquid'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { WebSocket } from 'ws'
import * as z from 'zod'
import { beforeEach, expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import type { Gateway } from '../../src/gateway/gatewayOptions.ts'
import { guardEvent } from '../../src/gateway/schema/events.ts'
import {
  decisionReply,
  exchangeReply,
  killReply,
  previewReply,
} from '../../src/gateway/schema/replies.ts'
import { status } from '../../src/gateway/schema/status.ts'
import { accountAddress, order, orders } from '../engine/world.fixture.ts'
import type { World } from '../engine/world.fixture.ts'
import { serve } from './served.fixture.ts'
import type { Served } from './served.fixture.ts'

let served: Served
let world: World
let gateway: Gateway

beforeEach(async () => {
  served = await serve(100_000)
  world = served.world
  gateway = served.gateway
  return served.close
})

const ajv = new Ajv2020({ strict: false, allErrors: true })
const strict = (schema: z.ZodType) => ajv.compile(z.toJSONSchema(schema, { io: 'output' }))
/** Fits the schema, and shows nothing that the schema does not have. */
function expectFits(schema: z.ZodType, value: unknown): void {
  const validate = strict(schema)
  expect([validate(value), validate.errors, value]).toEqual([true, null, value])
}
const post = async (path: string, body: unknown): Promise<any> =>
  (await served.post(path, body)).json()
const get = async (path: string): Promise<any> => (await fetch(`${gateway.url}${path}`)).json()

test('the life of a run: every event, decision and status is as published', async () => {
  const followed: any[] = []
  const client = createClient({ baseUrl: gateway.url })
  const following = (async () => {
    for await (const event of client.follow(0)) {
      followed.push(event)
      if (event.kind === 'flatten') break
    }
  })()

  const signed: any = world.sign(orders(order(1, true, '4010', '0.1')))
  const reply = await post('/exchange', signed)
  expectFits(exchangeReply, reply)
  expect(reply).toMatchObject({ status: 'ok', verdict: 'resize', size: '0.1' })
  await world.event('sent', (each) => each.index === 1)

  const decision = await get(`/guard/decision?nonce=${String(signed.nonce)}&client=${world.client}`)
  expectFits(decisionReply, decision)
  expect(decision.decision.verdict).toBe('resize')
  expect(decision.sent.map(({ index }: any) => index)).toEqual([0, 1])
  const { forward, post: stops } = decision.decision
  for (const [{ c }] of [forward.orders, ...stops.map(({ orders }: any) => orders)]) {
    expect(await client.decisionOn(c.toUpperCase().replace('X', 'x'))).toEqual(decision)
  }
  expect(await client.decisionOn(`0x${'0'.repeat(32)}`)).toBeNull()

  const refused = await post('/exchange', '{"action":')
  expectFits(exchangeReply, refused)
  expect(refused).toMatchObject({ status: 'err', code: 'malformed', verdict: 'veto' })

  await world.outside(orders(order(2, true, '201', '5')))
  await world.event('protect')
  await world.until(() => world.guard.status().positions.length === 2, 'two positions')
  expectFits(status, await get('/guard/status'))

  const killed = await post('/guard/kill', world.sign({ type: 'guardKill', reason: 'enough' }))
  expectFits(killReply, killed)
  expect(killed.killed.reason).toBe(`enough (client ${world.client})`)
  await following
  const latched = await get('/guard/status')
  expectFits(status, latched)
  expect(latched.kill).toMatchObject({ latched: true, durable: true })

  expect(followed.map(({ seq }) => seq)).toEqual(followed.map((_, index) => index + 1))
  const kinds = new Set(followed.map(({ kind }) => kind))
  for (const kind of ['started', 'decision', 'sent', 'risk', 'protect', 'kill', 'flatten']) {
    expect(kinds).toContain(kind)
  }
  for (const event of await get('/guard/events')) expectFits(guardEvent, event)
})

test('a preview is what the decision then is, and leaves nothing behind', async () => {
  const action = orders(order(1, true, '4010', '50'))
  await world.event('risk')
  const before = world.opened.reader.lastSeq
  const shown = await post('/guard/preview', { action, client: world.client })
  expectFits(previewReply, shown)
  expect(shown.verdict).toBe('resize')
  expect(world.opened.reader.lastSeq).toBe(before)
  const reply = await post('/exchange', world.sign(action))
  expect(reply.size).toBe(shown.entries[0].size)
  const malformed = await post('/guard/preview', '{}')
  expect(malformed.error.code).toBe('malformed')
})

test('an over-long body and an over-long message are one decision each', async () => {
  const long = await fetch(`${gateway.url}/exchange`, {
    method: 'POST',
    body: 'x'.repeat(1_048_577),
  })
  expect(long.status).toBe(413)
  expect(await long.json()).toMatchObject({ status: 'err', code: 'malformed' })
  const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/ws`)
  await new Promise((resolve) => socket.once('open', resolve))
  socket.send('x'.repeat(1_048_577))
  expect(await new Promise((resolve) => socket.once('close', resolve))).toBe(1009)
  await world.until(() => world.events('decision').length === 2, 'two decisions')
  expect(world.events('decision').map(({ via, code }) => [via, code])).toEqual([
    ['http', 'malformed'],
    ['ws', 'malformed'],
  ])
})

test('an unmodified client reads, follows streams and trades over the socket', async () => {
  const socket = new hl.WebSocketTransport({
    url: `${gateway.url.replace('http', 'ws')}/ws`,
    reconnect: { WebSocket: WebSocket as any },
  } as any)
  const info = new hl.InfoClient({ transport: socket })
  expect((await info.meta()).universe.map(({ name }) => name)).toContain('ETH')
  const subscriptions = new hl.SubscriptionClient({ transport: socket })
  const books: any[] = []
  const fills: any[] = []
  await subscriptions.l2Book({ coin: 'ETH' }, (book) => void books.push(book))
  await subscriptions.userFills({ user: accountAddress }, (fill) => void fills.push(fill))
  await world.until(() => books.length > 0 && fills.length > 0, 'the first book and the snapshot')
  expect(books[0].coin).toBe('ETH')
  expect(fills[0].isSnapshot).toBe(true)

  const reply: any = await new Promise((resolve) => {
    const raw = new WebSocket(`${gateway.url.replace('http', 'ws')}/exchange`)
    const payload = JSON.stringify(world.sign(orders(order(1, true, '4010', '0.1'))))
    raw.once('open', () => {
      raw.send(
        `{"method":"post","id":18446744073709551615,"request":{"type":"action","payload":${payload}}}`,
      )
    })
    raw.once('message', (text) => {
      raw.close()
      resolve(String(text))
    })
  })
  expect(reply).toContain('"id":18446744073709551615,')
  expect(JSON.parse(reply).data.response.payload).toMatchObject({ status: 'ok', verdict: 'resize' })
  await world.until(() => fills.some(({ isSnapshot }) => isSnapshot !== true), 'the fill')
  expect(world.events('decision').at(-1)).toMatchObject({ via: 'ws', client: world.client })
  await socket.close()
})

test('an unknown coin does not cost the other bots their stream', async () => {
  const open = async (): Promise<{ socket: WebSocket; got: any[] }> => {
    const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/ws`)
    const got: any[] = []
    socket.on('message', (raw) => got.push(JSON.parse(String(raw))))
    await new Promise((resolve) => socket.once('open', resolve))
    return { socket, got }
  }
  const [good, bad] = [await open(), await open()]
  const subscribe = (coin: string) =>
    JSON.stringify({ method: 'subscribe', subscription: { type: 'bbo', coin } })
  good.socket.send(subscribe('BTC'))
  await world.until(() => good.got.length > 0, 'the acknowledgement')
  bad.socket.send(subscribe('NOPE'))
  await world.until(() => bad.got.length > 0, 'the refusal')
  expect(bad.got[0]).toEqual({
    channel: 'error',
    data: 'Invalid subscription {"type":"bbo","coin":"NOPE"}',
  })
  const before = good.got.length
  await world.venue.control('price', { coin: 'BTC', mid: '101000' })
  await world.until(() => good.got.length > before, 'the next quote')
  good.socket.close()
  bad.socket.close()
})
