import { deflateRawSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startRig, until } from '../gateway.fixture.ts'
import { account } from '../status.fixture.ts'
import type { Rig } from '../gateway.fixture.ts'
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
const connect = (): Promise<Bot> => Bot.connect(rig.gateway.port)
const userN = (n: number): string => `0x${n.toString(16).padStart(40, '0')}`
const book = (coin: string, n: number) => ({
  channel: 'l2Book',
  data: { coin, time: n, levels: [[], []] },
})

test.each([
  '{"type":"l2Book","coin":"BTC","nSigFigs":null,"mantissa":null}',
  '{"coin":"BTC","type":"l2Book"}',
  '{"type":"l2Book","coin":"BTC","fast":false}',
  `{"type":"userFills","user":"${account}","aggregateByTime":false}`,
  `{"user":"${account}","type":"clearinghouseState"}`,
  '{"type":"allMids"}',
  '{"type":"allMids","dex":""}',
  '{"dex":null,"type":"allMids"}',
  '{"type":"trades","coin":"@107"}',
  '{"type":"fastAssetCtxs"}',
  '{"type":"outcomeMetaUpdates"}',
])('%s is passed on and acknowledged key for key', async (said) => {
  const bot = await connect()
  bot.send(`{"method":"subscribe","subscription":${said}}`)
  await bot.has('subscriptionResponse')
  const answer = (method: string): string =>
    `{"channel":"subscriptionResponse","data":{"method":"${method}","subscription":${said}}}`
  expect(bot.texts).toEqual([answer('subscribe')])
  expect(JSON.stringify(upstream.asked('subscribe')[0])).toBe(said)
  bot.send(`{"method":"unsubscribe","subscription":${said}}`)
  await bot.has('subscriptionResponse', 2)
  expect(bot.texts[1]).toBe(answer('unsubscribe'))
  await until(() => upstream.asked('unsubscribe').length === 1)
  expect(JSON.stringify(upstream.asked('unsubscribe')[0])).toBe(said)
})

test('what the venue does not know is not passed on, and an address goes in lower case', async () => {
  const bot = await connect()
  const user = account.toUpperCase().replace('X', 'x').replace('1', 'A').replace('1', 'B')
  bot.subscribe({ type: 'orderUpdates', user, strange: true })
  const [answer] = await bot.has('subscriptionResponse')
  expect(answer.subscription).toEqual({ type: 'orderUpdates', user, strange: true })
  expect(upstream.asked('subscribe')).toEqual([{ type: 'orderUpdates', user: user.toLowerCase() }])
})

test('bots that name the dex and bots that do not are told the same prices in their own words', async () => {
  const [plain, named] = await Promise.all([connect(), connect()])
  plain.subscribe({ type: 'allMids' })
  named.subscribe({ type: 'allMids', dex: '' })
  await Promise.all([plain.has('subscriptionResponse'), named.has('subscriptionResponse')])
  // Both are one route, so each has a socket of its own; the venue names the dex where it was named.
  for (const { socket, got } of upstream.open) {
    const dex = got.find(({ method }) => method === 'subscribe').subscription.dex
    const data = { mids: { BTC: '1' }, ...(dex === undefined ? {} : { dex }) }
    upstream.say({ channel: 'allMids', data }, socket)
  }
  expect(await plain.has('allMids')).toEqual([{ mids: { BTC: '1' } }])
  expect(await named.has('allMids')).toEqual([{ mids: { BTC: '1' }, dex: '' }])
})

test('one who asks late for packed prices gets a first frame with all of them', async () => {
  const packed = (json: object): string => deflateRawSync(JSON.stringify(json)).toString('base64')
  const [early, late] = await Promise.all([connect(), connect()])
  early.subscribe({ type: 'fastAssetCtxs' })
  await early.has('subscriptionResponse')
  const [first, then] = [packed({ BTC: { markPx: '1' } }), packed({ ETH: { markPx: '2' } })]
  for (const data of [first, then]) upstream.say({ channel: 'fastAssetCtxs', data })
  expect(await early.has('fastAssetCtxs', 2)).toEqual([first, then])
  late.subscribe({ type: 'fastAssetCtxs' })
  expect(await late.has('fastAssetCtxs')).toEqual([
    packed({ BTC: { markPx: '1' }, ETH: { markPx: '2' } }),
  ])
})

