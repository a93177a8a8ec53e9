import ccxt from 'ccxt'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { demoKey, demoUser, TestVenue } from '../simulator.fixture.ts'

let venue: TestVenue
beforeAll(async () => {
  venue = await TestVenue.start()
})
afterAll(() => venue.close())
beforeEach(() => venue.freeze())

const symbol = 'ETH/USDC:USDC'

/** The client as its users make it, pointed here. */
async function client(pro = false): Promise<any> {
  const kind = pro ? ccxt.pro.hyperliquid : ccxt.hyperliquid
  const made = new kind({
    walletAddress: demoUser,
    privateKey: demoKey,
    options: { sandboxMode: true },
    enableRateLimit: false,
  })
  const api = { public: venue.url, private: venue.url, ws: { public: venue.simulator.wsUrl } }
  made.urls['api'] = api as any
  if (pro) await made.loadHttpProxyAgent()
  await made.loadMarkets()
  return made
}

test('loads markets and reads', async () => {
  const exchange = await client()
  expect(exchange.market(symbol)).toMatchObject({ swap: true, active: true, baseId: '1' })
  expect(exchange.market('KPEPE/USDC:USDC').id).toBe('5')
  expect((await exchange.fetchTicker(symbol)).last).toBeDefined()
  expect((await exchange.fetchOrderBook(symbol)).bids[0]?.[0]).toBe(2486.3)
  expect((await exchange.fetchBalance())['USDC'].total).toBe(10_000)
  expect(await exchange.fetchPositions()).toEqual([])
  expect(await exchange.fetchOpenOrders(symbol)).toEqual([])
  expect(await exchange.fetchMyTrades(symbol)).toEqual([])
  expect(Array.isArray(await exchange.fetchOHLCV(symbol, '1m'))).toBe(true)
  expect((await exchange.fetchStatus()).status).toBe('ok')
  expect((await exchange.fetchFundingRates([symbol]))[symbol]).toBeDefined()
  expect(Array.isArray(await exchange.fetchTrades(symbol))).toBe(true)
  expect((await exchange.fetchTradingFee(symbol)).taker).toBe(0.00045)
})

test('trades: leverage, market, limit, groups, post-only, edit, cancel, close', async () => {
  const exchange = await client()
  await exchange.setMarginMode('isolated', symbol, { leverage: 3 })
  await exchange.setLeverage(3, symbol, { marginMode: 'isolated' })
  const bought = await exchange.createOrder(symbol, 'market', 'buy', 0.5, 2486.4)
  expect(bought.filled).toBe(0.5)
  const [position] = await exchange.fetchPositions([symbol])
  expect(position).toMatchObject({ side: 'long', contracts: 0.5, marginMode: 'isolated' })

  await exchange.createOrder(symbol, 'limit', 'buy', 0.1, 2400, {
    stopLoss: { triggerPrice: 2300, price: 2000 },
    takeProfit: { triggerPrice: 2600, price: 2500 },
  })
  expect(await exchange.fetchOpenOrders(symbol)).toHaveLength(3)

  const posted = await exchange.createOrder(symbol, 'limit', 'buy', 0.1, 2410, {
    postOnly: true,
    clientOrderId: '0x1234567890abcdef1234567890abcdef',
  })
  const edited = await exchange.editOrder(posted.id, symbol, 'limit', 'buy', 0.1, 2411, {
    postOnly: true,
    clientOrderId: '0x1234567890abcdef1234567890abcdef',
  })
  expect(edited.id).not.toBe(posted.id)
  await exchange.cancelOrder(undefined, symbol, {
    clientOrderId: '0x1234567890abcdef1234567890abcdef',
  })
  const stop = await exchange.createOrder(symbol, 'market', 'sell', 0.5, 2486.4, {
    stopLossPrice: 2350,
    reduceOnly: true,
  })
  expect(stop.id).toBeDefined()
  const open = await exchange.fetchOpenOrders(symbol)
  await exchange.cancelOrders(
    open.map((order: any) => order.id),
    symbol,
  )
  expect(await exchange.fetchOpenOrders(symbol)).toEqual([])
  await exchange.createOrder(symbol, 'market', 'sell', 0.5, 2486.3, { reduceOnly: true })
  expect(await exchange.fetchPositions([symbol])).toEqual([])
  expect((await exchange.fetchOrder(bought.id, symbol)).status).toBe('closed')
  expect((await exchange.fetchMyTrades(symbol)).length).toBeGreaterThanOrEqual(2)
})

test('a stop of the whole position', async () => {
  const exchange = await client()
  await exchange.createOrder(symbol, 'market', 'buy', 0.5, 2486.4)
  await exchange.createOrder(symbol, 'limit', 'buy', 0.5, 2486.4, {
    grouping: 'positionTpsl',
    stopLoss: { triggerPrice: 2300 },
  })
  expect((await venue.state()).openOrders).toMatchObject([
    { isPositionTpsl: true, triggerPx: '2300.0', orderType: 'Stop Market' },
  ])
})

test('refusals are mapped to its own errors', async () => {
  const exchange = await client()
  await expect(exchange.createOrder(symbol, 'limit', 'buy', 100, 2400)).rejects.toBeInstanceOf(
    ccxt.InsufficientFunds,
  )
  await expect(
    exchange.createOrder(symbol, 'limit', 'buy', 0.1, 2600, { postOnly: true }),
  ).rejects.toThrow(/Post only/)
  await expect(exchange.fetchOrder('1', symbol)).rejects.toBeInstanceOf(ccxt.OrderNotFound)
})

test('over its socket: watches and trades', async () => {
  const exchange = await client(true)
  try {
    expect((await exchange.watchOrderBook(symbol)).bids[0]?.[0]).toBe(2486.3)
    expect((await exchange.watchTickers([symbol]))[symbol]).toBeDefined()
    const orders = exchange.watchOrders(symbol)
    const trades = exchange.watchMyTrades(symbol)
    // Both subscriptions are on the wire before the order is.
    await exchange.watchOrderBook(symbol)
    const placed = await exchange.createOrderWs(symbol, 'limit', 'buy', 0.1, 2400)
    expect((await orders)[0]).toMatchObject({ id: placed.id, status: 'open' })
    const edited = await exchange.editOrderWs(placed.id, symbol, 'limit', 'buy', 0.1, 2401)
    await exchange.cancelOrderWs(edited.id, symbol)
    await exchange.createOrderWs(symbol, 'market', 'buy', 0.1, 2486.4)
    expect((await trades)[0]).toMatchObject({ symbol, side: 'buy', amount: 0.1 })
    expect((await exchange.watchBalance())['USDC']).toBeDefined()
    expect(await exchange.watchPositions([symbol])).toMatchObject([{ contracts: 0.1 }])
  } finally {
    await exchange.close()
  }
})
