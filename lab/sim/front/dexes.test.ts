import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { demoUser, order, stranger, TestVenue } from '../simulator.fixture.ts'

let venue: TestVenue
beforeAll(async () => {
  venue = await TestVenue.start()
})
afterAll(() => venue.close())
afterEach(() => venue.closeSockets())

const tsla = 110_000
const dexes = [
  {
    ...{ name: 'xyz', fullName: 'XYZ', totalOiCap: '10000000000' },
    markets: [
      {
        ...{ name: 'TSLA', szDecimals: 3, maxLeverage: 20, mid: '400', growthMode: true },
        ...{ cap: '200000000', fundingMultiplier: '0.5', deployerFeeScale: '1' },
        lastFeeScaleChangeTime: '2025-11-23T17:37:10.033211662',
      },
      { name: 'xyz:HOOD', szDecimals: 3, maxLeverage: 10, mid: '100', marginMode: 'noCross' },
      { name: 'UMC', szDecimals: 1, maxLeverage: 10, mid: '10', isDelisted: true },
    ],
  },
  {
    ...{ name: 'alt', collateral: 'USDT0' },
    markets: [
      {
        ...{ name: 'OIL', szDecimals: 2, maxLeverage: 10, mid: '60' },
        marginTiers: [
          { lowerBound: '0', maxLeverage: 10 },
          { lowerBound: '1000000', maxLeverage: 5 },
        ],
      },
    ],
  },
]

const reset = (parts: object = {}): Promise<unknown> =>
  venue.control('reset', {
    ...{ frozen: true, dexes },
    accounts: [{ address: demoUser, equity: '10000', dex_equity: { xyz: '1000' } }],
    ...parts,
  })
beforeEach(() => reset())

const buy = order({ a: tsla, p: '401', s: '2', tif: 'Ioc' })
const rest = order({ a: tsla, p: '300', s: '1' })

