import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { millis } from '../../../../src/core/values/millis.ts'
import {
  demoUser,
  marketBuy,
  order,
  signed,
  stopChild,
  TestVenue,
} from '../../simulator.fixture.ts'
import { rawPostId } from './rawPostId.ts'

let venue: TestVenue
beforeAll(async () => {
  venue = await TestVenue.start()
})
afterAll(() => venue.close())
beforeEach(() => venue.freeze())
afterEach(() => venue.closeSockets())

describe('requests', () => {
  test.each([
    [
      { type: 'l2Book', coin: 'BTC' },
      { type: 'l2Book', coin: 'BTC', nSigFigs: null, mantissa: null, fast: false },
    ],
    [
      { type: 'l2Book', coin: 'BTC', nSigFigs: null, mantissa: null, note: 1 },
      { type: 'l2Book', coin: 'BTC', nSigFigs: null, mantissa: null, fast: false },
    ],
    [
      { type: 'userFills', user: demoUser.toUpperCase().replace('0X', '0x') },
      { type: 'userFills', user: demoUser, aggregateByTime: false },
    ],
    [
      { type: 'clearinghouseState', user: demoUser, dex: '' },
      { type: 'clearinghouseState', user: demoUser, dex: '' },
    ],
    [
      { type: 'allMids', dex: null },
      { type: 'allMids', dex: null },
    ],
  ])('%j is acknowledged as %j', async (subscription, normalised) => {
    const socket = await venue.open()
    socket.subscribe(subscription as any)
    await socket.settled()
    expect(socket.frames[0]).toEqual({
      channel: 'subscriptionResponse',
      data: { method: 'subscribe', subscription: normalised },
    })
  })

  test('unsubscribing ends a stream, twice is an error', async () => {
    const socket = await venue.open()
    const subscription = { type: 'bbo', coin: 'ETH' }
    socket.subscribe(subscription)
    socket.send({ method: 'unsubscribe', subscription })
    socket.send({ method: 'unsubscribe', subscription })
    await socket.settled()
    const from = socket.frames.length
    expect(socket.frames.at(-2)).toEqual({
      channel: 'error',
      data: 'Already unsubscribed: {"type":"bbo","coin":"ETH"}',
    })
    await venue.control('price', { coin: 'ETH', mid: '2500' })
    await socket.settled()
    expect(socket.frames.slice(from).map((frame) => frame.channel)).toEqual(['pong'])
  })

  test.each([
    [
      [
        { method: 'subscribe', subscription: { type: 'l2Book', coin: 'SOL' } },
        { method: 'subscribe', subscription: { type: 'l2Book', coin: 'SOL', fast: false } },
      ],
      'Already subscribed: {"type":"l2Book","coin":"SOL","nSigFigs":null,"mantissa":null,"fast":false}',
    ],
    ['hello', 'Error parsing JSON into valid websocket request: hello'],
    ...[
      { method: 'subscribe', subscription: { type: 'bbo', coin: ['BTC', 'ETH'] } },
      { method: 'subscribe', subscription: { type: 'nothing' } },
      { method: 'subscribe', subscription: { type: 'userFills' } },
      { method: 'dance' },
      { method: 'post', request: { type: 'info', payload: { type: 'allMids' } } },
      { method: 'post', id: 1, request: { type: 'info', payload: { type: 'nothing' } } },
      { method: 'post', id: 1, request: { type: 'action', payload: { action: {} } } },
    ].map((frame): [unknown, string] => [
      frame,
      `Error parsing JSON into valid websocket request: ${JSON.stringify(frame)}`,
    ]),
  ])('%j is answered on the error channel and the socket stays open', async (frames, text) => {
    const socket = await venue.open()
    for (const frame of Array.isArray(frames) ? frames : [frames]) socket.send(frame)
    expect((await socket.onChannel('error')).data).toBe(text)
    await socket.settled()
  })

  test.each([
    [{ type: 'l2Book', coin: 'NONE' }],
    [{ type: 'l2Book', coin: 'btc' }],
    [{ type: 'bbo', coin: 'xyz:TSLA' }],
    [{ type: 'l2Book', coin: 'BTC', nSigFigs: 6 }],
    [{ type: 'l2Book', coin: 'BTC', mantissa: 2 }],
    [{ type: 'l2Book', coin: 'BTC', nSigFigs: 4, mantissa: 2 }],
  ])('%j drops the whole connection without a word', async (subscription) => {
    const socket = await venue.open()
    socket.subscribe({ type: 'allMids' })
    await socket.onChannel('allMids')
    const before = socket.frames.length
    socket.subscribe(subscription as any)
    expect(await socket.closed).toBe(1006)
    expect(socket.frames).toHaveLength(before)
  })

  test('post ids of any size come back exactly', async () => {
    const socket = await venue.open()
    const request = '{"type":"info","payload":{"type":"l2Book","coin":"NONE"}}'
    for (const id of ['7', '1794700679944', '18446744073709551615']) {
      socket.send(`{"method":"post","id":${id},"request":${request}}`)
    }
    await socket.settled()
    expect(socket.texts.slice(0, 3)).toEqual(
      ['7', '1794700679944', '18446744073709551615'].map(
        (id) =>
          `{"channel":"post","data":{"id":${id},"response":` +
          '{"type":"info","payload":{"type":"l2Book","data":null}}}}',
      ),
    )
  })

  test('an id is read where it stands', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 64n - 1n), fc.json(), fc.boolean(), (id, other, isFirst) => {
        const own = `"id" : ${String(id)}`
        const rest = `"x\\"id":${other},"request":{"id":3,"a":["id",{"id":4}]}`
        const text = isFirst ? `{${own},${rest}}` : `{${rest},${own} }`
        expect(rawPostId(text)).toBe(String(id))
      }),
      { numRuns: 200 },
    )
  })
})