test('ways to ask that change nothing in the frames share one stream', async () => {
  const bots = await Promise.all([connect(), connect(), connect()])
  const ways = [{}, { nSigFigs: null, mantissa: null }, { fast: false }]
  for (const [at, bot] of bots.entries()) {
    bot.subscribe({ type: 'l2Book', coin: 'BTC', ...ways[at] })
    await bot.has('subscriptionResponse')
  }
  expect(upstream.asked('subscribe')).toHaveLength(1)
})

test('a bot that starts over and over uses up neither sockets nor messages of the venue', async () => {
  for (let start = 0; start < 40; start += 1) {
    const bot = await connect()
    bot.subscribe({ type: 'l2Book', coin: 'BTC' })
    await bot.has('subscriptionResponse')
    bot.socket.terminate()
    await until(() => upstream.asked('unsubscribe').length === start + 1)
    rig.time.advance(1_000)
  }
  expect(upstream.sockets.length).toBe(1)
  rig.time.advance(59_000)
  expect(upstream.open.length).toBe(1)
  rig.time.advance(1_000)
  await until(() => upstream.open.length === 0)
})

const turns = async (): Promise<void> => {
  for (let n = 0; n < 5; n += 1) await new Promise((resolve) => setImmediate(resolve))
}

/** With the second passing in which a socket comes back that was not known to be lost. */
const soon = (check: () => boolean): Promise<boolean> => {
  let passed = 0
  return until(() => {
    if (passed < 1_000) rig.time.advance(1)
    passed += 1
    return check()
  })
}

test('a socket that is lost while nobody needs it is made anew for the next who does', async () => {
  const bot = await connect()
  const subscription = { type: 'l2Book', coin: 'BTC' }
  bot.subscribe(subscription)
  await bot.has('subscriptionResponse')
  bot.unsubscribe(subscription)
  await until(() => upstream.asked('unsubscribe').length === 1)
  for (const { socket } of upstream.open) socket.terminate()
  await until(() => upstream.open.length === 0)
  bot.subscribe({ type: 'bbo', coin: 'BTC' })
  await soon(() => bot.on('subscriptionResponse').length === 3)
  expect(upstream.sockets.length).toBe(2)
})

test('one that is lost just before it is not needed any more comes back once, not twice', async () => {
  const bot = await connect()
  const subscription = { type: 'l2Book', coin: 'BTC' }
  bot.subscribe(subscription)
  await bot.has('subscriptionResponse')
  for (const { socket } of upstream.open) socket.terminate()
  await until(() => upstream.open.length === 0)
  bot.unsubscribe(subscription)
  await bot.has('subscriptionResponse', 2)
  bot.subscribe({ type: 'bbo', coin: 'BTC' })
  await soon(() => bot.on('subscriptionResponse').length === 3)
  rig.time.advance(1_000)
  await until(() => upstream.open.length === 1)
  expect(upstream.sockets.length).toBe(2)
})

test('a venue that hangs up again and again is not asked for a socket more often than it allows', async () => {
  const bot = await connect()
  bot.subscribe({ type: 'l2Book', coin: 'BTC' })
  await bot.has('subscriptionResponse')
  for (let second = 0; second < 40; second += 0.25) {
    for (const { socket } of upstream.open) socket.terminate()
    await turns()
    rig.time.advance(250)
    await turns()
  }
  expect(upstream.sockets.length).toBe(12)
  for (let second = 0; second < 80 && upstream.open.length === 0; second += 1) {
    rig.time.advance(1_000)
    await turns()
  }
  await until(() => upstream.open.length === 1)
})

/** As many different streams as wanted: nothing is looked up for them. */
const streamN = (n: number) => ({ type: 'allMids', dex: `d${String(n)}` })

test('only so many streams are asked for in a minute', async () => {
  const bot = await connect()
  for (let n = 0; n < 600; n += 1) {
    bot.subscribe(streamN(n))
    await bot.has('subscriptionResponse', 2 * n + 1)
    bot.unsubscribe(streamN(n))
    await bot.has('subscriptionResponse', 2 * n + 2)
  }
  bot.subscribe(streamN(0))
  const [refused] = await bot.has('error')
  expect(refused).toMatch(/^Guard asks the venue for at most 600 streams a minute: /)
  expect(upstream.asked('subscribe').length).toBe(600)
  rig.time.advance(60_000)
  const later = await connect()
  later.subscribe(streamN(0))
  await later.has('subscriptionResponse')
  expect(upstream.asked('subscribe').length).toBe(601)
})