describe('lists', () => {
  test('perpDexs has null first and every dex with its settings', async () => {
    const [main, xyz, alt] = await venue.info({ type: 'perpDexs' })
    expect(main).toBe(null)
    expect(xyz).toEqual({
      ...{ name: 'xyz', fullName: 'XYZ', oracleUpdater: null, feeRecipient: null },
      deployer: expect.stringMatching(/^0x[0-9a-f]{40}$/),
      assetToStreamingOiCap: [
        ['xyz:HOOD', '25000000.0'],
        ['xyz:TSLA', '200000000.0'],
      ],
      ...{ subDeployers: [], assetToFundingMultiplier: [['xyz:TSLA', '0.5']] },
      ...{ assetToFundingInterestRate: [], assetToFundingClamp: [] },
    })
    expect(alt.name).toBe('alt')
  })

  test('meta of each, all of them, and their contexts', async () => {
    const meta = await venue.info({ type: 'meta', dex: 'xyz' })
    expect(meta.universe).toEqual([
      {
        ...{ szDecimals: 3, name: 'xyz:TSLA', maxLeverage: 20, marginTableId: 20 },
        ...{ growthMode: 'enabled', deployerFeeScale: '1.0' },
        lastFeeScaleChangeTime: '2025-11-23T17:37:10.033211662',
      },
      {
        ...{ szDecimals: 3, name: 'xyz:HOOD', maxLeverage: 10, marginTableId: 10 },
        ...{ onlyIsolated: true, marginMode: 'noCross', deployerFeeScale: '1.0' },
      },
      {
        ...{ szDecimals: 1, name: 'xyz:UMC', maxLeverage: 10, marginTableId: 10 },
        ...{ isDelisted: true, deployerFeeScale: '1.0' },
      },
    ])
    expect(meta.collateralToken).toBe(0)
    const [main, , alt] = await venue.info({ type: 'allPerpMetas' })
    expect(main).toEqual(await venue.info({ type: 'meta' }))
    expect(alt.collateralToken).toBe(3)
    expect(alt.marginTables[0][0]).toBe(51)
    const [, contexts] = await venue.info({ type: 'metaAndAssetCtxs', dex: 'xyz' })
    expect(contexts).toHaveLength(3)
    expect(contexts[2]).toMatchObject({ midPx: null, impactPxs: null, premium: null })
    const table = await venue.info({ type: 'marginTable', id: 51, dex: 'alt' })
    expect(table.marginTiers).toHaveLength(2)
  })

  test('limits, status and caps', async () => {
    expect(await venue.info({ type: 'perpDexLimits', dex: '' })).toBe(null)
    expect(await venue.info({ type: 'perpDexLimits', dex: 'alt' })).toMatchObject({
      coinToOiCap: [['alt:OIL', '25000000.0']],
    })
    expect(await venue.info({ type: 'perpDexStatus', dex: 'xyz' })).toEqual({
      totalNetDeposit: '1000.0',
    })
    expect(await venue.info({ type: 'perpsAtOpenInterestCap', dex: 'xyz' })).toEqual([])
  })

  test('mids of a dex are its own, and the main list has none of them', async () => {
    const mids = await venue.info({ type: 'allMids', dex: 'xyz' })
    expect(mids).toEqual({ 'xyz:TSLA': '400.0', 'xyz:HOOD': '100.0', 'xyz:UMC': '10.0' })
    const main = await venue.info({ type: 'allMids' })
    expect(Object.keys(main).filter((coin) => coin.includes(':'))).toEqual([])
  })

  test.each(['meta', 'allMids', 'clearinghouseState', 'openOrders', 'perpDexLimits'])(
    '%s of an unknown dex is HTTP 500 with null',
    async (type) => {
      const asked = { type, dex: 'nope', user: demoUser }
      expect(await venue.send('POST', '/info', asked)).toMatchObject({ status: 500, text: 'null' })
      const unfit = { ...asked, dex: 7 }
      expect((await venue.send('POST', '/info', unfit)).status).toBe(422)
    },
  )

  test('coins with a prefix have books, candles and contexts', async () => {
    expect((await venue.info({ type: 'l2Book', coin: 'xyz:TSLA' })).levels[0]).toHaveLength(20)
    const active = await venue.info({ type: 'activeAssetData', user: demoUser, coin: 'xyz:HOOD' })
    expect(active).toMatchObject({ coin: 'xyz:HOOD', leverage: { type: 'isolated', value: 10 } })
    const req = { coin: 'xyz:TSLA', interval: '1h', startTime: 0 }
    expect((await venue.info({ type: 'candleSnapshot', req })).length).toBeGreaterThan(1_000)
  })
})

