import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { millis } from '../../../src/core/values/millis.ts'
import {
  demoUser,
  ethAsset,
  marketBuy,
  order,
  signed,
  stopChild,
  TestVenue,
} from '../simulator.fixture.ts'

let venue: TestVenue
beforeAll(async () => {
  venue = await TestVenue.start({ options: { allMidsMs: 60, bookMs: 60, accountMs: 60 } })
})
afterAll(() => venue.close())
beforeEach(() => venue.freeze())
afterEach(() => venue.closeSockets())

const position = async (): Promise<any[]> => (await venue.state()).clearinghouseState.assetPositions
const statuses = (answer: any): any => answer.json.response.data.statuses

describe('on /exchange', () => {
  test('drop_request: no answer, and nothing was executed', async () => {
    await venue.fault({ where: 'exchange', kind: 'drop_request' })
    await expect(venue.exchange(marketBuy)).rejects.toThrow()
    expect(await position()).toEqual([])
    expect((await venue.log()).at(-1)).toMatchObject({
      ...{ via: 'http', reply: null, fault: 'drop_request', action: marketBuy },
      ...{ signer: demoUser, user: demoUser },
    })
    expect((await venue.exchange(marketBuy)).status).toBe(200)
  })

  test('drop_reply: no answer, and it was executed', async () => {
    await venue.fault({ where: 'exchange', kind: 'drop_reply' })
    await expect(venue.exchange(marketBuy)).rejects.toThrow()
    expect(await position()).toHaveLength(1)
    const entry = (await venue.log()).at(-1)
    expect(entry).toMatchObject({ fault: 'drop_reply', signer: demoUser, user: demoUser })
    expect(entry.reply.status).toBe('ok')
  })

  test('delay: held back before it is executed', async () => {
    await venue.fault({ where: 'exchange', kind: 'delay', ms: 150 })
    const answered = venue.exchange(marketBuy)
    // The observer's question is answered while the order waits.
    await expect.poll(async () => (await venue.log()).length).toBe(1)
    expect(await position()).toEqual([])
    expect((await answered).json.status).toBe('ok')
    expect(await position()).toHaveLength(1)
  })

  test('a delayed action can be too old by then', async () => {
    await venue.fault({ where: 'exchange', kind: 'delay', ms: 200 })
    const answer = await venue.exchange(marketBuy, { expiresAfter: Date.now() + 50 })
    expect(answer.json).toEqual({ status: 'err', response: 'Action already expired' })
  })

  test.each([
    ['http_500', 500],
    ['http_429', 429],
  ])('%s: that status, and nothing was executed', async (kind, status) => {
    await venue.fault({ where: 'exchange', kind })
    expect((await venue.exchange(marketBuy)).status).toBe(status)
    expect(await position()).toEqual([])
  })

  test('garbage: an answer that is no JSON, and it was executed', async () => {
    await venue.fault({ where: 'exchange', kind: 'garbage' })
    const answer = await venue.exchange(marketBuy)
    expect(answer.status).toBe(200)
    expect(answer.json).toBe(undefined)
    expect(await position()).toHaveLength(1)
  })

  test('http_408: that status, and it was executed all the same', async () => {
    await venue.fault({ where: 'exchange', kind: 'http_408' })
    expect((await venue.exchange(marketBuy)).status).toBe(408)
    expect(await position()).toHaveLength(1)
  })

  test.each([
    [{}, 0],
    [{ executed: true }, 1],
  ])('reply: the answer as it was given, with %j', async (how, positions) => {
    const text = '{"status":"ok","response":{"type":"surprise"}}'
    await venue.fault({ where: 'exchange', kind: 'reply', text, ...how })
    const answer = await venue.exchange(marketBuy)
    expect([answer.status, answer.text]).toEqual([200, text])
    expect(await position()).toHaveLength(positions)
  })

  test('status: each order is answered with it, and it was executed', async () => {
    await venue.fault({ where: 'exchange', kind: 'status', text: '{"queued":{"oid":1}}' })
    const two = { ...marketBuy, orders: [...marketBuy.orders, ...marketBuy.orders] }
    const queued = { queued: { oid: 1 } }
    expect(statuses(await venue.exchange(two))).toEqual([queued, queued])
    expect(await position()).toHaveLength(1)
    const leverage = { type: 'updateLeverage', asset: ethAsset, isCross: false, leverage: 3 }
    await venue.fault({ where: 'exchange', kind: 'status', text: '1' })
    expect((await venue.exchange(leverage)).json).not.toHaveProperty('response.data')
  })

  test.each(['reply', 'status'])('%s: what no client could read is refused', async (kind) => {
    const body = { where: 'exchange', kind, text: '{"status":' }
    const refused = await venue.send('POST', '/sim/fault', body)
    expect(refused.status).toBe(400)
    expect(refused.json.error).toContain('text must be the JSON of the answer')
  })

  test('refuse: each order with the text', async () => {
    await venue.fault({ where: 'exchange', kind: 'refuse', text: 'Trading is halted' })
    const two = { ...marketBuy, orders: [...marketBuy.orders, ...marketBuy.orders] }
    for (const status of statuses(await venue.exchange(two))) {
      expect(status.error).toContain('Trading is halted')
    }
    expect(await position()).toEqual([])
  })

  test('refuse: with a coin, only its orders', async () => {
    await venue.fault({ where: 'exchange', kind: 'refuse', text: 'no', match: { coin: 'ETH' } })
    const btc = order({ a: 0, p: '80000', s: '0.001' })
    const both = { ...marketBuy, orders: [...btc.orders, ...marketBuy.orders] }
    const [first, second] = statuses(await venue.exchange(both))
    expect(first.resting).toBeDefined()
    expect(second.error).toBe('no')
  })

  test('refuse: an action without orders is refused whole', async () => {
    await venue.fault({ where: 'exchange', kind: 'refuse', text: 'no' })
    const leverage = { type: 'updateLeverage', asset: ethAsset, isCross: false, leverage: 3 }
    expect((await venue.exchange(leverage)).json).toEqual({ status: 'err', response: 'no' })
  })

  test('refuse_stop: the entry goes through, its stop does not', async () => {
    await venue.fault({ where: 'exchange', kind: 'refuse_stop', text: 'Invalid TP/SL price.' })
    await venue.exchange(order({ p: '2400' }))
    expect((await venue.send('GET', '/sim/fault')).json).toHaveLength(1)
    const [entry, stop] = statuses(
      await venue.exchange(order({ p: '2600', tif: 'Ioc' }, stopChild)),
    )
    expect(entry.filled.totalSz).toBe('0.1')
    expect(stop.error).toContain('Invalid TP/SL price.')
    expect((await venue.send('GET', '/sim/fault')).json).toEqual([])
    expect((await venue.state()).openOrders).toHaveLength(1)
  })

  test('count and match: only so often, only what fits', async () => {
    const match = { type: 'order', coin: 'ETH' }
    await venue.fault({ where: 'exchange', kind: 'http_500', match, count: 2 })
    const btc = order({ a: 0, p: '80000', s: '0.001' })
    expect((await venue.exchange(btc)).status).toBe(200)
    expect((await venue.exchange({ type: 'noop' })).status).toBe(200)
    expect((await venue.exchange(marketBuy)).status).toBe(500)
    expect((await venue.exchange(marketBuy)).status).toBe(500)
    expect((await venue.exchange(marketBuy)).status).toBe(200)
  })

  test('count 0: until cleared', async () => {
    await venue.fault({ where: 'exchange', kind: 'http_429', count: 0 })
    for (let at = 0; at < 3; at++) expect((await venue.exchange(marketBuy)).status).toBe(429)
    expect((await venue.send('DELETE', '/sim/fault')).json).toEqual({ cleared: 1 })
    expect((await venue.exchange(marketBuy)).status).toBe(200)
  })

  test('an observer meets no fault', async () => {
    await venue.fault({ where: 'exchange', kind: 'drop_request' })
    const answer = await venue.exchange(marketBuy, {}, { 'X-Sim-Observer': '1' })
    expect(answer.json.status).toBe('ok')
  })

  test('a post on the socket meets them too', async () => {
    const socket = await venue.open()
    await venue.fault({ where: 'exchange', kind: 'drop_reply' })
    const request = { type: 'action', payload: signed(marketBuy) }
    socket.send({ method: 'post', id: 1, request })
    expect(await socket.closed).toBe(1006)
    expect(await position()).toHaveLength(1)
    expect((await venue.log()).at(-1)).toMatchObject({ via: 'ws', fault: 'drop_reply' })
  })
})