test('a venue that hangs up again and again is not asked for more streams than it allows', async () => {
  const bot = await connect()
  for (let n = 0; n < 150; n += 1) bot.subscribe(streamN(n))
  await bot.has('subscriptionResponse', 150)
  for (const asked of [300, 450, 600]) {
    for (const { socket } of upstream.open) socket.terminate()
    await soon(() => upstream.asked('subscribe').length === asked)
  }
  for (const { socket } of upstream.open) socket.terminate()
  await until(() => upstream.open.length === 0)
  for (let second = 0; second < 20; second += 1) {
    rig.time.advance(1_000)
    await turns()
  }
  expect(upstream.asked('subscribe').length).toBe(600)
  // Then it waits until the earliest are a minute old, and comes back with all of them.
  await until(() => {
    rig.time.advance(1_000)
    return upstream.asked('subscribe').length === 750
  })
  expect(upstream.open.length).toBe(1)
})

test('bots follow so many streams that the venue has room for those of Guard itself', async () => {
  const bot = await connect()
  for (let n = 0; n <= 600; n += 1) bot.subscribe(streamN(n))
  expect(await bot.has('error')).toEqual(['Cannot track more than 600 subscriptions.'])
  await bot.has('subscriptionResponse', 600)
  expect(upstream.asked('subscribe').length).toBe(600)
})

test('what is asked for anew counts among the streams of a minute', async () => {
  upstream.acknowledges = false
  const bot = await connect()
  for (let n = 0; n < 600; n += 1) bot.subscribe(streamN(n))
  await until(() => upstream.asked('subscribe').length === 600)
  const [first] = upstream.asked('subscribe')
  upstream.say({ channel: 'error', data: `Already subscribed: ${JSON.stringify(first)}` })
  await bot.has('subscriptionResponse')
  upstream.say({ channel: 'pong' })
  await turns()
  expect(upstream.asked('subscribe')).toHaveLength(600)
  expect(upstream.asked('unsubscribe')).toEqual([])
})

test('many bots share one subscription, and it ends with the last of them', async () => {
  const bots = await Promise.all([connect(), connect(), connect()])
  for (const bot of bots) {
    bot.subscribe({ type: 'l2Book', coin: 'BTC' })
    await bot.has('subscriptionResponse')
  }
  bots[0]?.subscribe({ type: 'bbo', coin: 'BTC' })
  await bots[0]?.has('subscriptionResponse', 2)
  expect(upstream.asked('subscribe').length).toBe(2)
  upstream.say(book('BTC', 1))
  for (const bot of bots) expect(await bot.has('l2Book')).toEqual([book('BTC', 1).data])
  bots[0]?.unsubscribe({ type: 'l2Book', coin: 'BTC' })
  await bots[0]?.has('subscriptionResponse', 3)
  bots[1]?.socket.terminate()
  upstream.say(book('BTC', 2))
  await bots[2]?.has('l2Book', 2)
  expect(bots[0]?.on('l2Book').length).toBe(1)
  expect(upstream.asked('unsubscribe')).toEqual([])
  bots[2]?.socket.terminate()
  await until(() => upstream.asked('unsubscribe').length === 1)
})

test.each(['XYZ', 'btc', 'BTC ', 'dex:BTC', '@999', '', 'x'.repeat(50)])(
  'the unknown coin %j never reaches the venue',
  async (coin) => {
    const bot = await connect()
    const subscription = { type: 'l2Book', coin }
    bot.subscribe(subscription)
    expect(await bot.has('error')).toEqual([`Invalid subscription ${JSON.stringify(subscription)}`])
    expect(upstream.sockets.length).toBe(0)
  },
)

test.each([
  { nSigFigs: 6 },
  { nSigFigs: 1 },
  { mantissa: 2 },
  { nSigFigs: 4, mantissa: 2 },
  { nSigFigs: 5, mantissa: 3 },
])('a book depth the venue drops the connection for is refused: %j', async (depth) => {
  const bot = await connect()
  bot.subscribe({ type: 'l2Book', coin: 'BTC', ...depth })
  const [text] = await bot.has('error')
  expect(text).toContain('Invalid subscription')
  expect(upstream.sockets.length).toBe(0)
})

test('with the venue away a coin cannot be checked, and nothing is risked', async () => {
  rig.venue.error = { kind: 'unreachable', text: 'away' }
  const bot = await connect()
  bot.subscribe({ type: 'l2Book', coin: 'BTC' })
  const [text] = await bot.has('error')
  expect(text).toContain('cannot ask the venue about BTC')
})