describe('an account', () => {
  test('shows on a dex what it has there, and histories show all of it', async () => {
    expect((await venue.exchange(buy)).json.status).toBe('ok')
    await venue.exchange(rest)
    const on = (type: string, dex?: string) =>
      venue.info({ type, user: demoUser, ...(dex === undefined ? {} : { dex }) })
    expect((await on('clearinghouseState')).assetPositions).toEqual([])
    const state = await on('clearinghouseState', 'xyz')
    expect(state.assetPositions[0].position).toMatchObject({ coin: 'xyz:TSLA', szi: '2.0' })
    expect(await on('openOrders')).toEqual([])
    expect(await on('frontendOpenOrders', 'xyz')).toMatchObject([{ coin: 'xyz:TSLA' }])
    expect(await on('userFills')).toMatchObject([{ coin: 'xyz:TSLA', feeToken: 'USDC' }])
    expect((await on('historicalOrders'))[0].order.coin).toBe('xyz:TSLA')
    const all = await venue.state()
    expect(all.dexes.xyz.openOrders).toHaveLength(1)
  })

  test('an agent moves money between dexes, of its own account alone', async () => {
    const move = (destination: string, nonce: number) => ({
      ...{ type: 'agentSendAsset', destination, sourceDex: '', destinationDex: 'xyz' },
      ...{ token: 'USDC:0x6d1e7cde53ba9467b783cb7c530ce054', amount: '50' },
      ...{ fromSubAccount: '', nonce },
    })
    const nonce = Date.now()
    const moved = await venue.exchange(move(demoUser, nonce), { nonce })
    expect(moved.json).toEqual({ status: 'ok', response: { type: 'default' } })
    const { dexes: on } = await venue.state()
    expect(on.xyz.clearinghouseState.withdrawable).toBe('1050.0')
    const away = await venue.exchange(move(stranger, nonce + 1), { nonce: nonce + 1 })
    expect(away.json.response).toBe('Agent can only send asset to same user or their sub-accounts.')
  })

  test('a scenario of the accounts may begin on a dex', async () => {
    const position = { coin: 'xyz:TSLA', szi: '1', leverage: { type: 'cross', value: 5 } }
    const wire = { a: tsla, b: true, p: '300', s: '1', r: false, t: { limit: { tif: 'Gtc' } } }
    const account = { address: demoUser, equity: '0', dex_equity: { xyz: '500' } }
    await reset({ accounts: [{ ...account, positions: [position], orders: [wire] }] })
    const { dexes: on } = await venue.state()
    expect(on.xyz.clearinghouseState.marginSummary.accountValue).toBe('500.0')
    expect(on.xyz.clearinghouseState.assetPositions).toHaveLength(1)
    expect(on.xyz.openOrders).toHaveLength(1)
  })

  test.each([
    [{ dexes: [{ name: 'XYZ', markets: [] }] }, 'two to six small letters'],
    [{ dexes: [...dexes, dexes[0]] }, 'the name xyz is taken'],
    [{ dexes: [{ name: 'xyz', collateral: 'EUR', markets: [] }] }, 'collateral must be one of'],
    [{ accounts: [{ address: demoUser, equity: '1', dex_equity: { nope: '1' } }] }, 'no dex nope'],
  ])('a reset that makes no sense is refused: %#', async (parts, reason) => {
    const body = { frozen: true, dexes, accounts: [], ...parts }
    const { status, json } = await venue.send('POST', '/sim/reset', body)
    expect(status).toBe(400)
    expect(json.error).toContain(reason)
  })
})

