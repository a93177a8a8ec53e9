import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import type { WebSocket } from 'ws'
import { address } from '../core/values/address.ts'
import { coin } from '../core/values/coin.ts'
import { millis } from '../core/values/millis.ts'
import type { Timers, VenueNews, VenueStream } from '../engine/ports.ts'
import { openSocket } from './socket.ts'
import { createVenueStream } from './venueStream.ts'

const account = address(`0x${'a'.repeat(40)}`)

/** Time that only moves when a test moves it. */
class ManualTime implements Timers {
  nowMs = 1_000_000
  private tasks: { at: number; everyMs: number | null; run: () => void }[] = []

  after(ms: number, run: () => void): () => void {
    return this.add({ at: this.nowMs + ms, everyMs: null, run })
  }
  every(ms: number, run: () => void): () => void {
    return this.add({ at: this.nowMs + ms, everyMs: ms, run })
  }
  private add(task: { at: number; everyMs: number | null; run: () => void }): () => void {
    this.tasks.push(task)
    return () => {
      this.tasks = this.tasks.filter((each) => each !== task)
    }
  }
  pass(ms: number): void {
    const end = this.nowMs + ms
    while (true) {
      const [next] = this.tasks.filter((task) => task.at <= end).sort((a, b) => a.at - b.at)
      if (next === undefined) break
      this.nowMs = next.at
      if (next.everyMs === null) this.tasks = this.tasks.filter((each) => each !== next)
      else next.at += next.everyMs
      next.run()
    }
    this.nowMs = end
  }
}

let server: WebSocketServer
let time: ManualTime
let stream: VenueStream
let events: VenueNews[]
let wake: () => void = () => undefined

