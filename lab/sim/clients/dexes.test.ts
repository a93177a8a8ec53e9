import { ExchangeClient, HttpTransport, InfoClient } from '@nktkas/hyperliquid'
import { SymbolConverter } from '@nktkas/hyperliquid/utils'
import ccxt from 'ccxt'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { demoKey, demoUser, TestVenue } from '../simulator.fixture.ts'
import { TypeJudge } from './typeJudge.fixture.ts'

/** Clients on builder dexes, each by the names it has for their markets. */
let venue: TestVenue
beforeAll(async () => {
  venue = await TestVenue.start()
})
afterAll(() => venue.close())

const dexes = [
  {
    name: 'xyz',
    markets: [
      {
        ...{ name: 'TSLA', szDecimals: 3, maxLeverage: 20, mid: '400', growthMode: true },
        lastFeeScaleChangeTime: '2025-11-23T17:37:10.033211662',
      },
      { name: 'HOOD', szDecimals: 3, maxLeverage: 10, mid: '100', marginMode: 'noCross' },
    ],
  },
  { name: 'gone', markets: [] },
  { name: 'para', markets: [{ name: 'GOLD', szDecimals: 2, maxLeverage: 25, mid: '4000' }] },
]
beforeEach(() =>
  venue.control('reset', {
    ...{ frozen: true, dexes },
    accounts: [{ address: demoUser, equity: '10000', dex_equity: { xyz: '1000', para: '1000' } }],
  }),
)

describe('nktkas', () => {
  const clients = () => {
    const transport = new HttpTransport({ apiUrl: venue.url, isTestnet: true })
    const wallet = privateKeyToAccount(demoKey)
    const exchange = new ExchangeClient({ transport, wallet })
    return { transport, info: new InfoClient({ transport }), exchange }
  }

  test('its converter finds the ids of every dex', async () => {
    const converter = await SymbolConverter.create({ transport: clients().transport, dexs: true })
    expect(converter.getAssetId('xyz:TSLA')).toBe(110_000)
    expect(converter.getAssetId('xyz:HOOD')).toBe(110_001)
    expect(converter.getAssetId('para:GOLD')).toBe(130_000)
    expect(converter.getSzDecimals('para:GOLD')).toBe(2)
    expect(converter.getAssetId('ETH')).toBe(1)
  })

  test('trades, reads and moves money there', async () => {
    const { info, exchange } = clients()
    const a = 110_001
    await exchange.updateLeverage({ asset: a, isCross: false, leverage: 5 })
    const order = { a, b: true, p: '110', s: '2', r: false, t: { limit: { tif: 'Ioc' as const } } }
    await exchange.order({ orders: [order], grouping: 'na' })
    const state = await info.clearinghouseState({ user: demoUser, dex: 'xyz' })
    expect(state.assetPositions[0]?.position.coin).toBe('xyz:HOOD')
    await exchange.sendAsset({
      ...{ destination: demoUser, sourceDex: '', destinationDex: 'para', amount: '100' },
      token: 'USDC:0x6d1e7cde53ba9467b783cb7c530ce054',
    })
    const para = await info.clearinghouseState({ user: demoUser, dex: 'para' })
    expect(para.marginSummary.accountValue).toBe('1100.0')
  })

  test('every answer about dexes fits its types', async () => {
    const { exchange } = clients()
    const order = { a: 110_000, b: true, p: '410', s: '1', r: false }
    await exchange.order({
      orders: [
        { ...order, t: { limit: { tif: 'Ioc' } } },
        { ...order, p: '300', t: { limit: { tif: 'Gtc' } } },
      ],
      grouping: 'na',
    })
    const judge = new TypeJudge()
    const user = demoUser
    const socket = await venue.open()
    for (const type of ['allMids', 'assetCtxs']) socket.subscribe({ type, dex: 'xyz' })
    for (const type of ['clearinghouseState', 'openOrders', 'twapStates']) {
      socket.subscribe({ type, user, dex: 'xyz' })
    }
    socket.subscribe({ type: 'allDexsAssetCtxs' })
    socket.subscribe({ type: 'allDexsClearinghouseState', user })
    socket.subscribe({ type: 'webData3', user })
    await socket.settled()
    for (const frame of socket.frames) judge.frame(frame)
    for (const type of [
      // Not those that list dexes and markets: the venue has other fields there since this version.
      ...['allMids', 'perpDexLimits', 'perpDexStatus', 'perpsAtOpenInterestCap'],
      ...['clearinghouseState', 'openOrders', 'frontendOpenOrders'],
      ...['userFills', 'historicalOrders'],
    ]) {
      judge.info(type, await venue.info({ type, user, dex: 'xyz' }))
    }
    expect(judge.violations()).toEqual([])
  })
})

describe('ccxt', () => {
  const client = async (): Promise<any> => {
    const made = new ccxt.hyperliquid({
      ...{ walletAddress: demoUser, privateKey: demoKey, enableRateLimit: false },
      options: { sandboxMode: true },
    })
    made.urls['api'] = { public: venue.url, private: venue.url } as any
    await made.loadMarkets()
    return made
  }
  const symbol = 'XYZ-TSLA/USDC:USDC'

  test('knows the markets of every dex', async () => {
    const exchange = await client()
    expect(exchange.market(symbol)).toMatchObject({ id: '110000', swap: true, active: true })
    expect(exchange.market('PARA-GOLD/USDC:USDC').id).toBe('130000')
  })

  test('trades there and finds what it has', async () => {
    const exchange = await client()
    await exchange.setMarginMode('isolated', symbol, { leverage: 5 })
    const bought = await exchange.createOrder(symbol, 'market', 'buy', 1, 400)
    expect(bought.filled).toBe(1)
    const [position] = await exchange.fetchPositions([symbol])
    expect(position).toMatchObject({ symbol, side: 'long', contracts: 1, marginMode: 'isolated' })
    const stop = await exchange.createOrder(symbol, 'market', 'sell', 1, 400, {
      ...{ stopLossPrice: 380, reduceOnly: true },
    })
    expect(await exchange.fetchOpenOrders(symbol)).toMatchObject([{ id: stop.id, symbol }])
    await exchange.cancelOrder(stop.id, symbol)
    expect((await exchange.fetchMyTrades(symbol))[0]).toMatchObject({ symbol, amount: 1 })
    await exchange.createOrder(symbol, 'market', 'sell', 1, 400, { reduceOnly: true })
    expect(await exchange.fetchPositions([symbol])).toEqual([])
  })
})