describe('streams', () => {
  test('of all dexes: sorted by name, the main one first', async () => {
    const socket = await venue.open()
    socket.subscribe({ type: 'allDexsClearinghouseState', user: demoUser })
    socket.subscribe({ type: 'allDexsAssetCtxs' })
    const states = await socket.onChannel('allDexsClearinghouseState')
    const names = (rows: [string, unknown][]) => rows.map(([name]) => name)
    expect(names(states.data.clearinghouseStates)).toEqual(['', 'alt', 'xyz'])
    const contexts = await socket.onChannel('allDexsAssetCtxs')
    expect(names(contexts.data.ctxs)).toEqual(['', 'alt', 'xyz'])
    expect(contexts.data.ctxs[2][1]).toHaveLength(3)
  })

  test('of one dex: acknowledged with it, and told at once', async () => {
    const socket = await venue.open()
    const dex = 'xyz'
    for (const type of ['clearinghouseState', 'openOrders', 'twapStates']) {
      socket.subscribe({ type, user: demoUser, dex })
    }
    socket.subscribe({ type: 'allMids', dex })
    socket.subscribe({ type: 'assetCtxs', dex })
    socket.subscribe({ type: 'userFills', user: demoUser })
    socket.subscribe({ type: 'orderUpdates', user: demoUser })
    await socket.settled()
    const acknowledged = socket.frames.filter(({ channel }) => channel === 'subscriptionResponse')
    expect(acknowledged[0]?.data.subscription).toMatchObject({ dex })
    expect((await socket.onChannel('allMids')).data).toMatchObject({ dex, mids: {} })
    expect((await socket.onChannel('assetCtxs')).data).toMatchObject({ dex })
    const from = socket.frames.length
    await venue.exchange(buy)
    await venue.exchange(rest)
    const state = await socket.onChannel('clearinghouseState', from)
    expect(state.data).toMatchObject({ dex, clearinghouseState: { assetPositions: [{}] } })
    const orders = await socket.next(
      ({ channel, data }) => channel === 'openOrders' && data.orders.length > 0,
      from,
    )
    expect(orders.data).toMatchObject({ dex, orders: [{ coin: 'xyz:TSLA' }] })
    const fills = await socket.onChannel('userFills', from)
    expect(fills.data.fills).toMatchObject([{ coin: 'xyz:TSLA' }])
    const updates = await socket.onChannel('orderUpdates', from)
    expect(updates.data[0].order.coin).toBe('xyz:TSLA')
  })

  test('a dex without markets is among them', async () => {
    await reset({ dexes: [{ name: 'cash', markets: [] }], accounts: [] })
    const socket = await venue.open()
    socket.subscribe({ type: 'allDexsAssetCtxs' })
    const { data } = await socket.onChannel('allDexsAssetCtxs')
    expect(data.ctxs[1]).toEqual(['cash', []])
  })

  test('webData3 has one state for each index', async () => {
    const socket = await venue.open()
    socket.subscribe({ type: 'webData3', user: demoUser })
    const { data } = await socket.onChannel('webData3')
    expect(data.perpDexStates).toHaveLength(3)
  })

  test('of an account on a dex that there is not an empty state is told', async () => {
    const socket = await venue.open()
    for (const type of ['clearinghouseState', 'openOrders', 'twapStates']) {
      socket.subscribe({ type, user: demoUser, dex: 'nope' })
    }
    const { data } = await socket.onChannel('clearinghouseState')
    expect(data).toMatchObject({
      ...{ dex: 'nope', user: demoUser },
      clearinghouseState: { marginSummary: { accountValue: '0.0' }, assetPositions: [] },
    })
    expect((await socket.onChannel('openOrders')).data.orders).toEqual([])
    expect((await socket.onChannel('twapStates')).data).toEqual({
      ...{ dex: 'nope', user: demoUser, states: [] },
    })
  })

  test('mids of the main dex do not name it', async () => {
    const socket = await venue.open()
    socket.subscribe({ type: 'allMids', dex: '' })
    expect((await socket.onChannel('subscriptionResponse')).data.subscription).toEqual({
      ...{ type: 'allMids', dex: '' },
    })
    expect(Object.keys((await socket.onChannel('allMids')).data)).toEqual(['mids'])
  })

  test('an unknown dex ends the connection', async () => {
    const socket = await venue.open()
    socket.subscribe({ type: 'allMids', dex: 'nope' })
    await socket.closed
  })
})

