import { afterEach, beforeEach, expect, test } from 'vitest'
import { startRig, until } from '../gateway.fixture.ts'
import type { Rig } from '../gateway.fixture.ts'
import { exposedWords } from '../gatewayOptions.ts'
import { Bot, FakeUpstream } from './socket.fixture.ts'

let upstream: FakeUpstream
let rig: Rig
beforeEach(async () => {
  upstream = await FakeUpstream.start()
  rig = await startRig({ upstreamUrl: upstream.url })
})
afterEach(async () => {
  const closed = rig.gateway.close(0)
  rig.time.advance(1)
  await closed
  upstream.close()
})
const connect = (path?: string, headers?: Record<string, string>): Promise<Bot> =>
  Bot.connect(rig.gateway.port, path, headers)

const ids = ['1', '0', '1794700679944', '18446744073709551615', '9007199254740993', '-1']

test.each(ids)('post id %s comes back digit by digit', async (id) => {
  const bot = await connect()
  bot.send(`{"method":"post","id":${id},"request":{"type":"info","payload":{"type":"allMids"}}}`)
  await bot.has('post')
  expect(bot.texts[0]).toBe(
    `{"channel":"post","data":{"id":${id},"response":{"type":"info","payload":` +
      `{"type":"allMids","data":{"BTC":"100.5","@107":"3.0"}}}}}`,
  )
})

test.each(['/ws', '/exchange', '/', '//ws'])(
  'an action posted on %s is judged as it came',
  async (path) => {
    const bot = await connect(path)
    rig.guard.reply = { status: 200, body: { status: 'err', response: 'Guard veto [x]: y' } }
    const payload = '{"action": {"type":"order","a":1.50},"nonce":1,"nonce":2}'
    bot.send(`{"id":7, "request":{"payload": ${payload} ,"type":"action"},"method":"post"}`)
    const [reply] = await bot.has('post')
    expect(reply).toEqual({
      id: 7,
      response: { type: 'action', payload: { status: 'err', response: 'Guard veto [x]: y' } },
    })
    expect(rig.guard.bodies).toEqual([{ body: payload, via: 'ws' }])
    expect(rig.guard.requests).toEqual([expect.stringMatching(/-ws1-7$/)])
  },
)

test('posts are answered as they finish, not in turn', async () => {
  const bot = await connect()
  let release = (): void => undefined
  rig.guard.beforeReply = () => new Promise((resolve) => (release = resolve))
  bot.send('{"method":"post","id":1,"request":{"type":"action","payload":{}}}')
  bot.send('{"method":"post","id":2,"request":{"type":"info","payload":{"type":"allMids"}}}')
  await bot.has('post')
  expect(bot.on('post')[0].id).toBe(2)
  release()
  await bot.has('post', 2)
})

test('a bot that asks a thousand things at once gets them all, a hundred at a time', async () => {
  const bot = await connect()
  let most = 0
  let now = 0
  let go = () => undefined as void
  const areMany = new Promise<void>((resolve) => {
    go = resolve
  })
  rig.guard.beforeReply = async () => {
    now += 1
    most = Math.max(most, now)
    if (now === 100) go()
    await areMany
    await new Promise((resolve) => setImmediate(resolve))
    now -= 1
  }
  for (let id = 0; id < 1_000; id += 1) {
    bot.send(`{"method":"post","id":${String(id)},"request":{"type":"action","payload":{}}}`)
  }
  const replies = await bot.has('post', 1_000)
  expect(new Set(replies.map(({ id }) => id)).size).toBe(1_000)
  expect(most).toBe(100)
})

test('ping gets pong', async () => {
  const bot = await connect()
  bot.send('{ "method" : "ping" }')
  await bot.has('pong')
  expect(bot.texts).toEqual(['{"channel":"pong"}'])
})

test.each([
  'hello',
  '[]',
  '{}',
  '{"method":"dance"}',
  '{"method":"subscribe"}',
  '{"method":"subscribe","subscription":{"type":"noSuchThing"}}',
  '{"method":"subscribe","subscription":{"type":"orderUpdates","user":"0x12"}}',
  '{"method":"subscribe","subscription":{"type":"candle","coin":"BTC","interval":"7m"}}',
  '{"method":"subscribe","subscription":{"type":"constructor"}}',
  '{"method":"post","request":{"type":"info","payload":{}}}',
  '{"method":"post","id":"a","request":{"type":"info","payload":{}}}',
  '{"method":"post","id":1,"id":2,"request":{"type":"info","payload":{}}}',
  '{"method":"post","id":1,"request":{"type":"dance","payload":{}}}',
  '{"method":"post","id":1}',
])('%s is answered with the error of the venue, and the socket stays', async (frame) => {
  const bot = await connect()
  bot.send(frame)
  const [text] = await bot.has('error')
  expect(text).toBe(`Error parsing JSON into valid websocket request: ${frame}`)
  bot.send({ method: 'ping' })
  await bot.has('pong')
  expect(upstream.sockets.length).toBe(0)
})

