import { createRequire } from 'node:module'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { demoKey, demoUser, TestVenue } from '../simulator.fixture.ts'

// Its socket needs `require` on this Node version, so it is loaded with it.
const { BASE_URLS, Hyperliquid, WSS_URLS } = createRequire(import.meta.url)('hyperliquid')

let venue: TestVenue
beforeAll(async () => {
  venue = await TestVenue.start()
  BASE_URLS.TESTNET = venue.url
  WSS_URLS.TESTNET = venue.simulator.wsUrl
})
afterAll(() => venue.close())
beforeEach(async () => {
  // The client prints all it does.
  vi.spyOn(console, 'log').mockReturnValue()
  vi.spyOn(console, 'warn').mockReturnValue()
  await venue.freeze()
})

const cloid = '0x1234567890abcdef1234567890abcdef'

async function client(enableWs: boolean): Promise<any> {
  const made = new Hyperliquid({
    privateKey: demoKey,
    walletAddress: demoUser,
    testnet: true,
    enableWs,
    disableAssetMapRefresh: true,
  })
  await made.connect()
  return made
}

test('loads markets, reads and trades', async () => {
  const sdk = await client(false)
  expect((await sdk.info.getAllMids())['ETH-PERP']).toBe(2486.35)
  expect((await sdk.info.perpetuals.getMeta()).universe[1].name).toBe('ETH-PERP')
  expect((await sdk.info.getL2Book('ETH-PERP')).levels[0]).toHaveLength(20)
  await sdk.exchange.updateLeverage('ETH-PERP', 'isolated', 3)
  const bought = await sdk.custom.marketOpen('ETH-PERP', true, 0.5)
  expect(bought.response.data.statuses[0].filled.totalSz).toBe('0.5')
  const placed = await sdk.exchange.placeOrder({
    coin: 'ETH-PERP',
    is_buy: true,
    sz: 0.1,
    limit_px: 2400,
    order_type: { limit: { tif: 'Alo' } },
    reduce_only: false,
    cloid,
  })
  const { oid } = placed.response.data.statuses[0].resting
  const order = { coin: 'ETH-PERP', is_buy: true, sz: 0.1, limit_px: 2401, reduce_only: false }
  await sdk.exchange.modifyOrder(oid, { ...order, order_type: { limit: { tif: 'Alo' } }, cloid })
  const [open] = await sdk.info.getUserOpenOrders(demoUser)
  expect(open).toMatchObject({ limitPx: 2401, cloid })
  await sdk.exchange.cancelOrderByCloid('ETH-PERP', cloid)
  expect(await sdk.info.getUserOpenOrders(demoUser)).toEqual([])
  const stop = { trigger: { triggerPx: 2300, isMarket: true, tpsl: 'sl' } }
  await sdk.exchange.placeOrder({
    grouping: 'normalTpsl',
    orders: [
      { ...order, order_type: { limit: { tif: 'Gtc' } } },
      { ...order, is_buy: false, limit_px: 2000, reduce_only: true, order_type: stop },
    ],
  })
  expect(await sdk.info.getUserOpenOrders(demoUser)).toHaveLength(2)
  await sdk.custom.cancelAllOrders()
  await sdk.custom.marketClose('ETH-PERP')
  const state = await sdk.info.perpetuals.getClearinghouseState(demoUser)
  expect(state.assetPositions).toEqual([])
})

test('subscribes and posts over its socket', async () => {
  const sdk = await client(true)
  try {
    const book = new Promise<any>((resolve) => {
      void sdk.subscriptions.subscribeToL2Book('ETH-PERP', resolve)
    })
    expect((await book).coin).toBe('ETH-PERP')
    const fills = new Promise<any>((resolve) => {
      void sdk.subscriptions.subscribeToUserFills(demoUser, (data: any) => {
        if (data.isSnapshot !== true) resolve(data)
      })
    })
    const done = await sdk.wsPayloads.placeOrder({
      coin: 'ETH-PERP',
      is_buy: true,
      sz: '0.1',
      limit_px: '2600',
      order_type: { limit: { tif: 'Ioc' } },
      reduce_only: false,
    })
    expect(JSON.stringify(done)).toContain('"totalSz":"0.1"')
    expect((await fills).fills[0].sz).toBe(0.1)
  } finally {
    sdk.disconnect()
  }
})
