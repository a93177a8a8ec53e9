import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  demoUser,
  marketBuy,
  order,
  stopChild,
  stranger,
  TestVenue,
} from '../../simulator.fixture.ts'

let venue: TestVenue
beforeAll(async () => {
  venue = await TestVenue.start()
})
afterAll(() => venue.close())

const eth = { name: 'ETH', szDecimals: 4, maxLeverage: 25, mid: '2486.35' }

describe('/sim/reset', () => {
  test('makes the world it was told', async () => {
    const done = await venue.control('reset', {
      seed: 7,
      frozen: true,
      markets: [eth, { name: 'OLD', szDecimals: 1, maxLeverage: 3, mid: '5', isDelisted: true }],
      accounts: [
        {
          address: demoUser,
          equity: '7350.25',
          agents: [stranger],
          leverage: { ETH: { type: 'isolated', value: 3 } },
          positions: [{ coin: 'ETH', szi: '1', leverage: { type: 'isolated', value: 3 } }],
          orders: [{ a: 0, b: true, p: '2400', s: '0.1', r: false, t: { limit: { tif: 'Gtc' } } }],
        },
      ],
    })
    expect(done).toMatchObject({ seed: 7, frozen: true, markets: ['ETH', 'OLD'] })
    const state = await venue.state()
    expect(state.clearinghouseState.marginSummary.accountValue).toBe('7350.25')
    expect(state.clearinghouseState.assetPositions[0].position).toMatchObject({
      ...{ coin: 'ETH', szi: '1.0', entryPx: '2486.35', unrealizedPnl: '0.0' },
      leverage: { type: 'isolated', value: 3 },
    })
    expect(state.openOrders).toHaveLength(1)
    expect(state.leverage.ETH).toMatchObject({ type: 'isolated', value: 3 })
    expect(state.mids).toEqual({ ETH: '2486.35', OLD: '5.0' })
    expect(await venue.info({ type: 'userRole', user: stranger })).toEqual({
      role: 'agent',
      data: { user: demoUser },
    })
    const book = await venue.info({ type: 'l2Book', coin: 'ETH' })
    expect(book.levels[0][0].px).toBe('2486.3')
    expect(book.levels[1][0].px).toBe('2486.4')
  })

  test('children wait for their parent, stops of the position for their trigger', async () => {
    const stop = { ...(stopChild as object), a: 0 }
    await venue.control('reset', {
      frozen: true,
      markets: [eth],
      accounts: [
        {
          address: demoUser,
          equity: '10000',
          positions: [{ coin: 'ETH', szi: '0.5', leverage: { type: 'cross', value: 5 } }],
          orders: [
            {
              ...{ a: 0, b: true, p: '2400', s: '0.1', r: false, t: { limit: { tif: 'Gtc' } } },
              children: [stop],
            },
            { ...stop, s: '0', grouping: 'positionTpsl' },
          ],
        },
      ],
    })
    const { openOrders } = await venue.state()
    expect(openOrders).toHaveLength(3)
    const parent = openOrders.find((each: any) => each.limitPx === '2400.0')
    expect(parent.children).toHaveLength(1)
    expect(openOrders.filter((each: any) => each.isPositionTpsl)).toMatchObject([{ sz: '0.0' }])
  })

  test.each([
    [{ accounts: [{ address: 'x', equity: '1' }] }, /accounts\[0\]\.address must be an address/],
    [{ accounts: [{ address: demoUser, equity: 'x' }] }, /accounts\[0\]\.equity must be a decimal/],
    [{ frozen: true, markets: [{ ...eth, mid: '2486.31' }], accounts: [] }, /mid|grid/i],
    [{ markets: [{ ...eth, szDecimal: 4 }] }, /markets\[0\]\.szDecimal is not known/],
    [{ freeze: true }, /body\.freeze is not known/],
  ])('%j is refused with its reason, and nothing changes', async (body, reason) => {
    await venue.freeze()
    const refused = await venue.send('POST', '/sim/reset', body)
    expect(refused.status).toBe(400)
    expect(refused.json.error).toMatch(reason)
    expect((await venue.state()).mids.BTC).toBe('84213.5')
  })

  test('sockets stay open and get fresh snapshots', async () => {
    await venue.freeze()
    const socket = await venue.open()
    socket.subscribe({ type: 'clearinghouseState', user: demoUser })
    socket.subscribe({ type: 'userFills', user: demoUser })
    await socket.onChannel('userFills')
    const from = socket.frames.length
    await venue.control('reset', {
      frozen: true,
      accounts: [{ address: demoUser, equity: '4321' }],
    })
    const state = await socket.onChannel('clearinghouseState', from)
    expect(state.data.clearinghouseState.marginSummary.accountValue).toBe('4321.0')
    expect((await socket.onChannel('userFills', from)).data.isSnapshot).toBe(true)
  })

  test('nobody sees a position before its stops, or an id twice, over resets of a frozen venue', async () => {
    const held = {
      positions: [{ coin: 'ETH', szi: '1', leverage: { type: 'isolated', value: 4 } }],
      orders: [{ ...(stopChild as object), s: '1' }],
    }
    await venue.freeze()
    const socket = await venue.open()
    socket.subscribe({ type: 'clearinghouseState', user: demoUser })
    socket.subscribe({ type: 'openOrders', user: demoUser })
    socket.subscribe({ type: 'userFills', user: demoUser })
    await socket.settled()
    const oids: number[] = []
    const tids: number[] = []
    for (let run = 0; run < 2; run += 1) {
      const from = socket.frames.length
      await venue.control('reset', {
        frozen: true,
        accounts: [{ address: demoUser, equity: '10000', ...held }],
      })
      await socket.onChannel('userFills', from)
      const seen = socket.frames.slice(from).flatMap(({ channel, data }) => {
        if (channel === 'openOrders') return [`${data.orders.length} orders`]
        if (channel !== 'clearinghouseState') return []
        return [`${data.clearinghouseState.assetPositions.length} positions`]
      })
      expect(seen.slice(0, 3)).toEqual(['0 positions', '1 orders', '1 positions'])
      const [stop] = (await venue.state()).openOrders
      await venue.control('act', { user: demoUser, action: marketBuy })
      const [fill] = await venue.info({ type: 'userFills', user: demoUser })
      oids.push(stop.oid, fill.oid)
      tids.push(fill.tid)
    }
    expect(new Set(oids).size).toBe(4)
    expect(new Set(tids).size).toBe(2)
  })

  test('used nonces, faults and the log are forgotten; the log’s numbers go on', async () => {
    await venue.freeze()
    const nonce = Date.now()
    await venue.exchange({ type: 'noop' }, { nonce })
    const [entry] = await venue.log()
    await venue.fault({ where: 'info', kind: 'http_500', count: 0 })
    await venue.freeze()
    expect(await venue.log()).toEqual([])
    expect((await venue.exchange({ type: 'noop' }, { nonce })).json.status).toBe('ok')
    expect((await venue.log(entry.n))[0].n).toBeGreaterThan(entry.n)
    expect((await venue.send('GET', '/sim/fault')).json).toEqual([])
  })

  test('the same seed and the same requests give the same book and fills', async () => {
    const run = async (): Promise<unknown> => {
      await venue.control('reset', {
        seed: 11,
        accounts: [{ address: demoUser, equity: '10000' }],
      })
      const { levels } = await venue.info({ type: 'l2Book', coin: 'BTC' })
      return levels
    }
    expect(await run()).toEqual(await run())
  })
})