describe('/sim/dex', () => {
  const dex = (body: object) => venue.control('dex', { dex: 'xyz', ...body })
  const on = (type: string) => venue.info({ type, user: demoUser, dex: 'xyz' })

  test('a halt settles, is told at once, and ends', async () => {
    await venue.exchange(buy)
    await venue.exchange(rest)
    const socket = await venue.open()
    socket.subscribe({ type: 'allDexsClearinghouseState', user: demoUser })
    socket.subscribe({ type: 'userFills', user: demoUser })
    await socket.settled()
    const from = socket.frames.length
    const told = await dex({ coin: 'xyz:TSLA', halt: true })
    expect(told).toMatchObject({ dex: 'xyz', index: 1 })
    expect(told.markets[0]).toMatchObject({ coin: 'xyz:TSLA', asset: tsla, isDelisted: true })
    const { data } = await socket.onChannel('userFills', from)
    expect(data.fills).toMatchObject([{ dir: 'Settlement', px: '400.0', fee: '0.0' }])
    const states = await socket.onChannel('allDexsClearinghouseState', from)
    expect(states.data.clearinghouseStates[2][1].assetPositions).toEqual([])
    expect(await on('openOrders')).toEqual([])
    expect((await venue.exchange(buy)).json.response.data.statuses[0].error).toContain('halted')
    await dex({ coin: 'xyz:TSLA', halt: false })
    expect((await venue.exchange(buy)).json.response.data.statuses[0].filled.totalSz).toBe('2.0')
  })

  test('an oracle is posted, the mark follows by a percent', async () => {
    const { markets } = await dex({ coin: 'xyz:TSLA', oracle: '420' })
    expect(markets[0]).toMatchObject({ oracle: '420', mark: '404' })
    const only = await dex({ coin: 'xyz:TSLA', oracle: '420', marks: [] })
    expect(only.markets[0].mark).toBe('400')
  })

  test('while no oracle is posted no context is told', async () => {
    await dex({ coin: 'xyz:TSLA', oracle_stops: true })
    const socket = await venue.open()
    socket.subscribe({ type: 'activeAssetCtx', coin: 'xyz:TSLA' })
    socket.subscribe({ type: 'activeAssetCtx', coin: 'xyz:HOOD' })
    const first = await socket.onChannel('activeAssetCtx')
    expect(first.data.coin).toBe('xyz:HOOD')
    await dex({ oracle_stops: true })
    const from = socket.frames.length
    socket.subscribe({ type: 'allDexsAssetCtxs' })
    const { data } = await socket.onChannel('allDexsAssetCtxs', from)
    expect(data.ctxs.map(([name]: [string]) => name)).toEqual(['', 'alt'])
  })

  test('a cap, a margin mode and a delisting show in the lists', async () => {
    await venue.exchange(buy)
    await dex({ coin: 'xyz:TSLA', cap: '800' })
    expect(await on('perpsAtOpenInterestCap')).toEqual(['xyz:TSLA'])
    await dex({ coin: 'xyz:TSLA', marginMode: 'strictIsolated' })
    await dex({ coin: 'xyz:HOOD', delist: true })
    const { universe } = await on('meta')
    expect(universe[0]).toMatchObject({ marginMode: 'strictIsolated', onlyIsolated: true })
    expect(universe[1]).toMatchObject({ isDelisted: true })
  })

  test('a dex appears and another vanishes; its streams fall silent', async () => {
    const socket = await venue.open()
    socket.subscribe({ type: 'allMids', dex: 'xyz' })
    await socket.onChannel('allMids')
    const market = { name: 'AI', szDecimals: 1, maxLeverage: 5, mid: '50' }
    const listed = await venue.control('list', { ...market, name: 'xyz:AI', growthMode: true })
    expect(listed).toEqual({ coin: 'xyz:AI', asset: 110_003 })
    const added = await venue.control('dex', { add: { name: 'io', markets: [market] } })
    expect(added).toMatchObject({ dex: 'io', index: 3, markets: [{ asset: 130_000 }] })
    await dex({ remove: true })
    const from = socket.frames.length
    socket.subscribe({ type: 'allMids', dex: 'io' })
    const { data } = await socket.onChannel('allMids', from)
    expect(data).toEqual({ dex: 'io', mids: { 'io:AI': '50.0' } })
    const all = await venue.info({ type: 'perpDexs' })
    expect(all.map((each: any) => each?.name ?? null)).toEqual([null, null, 'alt', 'io'])
    expect(await venue.info({ type: 'allPerpMetas' })).toHaveLength(4)
    expect((await venue.state()).clearinghouseState.withdrawable).toBe('11000.0')
  })

  test.each([
    [{ dex: 'nope', halt: true }, 'there is no dex nope'],
    [{ dex: 'xyz', coin: 'xyz:NOPE', halt: true }, 'there is no market xyz:NOPE'],
    [{ dex: 'xyz', oracle: '1' }, 'a price is posted for one market'],
    [{ dex: 'xyz', marks: ['1'] }, 'oracle must be given with marks'],
    [{ dex: 'xyz', delist: false }, 'delist must be true'],
    [{ dex: 'xyz', close: true }, 'close is not known'],
  ])('%j is a 400', async (body, reason) => {
    const { status, json } = await venue.send('POST', '/sim/dex', body)
    expect(status).toBe(400)
    expect(json.error).toContain(reason)
  })
})

