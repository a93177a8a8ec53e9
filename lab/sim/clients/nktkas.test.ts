import {
  ExchangeClient,
  HttpTransport,
  InfoClient,
  SubscriptionClient,
  WebSocketTransport,
} from '@nktkas/hyperliquid'
import { SymbolConverter } from '@nktkas/hyperliquid/utils'
import { privateKeyToAccount } from 'viem/accounts'
import { WebSocket } from 'ws'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { demoKey, demoUser, TestVenue } from '../simulator.fixture.ts'

// The client needs a global that this Node version does not have.
globalThis.WebSocket ??= WebSocket as unknown as typeof globalThis.WebSocket

let venue: TestVenue
beforeAll(async () => {
  venue = await TestVenue.start()
})
afterAll(() => venue.close())
beforeEach(() => venue.freeze())

const wallet = privateKeyToAccount(demoKey)
const eth = 1

function http() {
  const transport = new HttpTransport({ apiUrl: venue.url, isTestnet: true })
  return {
    info: new InfoClient({ transport }),
    exchange: new ExchangeClient({ transport, wallet }),
  }
}

test('loads markets and reads everything it knows to ask', async () => {
  const { info } = http()
  const user = demoUser
  expect((await info.meta()).universe[eth]?.name).toBe('ETH')
  expect((await info.metaAndAssetCtxs())[1][eth]?.midPx).toBe('2486.35')
  expect((await info.allMids())['BTC']).toBe('84213.5')
  expect((await info.l2Book({ coin: 'ETH' }))?.levels[0]).toHaveLength(20)
  expect((await info.l2Book({ coin: 'ETH', nSigFigs: 3 }))?.levels[0][0]?.px).toBe('2480.0')
  expect((await info.clearinghouseState({ user })).withdrawable).toBe('10000.0')
  expect(await info.openOrders({ user })).toEqual([])
  expect(await info.frontendOpenOrders({ user })).toEqual([])
  expect(await info.userFills({ user })).toEqual([])
  expect(await info.userAbstraction({ user })).toBe('disabled')
  expect(await info.userRole({ user })).toEqual({ role: 'user' })
  expect((await info.userRateLimit({ user })).nRequestsCap).toBe(10_000)
  expect((await info.userFees({ user })).userCrossRate).toBe('0.00045')
  expect((await info.activeAssetData({ user, coin: 'ETH' })).coin).toBe('ETH')
  expect(await info.perpDexs()).toEqual([null])
  expect((await info.spotMeta()).tokens[0]?.name).toBe('USDC')
  expect(await info.orderStatus({ user, oid: 5 })).toEqual({ status: 'unknownOid' })
  expect((await info.portfolio({ user })).map(([name]) => name)).toContain('perpAllTime')
  expect(await info.extraAgents({ user })).toEqual([])
  expect(await info.subAccounts({ user })).toBe(null)
  expect((await info.exchangeStatus()).specialStatuses).toBe(null)
  expect((await info.predictedFundings())[0]?.[0]).toBe('BTC')
})

test('its symbol converter starts', async () => {
  const transport = new HttpTransport({ apiUrl: venue.url, isTestnet: true })
  const converter = await SymbolConverter.create({ transport })
  expect(converter.getAssetId('ETH')).toBe(eth)
  expect(converter.getSzDecimals('ETH')).toBe(4)
})

const limit = (p: string, tif: 'Gtc' | 'Ioc' | 'Alo' | 'FrontendMarket') => ({
  ...{ a: eth, b: true, p, s: '0.1', r: false },
  t: { limit: { tif } },
})

test('trades: leverage, market, group, post-only, modify, cancel, close', async () => {
  const { info, exchange } = http()
  await exchange.updateLeverage({ asset: eth, isCross: false, leverage: 3 })
  const bought = await exchange.order({
    orders: [limit('2600', 'FrontendMarket')],
    grouping: 'na',
  })
  expect(bought.response.data.statuses[0]).toMatchObject({
    filled: { totalSz: '0.1', avgPx: '2486.4' },
  })
  const group = await exchange.order({
    orders: [
      limit('2400', 'Gtc'),
      {
        ...{ a: eth, b: false, p: '2000', s: '0.1', r: true },
        t: { trigger: { isMarket: true, triggerPx: '2300', tpsl: 'sl' } },
      },
    ],
    grouping: 'normalTpsl',
  })
  expect(group.response.data.statuses).toEqual([
    { resting: { oid: expect.any(Number) } },
    'waitingForFill',
  ])
  const cloid = '0x1234567890abcdef1234567890abcdef'
  await exchange.order({ orders: [{ ...limit('2410', 'Alo'), c: cloid }], grouping: 'na' })
  await exchange.batchModify({
    modifies: [{ oid: cloid, order: { ...limit('2411', 'Alo'), c: cloid } }],
  })
  const orders = await info.frontendOpenOrders({ user: demoUser })
  expect(orders.map((order) => order.limitPx)).toContain('2411.0')
  await exchange.cancelByCloid({ cancels: [{ asset: eth, cloid }] })
  const parent = orders.find((order) => order.limitPx === '2400.0')
  await exchange.cancel({ cancels: [{ a: eth, o: parent?.oid ?? 0 }] })
  expect(await info.openOrders({ user: demoUser })).toEqual([])
  await exchange.order({
    orders: [{ ...limit('2400', 'Ioc'), b: false, r: true }],
    grouping: 'na',
  })
  expect((await info.clearinghouseState({ user: demoUser })).assetPositions).toEqual([])
  expect(await info.userFills({ user: demoUser })).toHaveLength(2)
})

