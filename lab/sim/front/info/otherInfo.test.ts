import { afterAll, beforeAll, expect, test } from 'vitest'
import { inflateRawSync } from 'node:zlib'
import { demoUser, marketBuy, TestVenue } from '../../simulator.fixture.ts'

let venue: TestVenue
beforeAll(async () => {
  venue = await TestVenue.start()
  await venue.freeze()
})
afterAll(() => venue.close())

const user = demoUser
const nobody = `0x${'9'.repeat(40)}`
const act = (action: object) => venue.control('act', { user, action })

test.each([
  [{ type: 'userToMultiSigSigners', user }, null],
  [{ type: 'perpAnnotation', coin: 'BTC' }, null],
  [{ type: 'perpConciseAnnotations' }, []],
  [{ type: 'perpDexLimits', dex: '' }, null],
  [{ type: 'outcomeTemplates' }, []],
  [{ type: 'settledOutcome', outcome: 1 }, null],
  [{ type: 'validatorL1Votes' }, []],
  [{ type: 'usdcRouting' }, { depositRoute: 'bridge', withdrawalRoute: 'bridge' }],
  [
    { type: 'legalCheck', user },
    { acceptedTerms: true, userAllowed: true, restrictions: 'n' },
  ],
  [
    { type: 'preTransferCheck', user, source: user },
    { userExists: true, fee: '0.0' },
  ],
  [
    { type: 'preTransferCheck', user: nobody, source: user },
    { userExists: false, fee: '1.0' },
  ],
  [{ type: 'userBorrowLendInterest', user, startTime: 0 }, []],
  [
    { type: 'spotDeployState', user },
    { states: [], gasAuction: { startGas: '500.0' } },
  ],
  [
    { type: 'gossipPriorityAuctionStatus' },
    [
      [null, null],
      [{ endGas: null }, {}],
    ],
  ],
  [
    { type: 'tokenDetails', tokenId: '0x7317beb7cceed72ef0b346074cc8e7ab' },
    { name: 'HYPE', szDecimals: 2, markPx: '30.0' },
  ],
])('%j', async (request, answer) => {
  const told = await venue.info(request)
  if (answer === null) expect(told).toBe(null)
  else expect(told).toMatchObject(answer)
})

test.each([
  [{ type: 'perpAnnotation' }, 422],
  [{ type: 'settledOutcome' }, 422],
  [{ type: 'preTransferCheck', user }, 422],
  [{ type: 'borrowLendReserveState' }, 422],
  [{ type: 'borrowLendReserveState', token: 99 }, 500],
  [{ type: 'tokenDetails' }, 422],
  [{ type: 'tokenDetails', tokenId: '0x00' }, 500],
])('%j is HTTP %i', async (request, status) => {
  expect((await venue.send('POST', '/info', request)).status).toBe(status)
})

test('staking and lending are told as they are', async () => {
  await venue.freeze()
  await act({ type: 'usdClassTransfer', amount: '1000', toPerp: false })
  await venue.control('elsewhere', { user, fill: { coin: '@1', side: 'B', px: '30', sz: '10' } })
  await act({ type: 'cDeposit', wei: 400_000_000 })
  const [{ validator }] = await venue.info({ type: 'validatorSummaries' })
  await act({ type: 'tokenDelegate', validator, wei: 300_000_000, isUndelegate: false })
  await act({ type: 'cWithdraw', wei: 50_000_000 })
  await act({ type: 'borrowLend', operation: 'supply', token: 0, amount: '30' })
  expect(await venue.info({ type: 'delegatorSummary', user })).toEqual({
    ...{ delegated: '3.0', undelegated: '0.5', totalPendingWithdrawal: '0.5' },
    nPendingWithdrawals: 1,
  })
  expect(await venue.info({ type: 'delegations', user })).toMatchObject([
    { validator, amount: '3.0' },
  ])
  const history = await venue.info({ type: 'delegatorHistory', user })
  expect(history.map(({ delta }: any) => delta)).toEqual([
    { withdrawal: { amount: '0.5', phase: 'initiated' } },
    { delegate: { validator, amount: '3.0', isUndelegate: false } },
    { cDeposit: { amount: '4.0' } },
  ])
  expect(await venue.info({ type: 'validatorSummaries' })).toMatchObject([{ stake: 300_000_000 }])
  const lent = { basis: '30.0', value: '30.0' }
  expect(await venue.info({ type: 'borrowLendUserState', user })).toMatchObject({
    tokenToState: [[0, { supply: lent }]],
    health: 'healthy',
  })
  expect(await venue.info({ type: 'borrowLendReserveState', token: 0 })).toMatchObject({
    totalSupplied: '30.0',
  })
  const ledger = await venue.info({ type: 'userNonFundingLedgerUpdates', user, startTime: 0 })
  expect(ledger.slice(-2).map(({ delta }: any) => delta)).toEqual([
    { type: 'cStakingTransfer', token: 'HYPE', amount: '4.0', isDeposit: true },
    {
      type: 'borrowLend',
      token: 'USDC',
      operation: 'supply',
      amount: '30.0',
      interestAmount: '0.0',
    },
  ])
})