describe('the others', () => {
  test('/sim/price moves a price, shows it at once and fires triggers', async () => {
    await venue.freeze()
    await venue.exchange(order({ p: '2600', tif: 'Ioc' }, stopChild))
    const socket = await venue.open()
    for (const type of ['allMids', 'bbo', 'l2Book', 'activeAssetCtx']) {
      socket.subscribe(type === 'allMids' ? { type } : { type, coin: 'ETH' })
    }
    socket.subscribe({ type: 'clearinghouseState', user: demoUser })
    await socket.settled()
    const from = socket.frames.length
    const done = await venue.control('price', { coin: 'ETH', mid: '2299', oracle: '2300.5' })
    expect(done).toEqual({ coin: 'ETH', mid: '2299', mark: '2299', oracle: '2300.5' })
    expect((await socket.onChannel('allMids', from)).data.mids.ETH).toBe('2299.0')
    expect((await socket.onChannel('activeAssetCtx', from)).data.ctx.oraclePx).toBe('2300.5')
    await socket.next(
      (frame) =>
        frame.channel === 'clearinghouseState' &&
        frame.data.clearinghouseState.assetPositions.length === 0,
      from,
    )
    const refused = await venue.send('POST', '/sim/price', { coin: 'NONE', mid: '1' })
    expect(refused.status).toBe(400)
  })

  test('/sim/act trades for the account, outside any bot and the log', async () => {
    await venue.freeze()
    const reply = await venue.control('act', { user: demoUser, action: marketBuy })
    expect(reply.response.data.statuses[0].filled.totalSz).toBe('0.1')
    expect(await venue.log()).toEqual([])
    for (const [body, reason] of [
      [{ user: demoUser, action: { type: 'nonsense' } }, /action\.type must be one of order, /],
      [{ user: stranger, action: marketBuy }, /the venue refused the action: Must deposit/],
    ] as const) {
      const refused = await venue.send('POST', '/sim/act', body)
      expect(refused.status).toBe(400)
      expect(refused.json.error).toMatch(reason)
    }
  })

  const orderWith = (more: object) => ({
    ...{ type: 'order', grouping: 'na' },
    orders: [{ a: 1, b: true, p: '1', s: '1', r: false, t: { limit: { tif: 'Gtc' } }, ...more }],
  })
  test.each([
    [orderWith({ a: -1 }), 'action.orders[0].a must be a whole number, 0 or more, got -1'],
    [orderWith({ p: 1 }), 'action.orders[0].p must be a decimal string, got 1'],
    [
      orderWith({ t: { limit: { tif: 'Po' } } }),
      'action.orders[0].t.limit.tif must be one of Gtc, Ioc, Alo, FrontendMarket, got "Po"',
    ],
    [
      orderWith({ t: { trigger: { isMarket: true, triggerPx: '1', tpsl: '' } } }),
      'action.orders[0].t.trigger.tpsl must be one of tp, sl, got ""',
    ],
    [
      orderWith({ t: 'limit' }),
      'action.orders[0].t must be an object with limit, or an object with trigger, got "limit"',
    ],
    [{ type: 'order', grouping: 'na' }, 'action.orders must be an array, got nothing'],
    [
      { ...orderWith({}), grouping: 'oco' },
      'action.grouping must be one of na, normalTpsl, positionTpsl, or an object with p, got "oco"',
    ],
    [
      { type: 'twapOrder', twap: { a: 1, b: true, s: '1', r: false, m: 5, t: false }, details: {} },
      'action.details.t must be an object with p, a, or null, got nothing',
    ],
    [{ type: 'usdSend', destination: 'x' }, 'action.destination must be an address, 0x and 40 hex'],
    [{ type: 'usdClassTransfer', amount: '1' }, 'action.toPerp must be true or false, got nothing'],
    ['order', 'action must be an object, got "order"'],
  ])('/sim/act names the field that does not fit: %j', async (action, reason) => {
    const { status, json } = await venue.send('POST', '/sim/act', { user: demoUser, action })
    expect(status).toBe(400)
    expect(json.error).toContain(reason)
  })

  test('/sim/flow deposits and withdraws; a held back entry comes later', async () => {
    await venue.freeze()
    const ledger = (): Promise<any[]> =>
      venue.info({ type: 'userNonFundingLedgerUpdates', user: demoUser, startTime: 0 })
    const before = (await ledger()).length
    const socket = await venue.open()
    socket.subscribe({ type: 'userNonFundingLedgerUpdates', user: demoUser })
    await socket.settled()
    const from = socket.frames.length
    await venue.control('flow', { user: demoUser, amount: '500' })
    const frame = await socket.onChannel('userNonFundingLedgerUpdates', from)
    expect(frame.data.nonFundingLedgerUpdates[0].delta).toEqual({ type: 'deposit', usdc: '500.0' })
    await venue.control('flow', { user: demoUser, amount: '-200', delay_ms: 3_600_000 })
    expect((await venue.state()).clearinghouseState.withdrawable).toBe('10300.0')
    expect(await ledger()).toHaveLength(before + 1)
    await venue.control('clock', { advance_ms: 3_600_000 })
    expect(await ledger()).toHaveLength(before + 2)
    const refused = await venue.send('POST', '/sim/flow', { user: demoUser, amount: '-1000000' })
    expect(refused.status).toBe(400)
  })

  test('/sim/clock moves funding and expiry forward', async () => {
    await venue.freeze()
    await venue.exchange(marketBuy)
    const { now_ms } = await venue.control('clock', { advance_ms: 3_600_000 })
    const { time } = await venue.info({ type: 'exchangeStatus' })
    expect(time).toBeGreaterThanOrEqual(now_ms)
    const fundings = await venue.info({ type: 'userFunding', user: demoUser, startTime: 0 })
    expect(fundings).toHaveLength(1)
    const late = await venue.exchange(marketBuy, { expiresAfter: Date.now() + 5_000 })
    expect(late.json.response).toBe('Action already expired')
  })

  test('/sim/log tells every exchange request', async () => {
    await venue.freeze()
    await venue.exchange(marketBuy, { expiresAfter: Date.now() + 60_000 })
    await venue.send('POST', '/exchange', '{"action":{}}')
    const [first, second] = await venue.log()
    expect(Object.keys(first)).toEqual([
      ...['n', 'at_ms', 'via', 'signer', 'user', 'action', 'nonce', 'expiresAfter'],
      ...['vaultAddress', 'reply', 'fault'],
    ])
    expect(first).toMatchObject({
      ...{ via: 'http', signer: demoUser, user: demoUser, action: marketBuy, fault: null },
      reply: { status: 'ok' },
    })
    expect(second).toMatchObject({ signer: null, action: {}, reply: null })
    expect(await venue.log(first.n)).toHaveLength(1)
  })

  test.each([
    [{ where: 'nowhere', kind: 'delay' }, /where must be one of/],
    [{ where: 'info', kind: 'refuse' }, /kind \(for info\) must be one of/],
    [{ where: 'ws', kind: 'drop_reply' }, /kind \(for ws\) must be one of/],
    [{ where: 'ws', kind: 'silence', match: { coin: 'NONE' } }, /match\.coin must be a market/],
    [{ where: 'ws', kind: 'silence', count: -1 }, /count must be a whole number/],
  ])('/sim/fault refuses %j', async (body, reason) => {
    const refused = await venue.send('POST', '/sim/fault', body)
    expect(refused.status).toBe(400)
    expect(refused.json.error).toMatch(reason)
  })

  test('an unknown call is not found, a body that is no JSON is refused', async () => {
    expect((await venue.send('POST', '/sim/nothing', {})).status).toBe(404)
    expect((await venue.send('GET', '/sim/reset')).status).toBe(404)
    expect((await venue.send('POST', '/sim/price', '{')).json.error).toMatch(/JSON/)
    expect((await venue.send('GET', '/sim/state?user=x')).status).toBe(400)
    expect((await venue.send('GET', '/sim/log?since=x')).status).toBe(400)
  })
})

test('without the flag there is no control interface', async () => {
  const closed = await TestVenue.start({ control: false })
  try {
    expect((await closed.send('POST', '/sim/reset', { accounts: [] })).status).toBe(404)
    expect((await closed.send('GET', '/healthz')).status).toBe(200)
    expect((await closed.info({ type: 'allMids' })).BTC).toBeDefined()
  } finally {
    await closed.close()
  }
})