test('a fault may be for a market of a dex', async () => {
  await venue.fault({ where: 'exchange', kind: 'refuse', match: { coin: 'xyz:TSLA' }, text: 'no' })
  expect((await venue.exchange(order({ p: '2400' }))).json.response.data.statuses[0].error).toBe(
    undefined,
  )
  expect((await venue.exchange(buy)).json.response.data.statuses[0].error).toBe('no')
})

test.each([
  ['main', 0],
  ['all', 1],
])('webData2 with the TWAPs of %s dexes', async (webData2_twaps, count) => {
  await reset({ options: { webData2_twaps } })
  const twap = { a: tsla, b: true, s: '2', r: false, m: 5, t: false }
  await venue.control('act', { user: demoUser, action: { type: 'twapOrder', twap } })
  const { twapStates } = await venue.info({ type: 'webData2', user: demoUser })
  expect(twapStates).toHaveLength(count)
})

describe('a fault of one dex', () => {
  const heard = (socket: Awaited<ReturnType<TestVenue['open']>>, channel: string): any[] =>
    socket.frames.filter((frame: any) => frame.channel === channel).map(({ data }: any) => data)

  test('meets the questions about it alone, by its name or by a coin', async () => {
    await venue.fault({ where: 'info', kind: 'http_500', match: { dex: 'xyz' }, count: 0 })
    const state = { type: 'clearinghouseState', user: demoUser }
    const ask = async (question: object): Promise<number> =>
      (await venue.send('POST', '/info', question as any)).status
    expect(await ask({ ...state, dex: 'xyz' })).toBe(500)
    expect(await ask({ type: 'l2Book', coin: 'xyz:TSLA' })).toBe(500)
    expect(await ask({ ...state, dex: 'alt' })).toBe(200)
    expect(await ask(state)).toBe(200)
  })

  test('stale: its state stands still in what is told of all, and those of the others go on', async () => {
    const socket = await venue.open()
    socket.subscribe({ type: 'allDexsClearinghouseState', user: demoUser } as any)
    await socket.settled()
    const match = { type: 'allDexsClearinghouseState', dex: 'xyz' }
    await venue.fault({ where: 'ws', kind: 'stale', match, count: 0 })
    const before = Date.now()
    await expect.poll(() => Date.now()).toBeGreaterThan(before + 5)
    await venue.control('act', { user: demoUser, action: buy })
    await socket.settled()
    const told = new Map<string, any>(
      heard(socket, 'allDexsClearinghouseState').at(-1).clearinghouseStates,
    )
    expect(told.get('xyz').assetPositions).toEqual([])
    expect(told.get('xyz').time).toBeLessThan(told.get('alt').time)
  })

  test('silence: its rows are left out of what is told of orders and fills', async () => {
    const socket = await venue.open()
    for (const type of ['orderUpdates', 'userFills', 'openOrders']) {
      socket.subscribe({ type, user: demoUser } as any)
    }
    socket.subscribe({ type: 'openOrders', user: demoUser, dex: 'xyz' } as any)
    await socket.settled()
    await venue.fault({ where: 'ws', kind: 'silence', match: { dex: 'xyz' }, count: 0 })
    const isOfXyz = (frame: unknown): boolean => JSON.stringify(frame).includes('xyz:TSLA')
    await venue.control('act', { user: demoUser, action: buy })
    await venue.control('act', { user: demoUser, action: rest })
    const onMain = order({ a: 1, p: '1000', s: '0.02' })
    await venue.control('act', { user: demoUser, action: onMain })
    await socket.settled()
    expect(socket.frames.filter(isOfXyz)).toEqual([])
    expect(heard(socket, 'orderUpdates')).toHaveLength(1)
    await venue.send('DELETE', '/sim/fault')
    await venue.control('act', { user: demoUser, action: rest })
    await socket.settled()
    expect(socket.frames.filter(isOfXyz).length).toBeGreaterThan(0)
  })

  test('names a dex of this venue', async () => {
    const answer = await venue.send('POST', '/sim/fault', {
      ...{ where: 'info', kind: 'http_500', match: { dex: 'nope' } },
    })
    expect(JSON.stringify(answer.json)).toContain('match.dex must be a dex of this venue')
  })
})