beforeEach(async () => {
  server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  await once(server, 'listening')
  time = new ManualTime()
  events = []
  stream = createVenueStream({
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws`,
    account,
    openSocket,
    clock: { now: () => millis(time.nowMs), monotonicMs: () => time.nowMs },
    timers: time,
    random: { bytes: (count) => new Uint8Array(count) },
    log: { log: () => undefined },
  })
})

afterEach(() => {
  stream.stop()
  for (const client of server.clients) client.terminate()
  server.close()
})

function start(): void {
  stream.start((event) => {
    events.push(event)
    wake()
  })
}

/** Waits for an event, not for a time. */
async function until(found: () => boolean): Promise<void> {
  while (!found()) {
    await new Promise<void>((resolve) => {
      wake = resolve
    })
  }
}

async function accepted(): Promise<{
  socket: WebSocket
  received: string[]
  heard: (count: number) => Promise<void>
}> {
  const [socket] = (await once(server, 'connection')) as [WebSocket]
  const received: string[] = []
  let more: () => void = () => undefined
  socket.on('message', (data: Buffer) => {
    received.push(data.toString('utf8'))
    more()
  })
  const heard = async (count: number): Promise<void> => {
    while (received.length < count) {
      await new Promise<void>((resolve) => {
        more = resolve
      })
    }
  }
  return { socket, received, heard }
}

/** What tells of orders and positions; only with these answered is a stream one of the account. */
const telling = ['clearinghouseState', 'openOrders', 'orderUpdates', 'userFills']

function acknowledge(socket: WebSocket, types: readonly string[] = telling): void {
  for (const type of types) {
    const data = { method: 'subscribe', subscription: { type, user: account, dex: '' } }
    socket.send(JSON.stringify({ channel: 'subscriptionResponse', data }))
  }
}

const states = (): string[] =>
  events.flatMap((event) => (event.kind === 'stream' ? [event.state] : []))
const accountSubscriptions = 10
const count = (kind: VenueNews['kind']): number =>
  events.filter((event) => event.kind === kind).length

/** An account without positions, as the venue tells it at a moment. */
function state(time: number): object {
  const margin = {
    ...{ accountValue: '1000.0', totalNtlPos: '0.0' },
    ...{ totalRawUsd: '1000.0', totalMarginUsed: '0.0' },
  }
  return {
    clearinghouseState: {
      ...{ marginSummary: margin, crossMarginSummary: margin, crossMaintenanceMarginUsed: '0.0' },
      ...{ withdrawable: '1000.0', assetPositions: [], time },
    },
  }
}

describe('the venue stream', () => {
  test('subscribes to everything of the account, and delivers what comes as domain events', async () => {
    start()
    const { socket, received, heard } = await accepted()
    await heard(accountSubscriptions)
    const types = received.map((text) => JSON.parse(text).subscription.type as string)
    expect(types).toEqual([
      'clearinghouseState',
      'openOrders',
      'orderUpdates',
      'userFills',
      'userFundings',
      'userNonFundingLedgerUpdates',
      'spotState',
      'twapStates',
      'userTwapSliceFills',
      'allMids',
    ])
    acknowledge(socket)
    socket.send(JSON.stringify({ channel: 'allMids', data: { mids: { BTC: '84213.5' } } }))
    await until(() => events.some((event) => event.kind === 'mids'))
    const mids = events.find((event) => event.kind === 'mids')
    expect(mids?.kind === 'mids' && mids.mids.get(coin('BTC'))?.toString()).toBe('84213.5')
    expect(states()).toEqual(['live'])
    expect(stream.lastMessageAt).toBe(time.nowMs)
  })

  test('a frame of another user, plain text and a frame that cannot be read deliver nothing', async () => {
    start()
    const { socket } = await accepted()
    const other = `0x${'b'.repeat(40)}`
    socket.send('Websocket connection established.')
    socket.send(
      JSON.stringify({ channel: 'openOrders', data: { dex: '', user: other, orders: [] } }),
    )
    socket.send(JSON.stringify({ channel: 'openOrders', data: { user: account, orders: 'x' } }))
    socket.send(
      JSON.stringify({ channel: 'openOrders', data: { dex: '', user: account, orders: [] } }),
    )
    await until(() => events.some((event) => event.kind === 'orders'))
    expect(events.filter((event) => event.kind !== 'stream')).toHaveLength(1)
  })

  test('a silent socket is stale after 3 s, down after 6 s, and made anew', async () => {
    start()
    const first = await accepted()
    acknowledge(first.socket)
    await until(() => states().includes('live'))
    time.pass(2_500)
    expect(states()).toEqual(['live'])
    time.pass(500)
    expect(states()).toEqual(['live', 'stale'])
    // What nobody has answered is asked for again meanwhile, and may come before or after it.
    for (let heard = 1; !first.received.includes('{"method":"ping"}'); heard += 1) {
      await first.heard(accountSubscriptions + heard)
    }
    time.pass(3_000)
    await until(() => states().includes('down'))
    const again = accepted()
    time.pass(250)
    const second = await again
    await second.heard(accountSubscriptions)
    acknowledge(second.socket)
    await until(() => states().at(-1) === 'live')
  })

  test('one that speaks again after a silence is made anew, for what was lost meanwhile', async () => {
    start()
    const first = await accepted()
    acknowledge(first.socket)
    await until(() => states().includes('live'))
    time.pass(3_000)
    expect(states()).toEqual(['live', 'stale'])
    first.socket.send('{"channel":"pong"}')
    await until(() => states().includes('down'))
    const again = accepted()
    time.pass(250)
    const second = await again
    await second.heard(accountSubscriptions)
    acknowledge(second.socket)
    await until(() => states().at(-1) === 'live')
  })

  test.each(telling)(
    'one that is alive and has not answered for %s is not live',
    async (missing) => {
      start()
      const first = await accepted()
      acknowledge(
        first.socket,
        telling.filter((type) => type !== missing),
      )
      const fills = { channel: 'userFundings', data: { user: account, fundings: [] } }
      first.socket.send(JSON.stringify(fills))
      await until(() => count('funding') === 1)
      expect(states()).toEqual([])
      acknowledge(first.socket, [missing])
      await until(() => states().includes('live'))
    },
  )

  test('one that answers pings and no subscription is made anew after 6 s', async () => {
    start()
    const first = await accepted()
    const alive = async (): Promise<void> => {
      const before = count('mids')
      first.socket.send(JSON.stringify({ channel: 'allMids', data: { mids: { BTC: '84213.5' } } }))
      await until(() => count('mids') > before)
    }
    for (let second = 0; second < 5; second += 1) {
      await alive()
      time.pass(1_000)
    }
    await alive()
    expect(states()).toEqual([])
    // Asked again once, after 3 s.
    await first.heard(accountSubscriptions + telling.length)
    time.pass(1_000)
    await until(() => states().includes('down'))
  })

  test.each([
    ['never answered', [], 'down'],
    ['answered after all', ['orderUpdates'], 'live'],
  ])('what the venue has already, and was %s', async (_, answered, expected) => {
    start()
    const { socket } = await accepted()
    acknowledge(
      socket,
      telling.filter((type) => type !== 'orderUpdates'),
    )
    acknowledge(socket, answered)
    const kept = JSON.stringify({ type: 'orderUpdates', user: account })
    socket.send(JSON.stringify({ channel: 'error', data: `Already subscribed: ${kept}` }))
    socket.send(JSON.stringify({ channel: 'error', data: 'Already subscribed' }))
    socket.send(JSON.stringify({ channel: 'allMids', data: { mids: { BTC: '84213.5' } } }))
    await until(() => states().includes('down') || count('mids') > 0)
    expect(states().at(-1)).toBe(expected)
  })

  test('attempts wait twice as long each time, up to ten seconds', async () => {
    const { port } = server.address() as AddressInfo
    start()
    const { socket } = await accepted()
    server.close()
    socket.terminate()
    await until(() => states().length === 1)
    const waits: number[] = []
    for (const waitMs of [250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]) {
      time.pass(waitMs - 1)
      const before = states().length
      time.pass(1)
      await until(() => states().length === before + 1)
      waits.push(waitMs)
    }
    expect(waits).toHaveLength(8)
    server = new WebSocketServer({ host: '127.0.0.1', port })
    await once(server, 'listening')
    const again = accepted()
    time.pass(10_000)
    await again
  })

  test('followed coins are subscribed, again after a reconnect, and bounded', async () => {
    start()
    const first = await accepted()
    await first.heard(accountSubscriptions)
    stream.follow(coin('ETH'))
    stream.follow(coin('ETH'))
    await first.heard(accountSubscriptions + 2)
    expect(JSON.parse(first.received.at(-1) ?? '').subscription).toEqual({
      type: 'activeAssetData',
      user: account,
      coin: 'ETH',
    })
    for (let index = 0; index < 64; index++) stream.follow(coin(`C${index}`))
    await first.heard(accountSubscriptions + 2 + 128 + 2)
    expect(first.received.slice(-2).map((text) => JSON.parse(text).method as string)).toEqual([
      'unsubscribe',
      'unsubscribe',
    ])
    first.socket.terminate()
    await until(() => states().includes('down'))
    const again = accepted()
    time.pass(250)
    const second = await again
    await second.heard(accountSubscriptions + 128)
    expect(second.received.some((text) => text.includes('"ETH"'))).toBe(false)
  })

  test('a state told whole is kept as written, until something happened that it cannot know of', async () => {
    start()
    const { socket } = await accepted()
    const orders: never[] = []
    const told = (): void =>
      socket.send(
        JSON.stringify({ channel: 'openOrders', data: { dex: '', user: account, orders } }),
      )
    expect(stream.latest('openOrders')).toBeNull()
    told()
    await until(() => stream.latest('openOrders') !== null)
    const latest = stream.latest('openOrders')
    expect({ body: latest?.body(), at: latest?.at }).toEqual({ body: orders, at: time.nowMs })
    // History that comes on subscribing is no news; an order update is.
    const fills = { channel: 'userFills', data: { user: account, isSnapshot: true, fills: [] } }
    socket.send(JSON.stringify(fills))
    await until(() => events.some((event) => event.kind === 'fills'))
    expect(stream.latest('openOrders')).not.toBeNull()
    socket.send(JSON.stringify({ channel: 'orderUpdates', data: [] }))
    await until(() => events.some((event) => event.kind === 'order_updates'))
    expect(stream.latest('openOrders')).toBeNull()
    told()
    await until(() => stream.latest('openOrders') !== null)
    socket.terminate()
    await until(() => states().includes('down'))
    expect(stream.latest('openOrders')).toBeNull()
  })

  test('one that repeats the same moment is stale, tells only what happened, and is made anew', async () => {
    start()
    const first = await accepted()
    const tell = async (socket: WebSocket, venueTime: number): Promise<void> => {
      const frames = [
        { channel: 'clearinghouseState', data: { user: account, dex: '', ...state(venueTime) } },
        { channel: 'allMids', data: { mids: { BTC: '84213.5' } } },
        { channel: 'orderUpdates', data: [] },
      ]
      const before = count('order_updates')
      for (const frame of frames) socket.send(JSON.stringify(frame))
      await until(() => count('order_updates') > before)
    }
    acknowledge(first.socket)
    await tell(first.socket, 7_000)
    expect([count('state'), count('mids'), states()]).toEqual([1, 1, ['live']])
    time.pass(2_900)
    await tell(first.socket, 7_000)
    expect([count('state'), count('mids')]).toEqual([2, 2])
    time.pass(100)
    await tell(first.socket, 7_000)
    expect([count('state'), count('mids'), states().at(-1)]).toEqual([2, 2, 'stale'])
    expect(stream.latest('clearinghouseState')).toBeNull()
    // Time that moves again is believed again.
    await tell(first.socket, 7_001)
    expect([count('state'), count('mids'), states().at(-1)]).toEqual([3, 3, 'live'])
    for (const believed of [4, 4]) {
      time.pass(2_500)
      await tell(first.socket, 7_001)
      expect([count('state'), count('mids')]).toEqual([believed, believed])
    }
    time.pass(1_000)
    await until(() => states().at(-1) === 'down')
    const again = accepted()
    time.pass(250)
    const second = await again
    await second.heard(accountSubscriptions)
    acknowledge(second.socket)
    // The same moment on a new connection is no news either.
    await tell(second.socket, 7_001)
    expect([count('state'), count('mids')]).toEqual([4, 4])
    await tell(second.socket, 7_002)
    expect([count('state'), count('mids'), states().at(-1)]).toEqual([5, 5, 'live'])
  })

  test('a stop ends it: no further attempt', async () => {
    start()
    const { socket } = await accepted()
    stream.stop()
    await once(socket, 'close')
    time.pass(60_000)
    expect(server.clients.size).toBe(0)
  })
})

describe('builder dexes', () => {
  const sent = (received: readonly string[], method: string): readonly string[] =>
    received
      .map((text) => JSON.parse(text) as { method: string; subscription?: any })
      .filter((each) => each.method === method)
      .map(({ subscription }) => `${subscription.type} ${subscription.dex ?? ''}`.trim())
  const state = (accountValue: string) => ({
    ...{ marginSummary: { accountValue }, crossMarginSummary: { accountValue } },
    ...{ withdrawable: '0.0', assetPositions: [], time: 1_700_000_000_000 },
  })
  const allStates = JSON.stringify({
    channel: 'allDexsClearinghouseState',
    data: {
      user: account,
      clearinghouseStates: [
        ['', state('5.0')],
        ['xyz', state('7.0')],
      ],
    },
  })

  test('their states are told together, and the main one is then asked for no more', async () => {
    const connected = accepted()
    start()
    const { socket, received, heard } = await connected
    await heard(10)
    expect(sent(received, 'subscribe')).not.toContain('allDexsClearinghouseState')
    acknowledge(socket)
    stream.followDexes([{ name: 'xyz', withPrices: true }])
    await heard(14)
    expect(sent(received, 'subscribe').slice(-4)).toEqual([
      ...['allDexsClearinghouseState', 'openOrders xyz', 'twapStates xyz', 'assetCtxs xyz'],
    ])
    socket.send(allStates)
    await until(() => events.some(({ kind }) => kind === 'dex_states'))
    await heard(15)
    expect(sent(received, 'unsubscribe')).toEqual(['clearinghouseState'])
    expect(stream.latest('clearinghouseState')?.body()).toMatchObject(state('5.0'))

    // What is followed no more is not told any more.
    stream.followDexes([{ name: 'abc', withPrices: false }])
    await heard(20)
    expect(sent(received, 'unsubscribe').slice(1)).toEqual([
      ...['openOrders xyz', 'twapStates xyz', 'assetCtxs xyz'],
    ])

    // A new socket asks for what is followed now, and for the states together alone.
    const again = accepted()
    socket.terminate()
    await until(() => events.some((event) => event.kind === 'stream' && event.state === 'down'))
    time.pass(20_000)
    const next = await again
    await next.heard(12)
    const anew = sent(next.received, 'subscribe')
    expect(anew.filter((each) => each.endsWith('learinghouseState'))).toEqual([
      'allDexsClearinghouseState',
    ])
    expect(anew.slice(-2)).toEqual(['openOrders abc', 'twapStates abc'])

    // Without any the main dex is told by itself again.
    stream.followDexes(null)
    await next.heard(16)
    expect(sent(next.received, 'subscribe').at(-1)).toBe('clearinghouseState')
  })

  test('what ends every connection is left out after two of them, until others are followed or for a minute', async () => {
    start()
    stream.follow(coin('ETH'))
    stream.follow(coin('xyz:TSLA'))
    stream.followDexes([{ name: 'xyz', withPrices: true }])
    const ofDex = (received: readonly string[]) =>
      received.filter((text) => text.includes('"subscribe"') && text.includes('xyz'))
    const next = async (waitMs: number, isBare: boolean, extra = 0) => {
      const again = accepted()
      time.pass(waitMs)
      const connection = await again
      await connection.heard(accountSubscriptions + (isBare ? 3 : 8) + extra)
      expect(ofDex(connection.received)).toHaveLength(isBare ? 0 : 5)
      expect(sent(connection.received, 'subscribe')).toContain('allDexsClearinghouseState')
      return connection
    }
    const downs = () => states().filter((each) => each === 'down').length
    const cut = async ({ socket }: { socket: WebSocket }) => {
      const before = downs()
      socket.terminate()
      await until(() => downs() > before)
    }
    await cut(await next(0, false))
    await cut(await next(250, false))
    const bare = await next(500, true)
    stream.follow(coin('xyz:NVDA'))
    stream.follow(coin('BTC'))
    await bare.heard(accountSubscriptions + 3 + 2)
    expect(ofDex(bare.received)).toEqual([])
    // After a minute all is asked for; ended once more by that, the next connection leaves it out at once.
    const alive = async ({ socket, received }: typeof bare, ms: number) => {
      for (const { subscription } of received.map((text) => JSON.parse(text) as any)) {
        const data = { method: 'subscribe', subscription }
        socket.send(JSON.stringify({ channel: 'subscriptionResponse', data }))
      }
      for (let passed = 0; passed < ms; passed += 1_000) {
        const heard = count('mids')
        socket.send(JSON.stringify({ channel: 'allMids', data: { mids: {} } }))
        await until(() => count('mids') > heard)
        time.pass(1_000)
      }
    }
    await alive(bare, 61_000)
    while (ofDex(bare.received).length < 7) await bare.heard(bare.received.length + 1)
    await cut(bare)
    const second = await next(1_000, true, 2)
    // Other dexes are told: what ended the connections may be among those that are gone.
    stream.followDexes([])
    stream.followDexes([{ name: 'xyz', withPrices: true }])
    while (ofDex(second.received).length < 2) await second.heard(second.received.length + 1)
  })

  test('their orders, TWAPs and prices are told by dex', async () => {
    const connected = accepted()
    start()
    const { socket } = await connected
    const frame = (channel: string, data: object) => {
      socket.send(JSON.stringify({ channel, data: { dex: 'xyz', user: account, ...data } }))
    }
    const context = { markPx: '400.0', oraclePx: '401.0', midPx: null }
    frame('openOrders', { orders: [] })
    frame('twapStates', { states: [] })
    stream.follow(coin('xyz:TSLA'))
    frame('assetCtxs', { ctxs: [context] })
    frame('clearinghouseState', { clearinghouseState: state('7.0') })
    socket.send(
      JSON.stringify({ channel: 'activeAssetCtx', data: { coin: 'xyz:TSLA', ctx: context } }),
    )
    await until(() => events.some(({ kind }) => kind === 'contexts'))
    const told = events.filter(({ kind }) => kind !== 'stream')
    expect(told.map(({ kind }) => kind)).toEqual(['orders', 'twaps', 'dex_prices', 'contexts'])
    expect(told.slice(0, 3)).toMatchObject([{ dex: 'xyz' }, { dex: 'xyz' }, { dex: 'xyz' }])
    expect(told[2]).toMatchObject({ toldAlone: new Set(['xyz:TSLA']) })
  })
})