test('a read the venue refuses or does not answer is an error with its id', async () => {
  const bot = await connect()
  rig.venue.error = { kind: 'unreachable', text: 'no route' }
  bot.send('{"method":"post","id":1,"request":{"type":"info","payload":{"type":"meta"}}}')
  await bot.has('post')
  rig.venue.error = null
  rig.venue.status = 422
  rig.venue.answer = () => 'Failed to deserialize'
  bot.send('{"method":"post","id":2,"request":{"type":"info","payload":{"type":"meta"}}}')
  bot.send('{"method":"post","id":3,"request":{"type":"info","payload":[]}}')
  const replies = await bot.has('post', 3)
  const byId = (id: number) => replies.find((reply) => reply.id === id).response
  expect(byId(1)).toEqual({ type: 'error', payload: 'the venue did not answer the read: no route' })
  expect(byId(2)).toEqual({ type: 'error', payload: 'Failed to deserialize' })
  expect(byId(3).type).toBe('error')
})

test('a message over 1 MiB closes with 1009 and is on record', async () => {
  const bot = await connect()
  bot.send(`"${'x'.repeat(1_048_576)}"`)
  await until(() => bot.closed)
  expect(bot.closed).toBe(1009)
  expect(rig.guard.overlong).toEqual(['ws'])
})

test('the 65th socket is refused with 503, and there is room again when one leaves', async () => {
  const bots = await Promise.all(Array.from({ length: 64 }, () => connect()))
  await expect(connect()).rejects.toThrow('refused with 503')
  bots[0]?.socket.close()
  await until(() => bots[0]?.closed)
  let next: Bot | null = null
  while (next === null) next = await connect().catch(() => null)
  expect(next.closed).toBe(null)
})

test.each([
  [{ Origin: 'http://127.0.0.1:8547' }, '/ws', null],
  [{ Origin: 'https://evil.example' }, '/ws', 403],
  [{ Host: 'evil.example' }, '/ws', 403],
  [{}, '/elsewhere', 404],
])('an upgrade with %j on %s: %j', async (headers, path, status) => {
  const opened = connect(path, headers)
  if (status === null) expect((await opened).closed).toBe(null)
  else await expect(opened).rejects.toThrow(`refused with ${String(status)}`)
})

test('beyond this machine a socket needs the token', async () => {
  const token = 'a-token-of-some-length'
  const exposed = { words: exposedWords, hosts: [], token } as const
  const open = await startRig({ listen: { host: '0.0.0.0', port: 0, exposed } })
  await expect(Bot.connect(open.gateway.port)).rejects.toThrow('refused with 401')
  const bot = await Bot.connect(open.gateway.port, '/ws', { Authorization: `Bearer ${token}` })
  bot.socket.terminate()
  const closed = open.gateway.close(0)
  open.time.advance(1)
  await closed
})

test('a bot that has gone without a word is let go', async () => {
  const bot = await connect()
  bot.socket.pause()
  rig.time.advance(30_000)
  rig.time.advance(30_000)
  bot.socket.resume()
  await until(() => bot.closed)
  const counted = async () => (await rig.ask('/metrics')).text.includes('guard_websocket_clients 0')
  expect(await counted()).toBe(true)
})

test('closing says goodbye', async () => {
  const bot = await connect()
  const closed = rig.gateway.close()
  await until(() => bot.closed)
  expect(bot.closed).toBe(1001)
  await closed
  rig = await startRig()
})

test('pings that nobody waits for are not answered without end', async () => {
  const bot = await connect()
  let pongs = 0
  bot.socket.on('pong', () => (pongs += 1))
  bot.socket.ping('one')
  await until(() => pongs === 1)
  // It no longer reads, and pings on: what Guard keeps for it stays small.
  bot.socket.pause()
  const payload = 'x'.repeat(125)
  const count = 200_000
  for (let n = 0; n < count; n += 1) bot.socket.ping(payload)
  await until(() => bot.socket.bufferedAmount === 0)
  bot.socket.resume()
  bot.send({ method: 'ping' })
  await bot.has('pong')
  expect(pongs).toBeLessThan(count)
})

test('what cannot be read is echoed up to a length', async () => {
  const bot = await connect()
  bot.send('x'.repeat(500_000))
  const [said] = await bot.has('error')
  expect(said).toHaveLength('Error parsing JSON into valid websocket request: '.length + 1_024)
})