describe('on /info', () => {
  test.each([
    ['http_500', 500],
    ['http_429', 429],
  ])('%s', async (kind, status) => {
    await venue.fault({ where: 'info', kind, match: { type: 'allMids' } })
    expect((await venue.send('POST', '/info', { type: 'meta' })).status).toBe(200)
    expect((await venue.send('POST', '/info', { type: 'allMids' })).status).toBe(status)
  })

  test.each(['drop_request', 'drop_reply'])('%s', async (kind) => {
    await venue.fault({ where: 'info', kind })
    await expect(venue.info({ type: 'allMids' })).rejects.toThrow()
  })

  test('garbage', async () => {
    await venue.fault({ where: 'info', kind: 'garbage' })
    expect((await venue.send('POST', '/info', { type: 'allMids' })).json).toBe(undefined)
  })

  test.each([
    ['a merge patch', { ETH: '1.5', BTC: null }],
    [
      'a JSON patch',
      [
        { op: 'replace', path: '/ETH', value: '1.5' },
        { op: 'remove', path: '/BTC' },
      ],
    ],
  ])('lie: the answer with %s laid over it, once', async (_, patch) => {
    const truth = await venue.info({ type: 'allMids' })
    await venue.fault({ where: 'info', kind: 'lie', match: { type: 'allMids' }, patch })
    const { BTC: _gone, ...others } = truth
    expect(await venue.info({ type: 'allMids' })).toEqual({ ...others, ETH: '1.5' })
    expect(await venue.info({ type: 'allMids' })).toEqual(truth)
  })

  test('lie: without a patch it is refused', async () => {
    const answer = await venue.send('POST', '/sim/fault', { where: 'info', kind: 'lie' })
    expect(answer.status).toBe(400)
    expect(JSON.stringify(answer.json)).toContain('patch must be the JSON')
  })

  test.each(['0', '0.3', '1'])('fail_share: %s of all questions fail', async (share) => {
    await venue.fault({ where: 'info', kind: 'fail_share', count: 0, share })
    let failed = 0
    for (let at = 0; at < 40; at++) {
      failed += (await venue.send('POST', '/info', { type: 'allMids' })).status === 500 ? 1 : 0
    }
    expect(Math.abs(failed - 40 * Number(share))).toBeLessThan(3)
  })

  test('fail_share: the seed says which questions fail', async () => {
    const failing = async (seed: number): Promise<number[]> => {
      await venue.control('reset', { seed, frozen: true, accounts: [] })
      await venue.fault({ where: 'info', kind: 'fail_share', share: '0.3' })
      const statuses: number[] = []
      for (let at = 0; at < 20; at++) {
        statuses.push((await venue.send('POST', '/info', { type: 'allMids' })).status)
      }
      return statuses
    }
    const first = await failing(1)
    expect(await failing(1)).toEqual(first)
    expect(await failing(2)).not.toEqual(first)
  })

  test('fail_share: must be between 0 and 1', async () => {
    const body = { where: 'info', kind: 'fail_share', share: '1.1' }
    expect((await venue.send('POST', '/sim/fault', body)).status).toBe(400)
  })

  test('delay: answers with what is true by then', async () => {
    let nowMs = Date.UTC(2026, 8, 7, 12)
    const still = await TestVenue.start({ clock: { now: () => millis(nowMs) } })
    try {
      await still.freeze()
      await still.fault({ where: 'info', kind: 'delay', ms: 150 })
      const asked = still.info({ type: 'allMids' })
      await expect.poll(async () => (await still.send('GET', '/sim/fault')).json).toEqual([])
      await still.control('price', { coin: 'ETH', mid: '2500' })
      nowMs += 150
      still.simulator.advance()
      expect((await asked)['ETH']).toBe('2500.0')
    } finally {
      await still.close()
    }
  })
})