test('saying it twice is told, as on the venue', async () => {
  const bot = await connect()
  const subscription = { type: 'allMids' }
  bot.subscribe(subscription)
  bot.subscribe(subscription)
  expect(await bot.has('error')).toEqual(['Already subscribed: {"type":"allMids"}'])
  bot.unsubscribe(subscription)
  bot.unsubscribe(subscription)
  expect((await bot.has('error', 2))[1]).toBe('Already unsubscribed: {"type":"allMids"}')
})

test('streams that cannot be told apart go over sockets of their own', async () => {
  const bot = await connect()
  bot.subscribe({ type: 'orderUpdates', user: userN(1) })
  bot.subscribe({ type: 'l2Book', coin: 'BTC' })
  await bot.has('subscriptionResponse', 2)
  const other = await connect()
  other.subscribe({ type: 'orderUpdates', user: userN(2) })
  other.subscribe({ type: 'l2Book', coin: 'BTC', nSigFigs: 3 })
  other.subscribe({ type: 'l2Book', coin: 'kPEPE', nSigFigs: 3 })
  await other.has('subscriptionResponse', 3)
  expect(upstream.open.length).toBe(2)
  const [first, second] = upstream.open
  upstream.say(
    { channel: 'orderUpdates', data: [{ order: { oid: 1 }, status: 'open' }] },
    first?.socket,
  )
  upstream.say(
    { channel: 'orderUpdates', data: [{ order: { oid: 2 }, status: 'open' }] },
    second?.socket,
  )
  expect((await bot.has('orderUpdates'))[0][0].order.oid).toBe(1)
  expect((await other.has('orderUpdates'))[0][0].order.oid).toBe(2)
})

test('too many streams of one kind, and too many users, are refused', async () => {
  const bot = await connect()
  for (let n = 1; n <= 7; n += 1) bot.subscribe({ type: 'orderUpdates', user: userN(n) })
  const [text] = await bot.has('error')
  expect(text).toContain('Cannot follow so many different streams')
  for (let n = 1; n <= 10; n += 1) bot.subscribe({ type: 'userFills', user: userN(n) })
  const errors = await bot.has('error', 2)
  expect(errors[1]).toBe('Cannot track more than 10 total users.')
  bot.subscribe({ type: 'userFills', user: account })
  await bot.has('subscriptionResponse', 6 + 9 + 1)
})

test('who comes late is told what the others know', async () => {
  const early = await connect()
  const user = account
  early.subscribe({ type: 'l2Book', coin: 'BTC' })
  early.subscribe({ type: 'userFills', user })
  early.subscribe({ type: 'orderUpdates', user })
  early.subscribe({ type: 'trades', coin: 'BTC' })
  early.subscribe({ type: 'userEvents', user })
  await early.has('subscriptionResponse', 5)
  upstream.say(book('BTC', 1))
  upstream.say(book('BTC', 2))
  const fill = (tid: number) => ({ tid, time: tid })
  upstream.say({
    channel: 'userFills',
    data: { user, isSnapshot: true, fills: [fill(3), fill(2)] },
  })
  upstream.say({ channel: 'userFills', data: { user, fills: [fill(4), fill(5)] } })
  const update = (oid: number, status: string) => ({ order: { oid }, status })
  upstream.say({ channel: 'orderUpdates', data: [update(1, 'open'), update(2, 'open')] })
  upstream.say({ channel: 'orderUpdates', data: [update(1, 'filled')] })
  upstream.say({ channel: 'trades', data: [{ coin: 'BTC', tid: 1, time: 1 }] })
  upstream.say({ channel: 'trades', data: [{ coin: 'BTC', tid: 2, time: 2 }] })
  upstream.say({ channel: 'user', data: { fills: [] } })
  await early.has('user')
  const late = await connect()
  late.subscribe({ type: 'l2Book', coin: 'BTC' })
  late.subscribe({ type: 'userFills', user })
  late.subscribe({ type: 'orderUpdates', user })
  late.subscribe({ type: 'trades', coin: 'BTC' })
  late.subscribe({ type: 'userEvents', user })
  await late.has('subscriptionResponse', 5)
  expect(late.got[0].channel).toBe('subscriptionResponse')
  expect(late.on('l2Book')).toEqual([book('BTC', 2).data])
  expect(late.on('userFills')).toEqual([
    { user, isSnapshot: true, fills: [fill(5), fill(4), fill(3), fill(2)] },
  ])
  expect(late.on('orderUpdates')).toEqual([[update(2, 'open')]])
  expect(late.on('trades')[0].map(({ tid }: any) => tid)).toEqual([1, 2])
  expect(late.on('user')).toEqual([])
  expect(early.on('l2Book').length).toBe(2)
  expect(upstream.asked('subscribe').length).toBe(5)
})