test('a refusal reaches it as its own error', async () => {
  const { exchange } = http()
  await expect(exchange.order({ orders: [limit('2600', 'Alo')], grouping: 'na' })).rejects.toThrow(
    /Post only order would have immediately matched, bbo was 2486.3@2486.4/,
  )
})

test('user-signed actions are verified and done', async () => {
  const { info, exchange } = http()
  await exchange.approveAgent({
    agentAddress: '0x00000000000000000000000000000000000000a1',
    agentName: 'bot',
  })
  expect(await info.extraAgents({ user: demoUser })).toMatchObject([{ name: 'bot' }])
  await exchange.usdClassTransfer({ amount: '100', toPerp: false })
  const spot = await info.spotClearinghouseState({ user: demoUser })
  expect(spot.balances[0]).toMatchObject({ coin: 'USDC', total: '100.0' })
})

describe('over its socket', () => {
  let transport: WebSocketTransport
  beforeEach(async () => {
    transport = new WebSocketTransport({ url: venue.simulator.wsUrl, isTestnet: true })
    await transport.ready()
    return () => transport.close()
  })

  test('every subscription is acknowledged and delivers', async () => {
    const streams = new SubscriptionClient({ transport })
    const user = demoUser
    const seen = new Set<string>()
    const note = (name: string) => () => {
      seen.add(name)
    }
    await streams.allMids(note('allMids'))
    await streams.l2Book({ coin: 'ETH' }, note('l2Book'))
    await streams.bbo({ coin: 'ETH' }, note('bbo'))
    await streams.trades({ coin: 'ETH' }, note('trades'))
    await streams.candle({ coin: 'ETH', interval: '1m' }, note('candle'))
    await streams.activeAssetCtx({ coin: 'ETH' }, note('activeAssetCtx'))
    await streams.activeAssetData({ user, coin: 'ETH' }, note('activeAssetData'))
    await streams.clearinghouseState({ user }, note('clearinghouseState'))
    await streams.openOrders({ user }, note('openOrders'))
    await streams.orderUpdates({ user }, note('orderUpdates'))
    await streams.userEvents({ user }, note('userEvents'))
    await streams.userFills({ user }, note('userFills'))
    await streams.userFundings({ user }, note('userFundings'))
    await streams.userNonFundingLedgerUpdates({ user }, note('ledger'))
    await streams.spotState({ user }, note('spotState'))
    await streams.notification({ user }, note('notification'))
    await streams.webData3({ user }, note('webData3'))
    const exchange = new ExchangeClient({ transport, wallet })
    await exchange.order({ orders: [limit('2600', 'Ioc')], grouping: 'na' })
    await venue.control('price', { coin: 'ETH', mid: '2490.05' })
    const info = new InfoClient({ transport })
    expect((await info.allMids())['ETH']).toBe('2490.05')
    expect([...seen].sort()).toEqual(
      [
        ...['activeAssetCtx', 'activeAssetData', 'allMids', 'bbo', 'candle'],
        ...['clearinghouseState', 'l2Book', 'ledger', 'openOrders', 'orderUpdates'],
        ...['spotState', 'trades', 'userEvents', 'userFills', 'userFundings', 'webData3'],
      ].sort(),
    )
  })

  test('orders and questions as posts', async () => {
    const exchange = new ExchangeClient({ transport, wallet })
    const info = new InfoClient({ transport })
    const done = await exchange.order({ orders: [limit('2400', 'Alo')], grouping: 'na' })
    const [status] = done.response.data.statuses
    expect(status).toMatchObject({ resting: { oid: expect.any(Number) } })
    expect(await info.openOrders({ user: demoUser })).toHaveLength(1)
    await expect(
      exchange.order({ orders: [limit('2600', 'Alo')], grouping: 'na' }),
    ).rejects.toThrow(/Post only/)
  })
})