test.each(['clearinghouseState', 'openOrders', 'twapStates'])(
  'the acknowledgement of %s names the main dex where none was named',
  async (type) => {
    const socket = await venue.open()
    socket.subscribe({ type, user: demoUser })
    const { data } = await socket.onChannel('subscriptionResponse', 0)
    expect(data.subscription).toEqual({ type, dex: '', user: demoUser })
  },
)

describe('events', () => {
  test('a snapshot of fills has the newest thirty', async () => {
    for (let n = 0; n < 32; n += 1) await venue.exchange(order({ p: '2600', tif: 'Ioc' }))
    const socket = await venue.open()
    socket.subscribe({ type: 'userFills', user: demoUser })
    const { data } = await socket.onChannel('userFills', 0)
    expect(data.isSnapshot).toBe(true)
    expect(data.fills).toHaveLength(30)
  })

  test('an order’s life on every stream of its account', async () => {
    const socket = await venue.open()
    const types = ['orderUpdates', 'userFills', 'userEvents', 'openOrders', 'notification']
    for (const type of types) socket.subscribe({ type, user: demoUser })
    socket.subscribe({ type: 'trades', coin: 'ETH' })
    await socket.settled()
    const from = socket.frames.length
    await venue.exchange(order({ p: '2600', tif: 'Ioc' }, stopChild))
    const updates = await socket.onChannel('orderUpdates', from)
    expect(updates.data.map((each: any) => each.status)).toContain('filled')
    const fills = await socket.onChannel('userFills', from)
    expect(fills.data).toMatchObject({ user: demoUser, fills: [{ dir: 'Open Long', sz: '0.1' }] })
    expect(fills.data).not.toHaveProperty('isSnapshot')
    const user = await socket.onChannel('user', from)
    expect(user.data.fills[0].tid).toBe(fills.data.fills[0].tid)
    // What is sent every few seconds may come between.
    const orders = await socket.next(
      ({ channel, data }) => channel === 'openOrders' && data.orders.length > 0,
      from,
    )
    expect(orders.data.orders).toMatchObject([{ isTrigger: true, triggerPx: '2300.0' }])
    const trades = await socket.onChannel('trades', from)
    expect(trades.data[0].tid).toBe(fills.data.fills[0].tid)
  })

  test('a second subscriber is shown the fills before it came, as a snapshot', async () => {
    await venue.exchange(marketBuy)
    const socket = await venue.open()
    socket.subscribe({ type: 'userFills', user: demoUser })
    const { data } = await socket.onChannel('userFills')
    expect(data).toMatchObject({ isSnapshot: true, fills: [{ sz: '0.1' }] })
  })

  test('orderUpdates replays open orders only where that reading is chosen', async () => {
    await venue.exchange(order({}))
    const socket = await venue.open()
    socket.subscribe({ type: 'orderUpdates', user: demoUser })
    await socket.settled()
    expect(socket.frames.map((frame) => frame.channel)).not.toContain('orderUpdates')
    const other = await TestVenue.start({
      options: { orderUpdatesReplay: true, laterIsSnapshot: 'false' },
    })
    try {
      await other.freeze()
      await other.exchange(order({}))
      const replayed = await other.open()
      replayed.subscribe({ type: 'orderUpdates', user: demoUser })
      expect((await replayed.onChannel('orderUpdates')).data[0].status).toBe('open')
      replayed.subscribe({ type: 'userFills', user: demoUser })
      await replayed.settled()
      const from = replayed.frames.length
      await other.exchange(marketBuy)
      expect((await replayed.onChannel('userFills', from)).data.isSnapshot).toBe(false)
    } finally {
      await other.close()
    }
  })

  test('an action as a post', async () => {
    const socket = await venue.open()
    socket.send({
      method: 'post',
      id: 9,
      request: { type: 'action', payload: signed(marketBuy) },
    })
    const { data } = await socket.onChannel('post')
    expect(data.response).toMatchObject({ type: 'action', payload: { status: 'ok' } })
  })
})

