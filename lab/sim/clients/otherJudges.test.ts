import ccxt from 'ccxt'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { demoKey, demoUser, marketBuy, order, stopChild, TestVenue } from '../simulator.fixture.ts'

/**
 * A second reader of the same answers, which knows the venue's shapes from elsewhere: the parsers of
 * ccxt. A field that it looks for under another name, or in another form, comes out undefined.
 */

let venue: TestVenue
let client: any
const user = demoUser
const symbol = 'ETH/USDC:USDC'

beforeAll(async () => {
  venue = await TestVenue.start()
  await venue.freeze({ leverage: { ETH: { type: 'isolated', value: 3 } } })
  await venue.exchange(marketBuy)
  await venue.exchange(order({ p: '2400', c: '0x1234567890abcdef1234567890abcdef' }))
  await venue.exchange({ type: 'order', orders: [stopChild], grouping: 'positionTpsl' })
  await venue.control('flow', { user, amount: '25' })
  await venue.control('clock', { advance_ms: 3_600_000 })
  client = new ccxt.hyperliquid({
    ...{ walletAddress: user, privateKey: demoKey, enableRateLimit: false },
    options: { sandboxMode: true },
  })
  client.urls['api'] = { public: venue.url, private: venue.url }
  await client.loadMarkets()
})
afterAll(() => venue.close())

/** The names of those fields that came out undefined or as no number. */
function lost(parsed: any, names: string): string[] {
  return names.split(' ').filter((name) => parsed[name] === undefined || Number.isNaN(parsed[name]))
}

/** Its own mark for what came from a list of open orders. */
const listed = { ccxtStatus: 'open' }
const info = (type: string, rest = {}) => venue.info({ type, user, ...rest })
const market = () => client.market(symbol)

const parsers: { readonly [name: string]: () => Promise<[parsed: any, fields: string]> } = {
  'a fill': async () => [
    client.parseTrade((await info('userFills'))[0], market()),
    'id order symbol side price amount cost timestamp takerOrMaker fee',
  ],
  'an open order': async () => {
    const orders = await info('frontendOpenOrders')
    const limit = orders.find((each: any) => !each.isTrigger)
    return [
      client.parseOrder({ ...limit, ...listed }, market()),
      'id clientOrderId symbol side price amount remaining status timestamp reduceOnly type',
    ]
  },
  'a stop': async () => {
    const orders = await info('frontendOpenOrders')
    const stop = orders.find((each: any) => each.isTrigger)
    return [
      client.parseOrder({ ...stop, ...listed }, market()),
      'id symbol side price triggerPrice status',
    ]
  },
  'an order of the past': async () => [
    client.parseOrder((await info('historicalOrders'))[0], market()),
    'id symbol side price amount status lastUpdateTimestamp',
  ],
  'a position': async () => [
    client.parsePosition((await info('clearinghouseState')).assetPositions[0], market()),
    'symbol side contracts entryPrice notional leverage unrealizedPnl marginMode ' +
      'liquidationPrice collateral',
  ],
  'a market': async () => [
    market(),
    'id symbol base quote settle active contractSize taker maker precision limits',
  ],
  'a ticker': async () => [await client.fetchTicker(symbol), 'symbol bid ask last close'],
  'a candle': async () => {
    const req = { coin: 'ETH', interval: '1h', startTime: 0, endTime: 9e12 }
    const [first] = await venue.info({ type: 'candleSnapshot', req })
    return [{ ...client.parseOHLCV(first) }, '0 1 2 3 4 5']
  },
  'a funding payment': async () => [
    client.parseIncome((await info('userFunding', { startTime: 0 }))[0], market()),
    'symbol code timestamp id amount rate',
  ],
  'a deposit': async () => {
    const rows = await info('userNonFundingLedgerUpdates', { startTime: 0 })
    return [client.parseLedgerEntry(rows[0]), 'id timestamp type amount']
  },
  'a fee': async () => [
    client.parseTradingFee(await info('userFees'), market()),
    'symbol maker taker',
  ],
}

describe('ccxt reads', () => {
  test.each(Object.entries(parsers))('%s', async (_, parse) => {
    const [parsed, fields] = await parse()
    expect(lost(parsed, fields)).toEqual([])
  })
})