test('a lost socket comes back with every subscription, and bots notice nothing', async () => {
  const bot = await connect()
  bot.subscribe({ type: 'l2Book', coin: 'BTC' })
  bot.subscribe({ type: 'allMids' })
  await bot.has('subscriptionResponse', 2)
  for (const { socket } of upstream.open) socket.terminate()
  await until(() => rig.options.metrics.registry.text().includes('guard_relay_reconnects_total 1'))
  rig.time.advance(500)
  await until(() => upstream.asked('subscribe').length === 4)
  upstream.say(book('BTC', 1))
  upstream.say({ channel: 'allMids', data: { mids: { BTC: '1' } } })
  await bot.has('l2Book')
  await bot.has('allMids')
  expect(bot.on('subscriptionResponse').length).toBe(2)
  expect(bot.on('error')).toEqual([])
})

test('a socket that is open and silent counts as lost', async () => {
  const bot = await connect()
  bot.subscribe({ type: 'allMids' })
  await bot.has('subscriptionResponse')
  const [first] = upstream.open
  first?.socket.removeAllListeners('message')
  for (let n = 1; n <= 4; n += 1) {
    rig.time.advance(20_000)
    bot.send({ method: 'ping' })
    await bot.has('pong', n)
  }
  await until(() => first?.socket.readyState === 3)
  rig.time.advance(1_000)
  await until(() => upstream.open.length === 1)
})

test('a subscription that makes the venue hang up is given up, and the others come back', async () => {
  const bot = await connect()
  bot.subscribe({ type: 'allMids' })
  await bot.has('subscriptionResponse')
  upstream.poison = 'kPEPE'
  const other = await connect()
  other.subscribe({ type: 'bbo', coin: 'kPEPE' })
  const reconnects = (n: number) =>
    until(() =>
      rig.options.metrics.registry.text().includes(`guard_relay_reconnects_total ${String(n)}`),
    )
  await reconnects(1)
  rig.time.advance(1_000)
  const [text] = await Promise.all([other.has('error'), reconnects(2)])
  expect(text[0]).toContain('Invalid subscription')
  rig.time.advance(2_000)
  await until(() => upstream.open.length === 1)
  await until(() => upstream.open[0]?.got.length === 1)
  upstream.say({ channel: 'allMids', data: { mids: {} } })
  await bot.has('allMids')
  expect(bot.on('error')).toEqual([])
})

test('a refusal of the venue reaches the bots that asked', async () => {
  upstream.acknowledges = false
  const bot = await connect()
  bot.subscribe({ type: 'userFills', user: account })
  await until(() => upstream.asked('subscribe').length === 1)
  upstream.say({ channel: 'error', data: 'Cannot track more than 10 total users.' })
  expect(await bot.has('error')).toEqual(['Cannot track more than 10 total users.'])
})

test('a stream whose end the venue has missed is asked for anew, so that it begins with its state', async () => {
  upstream.acknowledges = false
  const bot = await connect()
  bot.subscribe({ type: 'allMids' })
  await until(() => upstream.asked('subscribe').length === 1)
  const already = { channel: 'error', data: 'Already subscribed: {"type":"allMids"}' }
  upstream.say(already)
  await bot.has('subscriptionResponse')
  await until(() => upstream.asked('subscribe').length === 2)
  expect(upstream.asked('unsubscribe')).toHaveLength(1)
  // Where that is not heard either, nobody goes on asking.
  upstream.say(already)
  upstream.say({ channel: 'allMids', data: { mids: {} } })
  await bot.has('allMids')
  expect(upstream.asked('subscribe')).toHaveLength(2)
  expect(bot.on('subscriptionResponse')).toHaveLength(1)
})

test('a bot that does not read is cut off, and the others go on', async () => {
  const [slow, quick] = [await connect(), await connect()]
  for (const bot of [slow, quick]) {
    bot.subscribe({ type: 'l2Book', coin: 'BTC' })
    await bot.has('subscriptionResponse')
  }
  slow.socket.pause()
  const padding = 'x'.repeat(1_000_000)
  let n = 0
  while (
    !rig.options.metrics.registry.text().includes('guard_slow_readers_total{transport="ws"} 1')
  ) {
    n += 1
    upstream.say({ channel: 'l2Book', data: { coin: 'BTC', time: n, padding } })
    await quick.has('l2Book', n)
    if (n > 60) throw new Error('the slow bot was never cut off')
  }
  slow.socket.resume()
  await until(() => slow.closed)
  expect(quick.closed).toBe(null)
})