describe('time and limits', () => {
  test('cadences and the idle rule follow the clock', async () => {
    let now = 1_800_000_000_000
    const clock = { now: () => millis(now) }
    const still = await TestVenue.start({ clock })
    try {
      const [busy, idle] = [await still.open(), await still.open()]
      busy.subscribe({ type: 'allMids' })
      busy.subscribe({ type: 'l2Book', coin: 'ETH', fast: true })
      await busy.settled()
      await idle.settled()
      const from = busy.frames.length
      still.simulator.advance()
      for (let at = 0; at < 12; at++) {
        now += 5_000
        still.simulator.advance()
      }
      expect(await idle.closed).toBe(1006)
      await busy.settled()
      const channels = busy.frames.slice(from).map((frame) => frame.channel)
      expect(channels.filter((each) => each === 'allMids')).toHaveLength(12)
      expect(channels.filter((each) => each === 'l2Book')).toHaveLength(12)
    } finally {
      await still.close()
    }
  })

  test('users, subscriptions and connections have the venue’s limits', async () => {
    const limited = await TestVenue.start({
      weightLimit: 1_000_000,
      options: { connectionsMax: 2 },
    })
    try {
      const socket = await limited.open()
      for (let at = 0; at < 11; at++) {
        const user = `0x${at.toString(16).padStart(40, '0')}`
        socket.subscribe({ type: 'userEvents', user })
      }
      expect((await socket.onChannel('error')).data).toBe('Cannot track more than 10 total users.')
      await limited.open()
      const third = await limited.open()
      expect(await third.closed).toBe(1006)
    } finally {
      await limited.close()
    }
  })
})

test.each([
  [{}, { ignorePortfolioMargin: false }],
  [{ ignorePortfolioMargin: true }, { ignorePortfolioMargin: true }],
  [{ isPortfolioMargin: true }, { isPortfolioMargin: true }],
])('spotState with %j is acknowledged with %j', async (given, told) => {
  const venue = await TestVenue.start()
  try {
    const socket = await venue.open()
    socket.subscribe({ type: 'spotState', user: demoUser, ...given } as never)
    const { data } = await socket.onChannel('subscriptionResponse')
    expect(data.subscription).toEqual({ type: 'spotState', user: demoUser, ...told })
  } finally {
    await venue.close()
  }
})