describe('on the socket', () => {
  test('silence: it stays open and nothing comes, until cleared', async () => {
    const socket = await venue.open()
    socket.subscribe({ type: 'allMids' })
    await socket.onChannel('allMids')
    await venue.fault({ where: 'ws', kind: 'silence' })
    const before = socket.frames.length
    socket.send({ method: 'ping' })
    await venue.control('price', { coin: 'ETH', mid: '2500' })
    await venue.control('price', { coin: 'ETH', mid: '2501' })
    expect(socket.frames).toHaveLength(before)
    await venue.send('DELETE', '/sim/fault')
    expect((await socket.onChannel('allMids', before)).data.mids['ETH']).toBe('2501.0')
  })

  test('silence for a time, of one stream', async () => {
    const socket = await venue.open()
    socket.subscribe({ type: 'allMids' })
    socket.subscribe({ type: 'l2Book', coin: 'ETH' })
    await socket.onChannel('l2Book')
    await venue.fault({ where: 'ws', kind: 'silence', match: { type: 'l2Book' }, ms: 200 })
    const before = socket.frames.length
    await venue.control('price', { coin: 'ETH', mid: '2500' })
    await socket.onChannel('allMids', before)
    await socket.settled()
    expect(socket.frames.slice(before).map((frame) => frame.channel)).not.toContain('l2Book')
    await socket.onChannel('l2Book', before)
  })

  test('lie: one frame is not true', async () => {
    const socket = await venue.open()
    socket.subscribe({ type: 'clearinghouseState', user: demoUser })
    await socket.onChannel('clearinghouseState')
    const patch = { clearinghouseState: { withdrawable: '1.0', assetPositions: null } }
    await venue.fault({ where: 'ws', kind: 'lie', match: { type: 'clearinghouseState' }, patch })
    const told = await socket.next(
      (frame) => frame.data?.clearinghouseState?.withdrawable === '1.0',
    )
    expect(told.data.clearinghouseState.assetPositions).toBe(undefined)
    await socket.next((frame) => frame.data?.clearinghouseState?.assetPositions !== undefined)
  })

  test('disconnect: open sockets are cut, the next one is welcome', async () => {
    const [first, second] = [await venue.open(), await venue.open()]
    await venue.fault({ where: 'ws', kind: 'disconnect' })
    expect(await first.closed).toBe(1006)
    expect(await second.closed).toBe(1006)
    const third = await venue.open()
    await third.settled()
  })

  test('disconnect: with none open it waits for one', async () => {
    await venue.fault({ where: 'ws', kind: 'disconnect' })
    const socket = await venue.open()
    expect(await socket.closed).toBe(1006)
  })

  test('stale: snapshots keep coming and stop advancing', async () => {
    const socket = await venue.open()
    socket.subscribe({ type: 'clearinghouseState', user: demoUser })
    socket.subscribe({ type: 'orderUpdates', user: demoUser })
    await socket.onChannel('clearinghouseState')
    await venue.fault({ where: 'ws', kind: 'stale' })
    const before = socket.frames.length
    await venue.exchange(marketBuy)
    await socket.onChannel('orderUpdates', before)
    const stale = await socket.onChannel('clearinghouseState', before)
    expect(stale.data.clearinghouseState.assetPositions).toEqual([])
    await venue.send('DELETE', '/sim/fault')
    await socket.next(
      (frame) =>
        frame.channel === 'clearinghouseState' &&
        frame.data.clearinghouseState.assetPositions.length === 1,
      before,
    )
  })

  test('duplicate: a frame comes twice', async () => {
    const socket = await venue.open()
    socket.subscribe({ type: 'orderUpdates', user: demoUser })
    await socket.settled()
    await venue.fault({ where: 'ws', kind: 'duplicate', match: { type: 'orderUpdates' } })
    await venue.exchange(order({}))
    await socket.settled()
    const frames = socket.texts.filter((text) => text.startsWith('{"channel":"orderUpdates"'))
    expect(frames).toHaveLength(2)
    expect(frames[0]).toBe(frames[1])
  })

  test('reorder: the next frame overtakes', async () => {
    const socket = await venue.open()
    socket.subscribe({ type: 'orderUpdates', user: demoUser })
    await socket.settled()
    const from = socket.frames.length
    await venue.fault({ where: 'ws', kind: 'reorder', match: { type: 'orderUpdates' }, ms: 60_000 })
    await venue.exchange(order({ p: '2400' }))
    await venue.exchange(order({ p: '2401' }))
    await socket.settled()
    const prices = socket.frames
      .slice(from)
      .flatMap((frame) => (frame.channel === 'orderUpdates' ? frame.data : []))
      .map((update: any) => update.order.limitPx)
    expect(prices).toEqual(['2401.0', '2400.0'])
  })

  test('delay: frames come late and in order', async () => {
    const socket = await venue.open()
    socket.subscribe({ type: 'orderUpdates', user: demoUser })
    await socket.settled()
    const from = socket.frames.length
    await venue.fault({ where: 'ws', kind: 'delay', match: { type: 'orderUpdates' }, ms: 150 })
    await venue.exchange(order({ p: '2400' }))
    await venue.exchange(order({ p: '2401' }))
    expect(socket.frames).toHaveLength(from)
    await socket.next(() => true, from + 1)
    const prices = socket.frames.slice(from).map((frame) => frame.data[0].order.limitPx)
    expect(prices).toEqual(['2400.0', '2401.0'])
  })

  test('an observer’s socket meets none of them', async () => {
    const socket = await venue.open({ 'X-Sim-Observer': '1' })
    await venue.fault({ where: 'ws', kind: 'silence' })
    await venue.fault({ where: 'ws', kind: 'disconnect' })
    await socket.settled()
  })
})