test('streams: spot contexts, packed marks, TWAPs', async () => {
  await venue.freeze()
  const socket = await venue.open()
  socket.subscribe({ type: 'activeAssetCtx', coin: '@107' })
  socket.subscribe({ type: 'spotAssetCtxs' })
  socket.subscribe({ type: 'fastAssetCtxs' })
  socket.subscribe({ type: 'outcomeMetaUpdates' })
  socket.subscribe({ type: 'userEvents', user })
  socket.subscribe({ type: 'notification', user })
  await socket.settled()
  expect((await socket.onChannel('activeSpotAssetCtx')).data).toMatchObject({
    coin: '@107',
    ctx: { coin: '@107', markPx: '2486.0' },
  })
  expect((await socket.onChannel('spotAssetCtxs')).data).toHaveLength(8)
  const unpack = (data: string) =>
    JSON.parse(inflateRawSync(Buffer.from(data, 'base64')).toString())
  const first = unpack((await socket.onChannel('fastAssetCtxs')).data)
  expect(first['ETH']).toEqual({ markPx: '2486.35', midPx: '2486.35' })
  await act({
    type: 'twapOrder',
    twap: { a: 1, b: true, s: '1', r: false, m: 5, t: false },
  })
  await socket.settled()
  const events = socket.frames.filter(({ channel }) => channel === 'user').map(({ data }) => data)
  expect(events.map((data: any) => Object.keys(data)[0])).toEqual(['twapHistory', 'twapSliceFills'])
  expect((await socket.onChannel('notification')).data.notification).toBe(
    'TWAP activated: Buy 1 ETH over 5 minutes',
  )
})

test.each([
  ['omitted', [undefined, undefined]],
  ['told', ['0.0', expect.stringMatching(/^-\d+\./)]],
])('rawUsd in activeAssetData: %s', async (activeAssetRawUsd, expected) => {
  await venue.freeze({ leverage: { ETH: { type: 'isolated', value: 3 } } })
  await venue.control('options', { activeAssetRawUsd })
  const rawUsd = async () =>
    (await venue.info({ type: 'activeAssetData', user: demoUser, coin: 'ETH' })).leverage.rawUsd
  const flat = await rawUsd()
  await venue.control('act', { user: demoUser, action: marketBuy })
  expect([flat, await rawUsd()]).toEqual(expected)
})

test('candles have prices of the grid alone', async () => {
  await venue.control('reset', { seed: 3, accounts: [] })
  await venue.control('clock', { advance_ms: 600_000 })
  const range = { startTime: Date.now() - 86_400_000, endTime: Date.now() + 86_400_000 }
  for (const coin of ['BTC', 'ETH', 'DOGE']) {
    const req = { coin, interval: '1m', ...range }
    const candles = await venue.info({ type: 'candleSnapshot', req })
    expect(candles.length).toBeGreaterThan(1_000)
    const figures = candles.flatMap(({ o, h, l, c }: any) => [o, h, l, c] as string[])
    const isOnGrid = (price: string) =>
      Number.isInteger(Number(price)) ||
      String(Number(price)).replace(/^0?\.0*|\./g, '').length <= 5
    expect(figures.filter((price: string) => !isOnGrid(price))).toEqual([])
  }
})
