import { afterAll, beforeAll, expect, test } from 'vitest'
import { demoUser, TestVenue } from '../simulator.fixture.ts'

let venue: TestVenue
beforeAll(async () => {
  venue = await TestVenue.start()
})
afterAll(() => venue.close())

const order = (side: 'A' | 'B', p: string, s: string, tif = 'Gtc') => ({
  type: 'order',
  orders: [{ a: 10_001, b: side === 'B', p, s, r: false, t: { limit: { tif } } }],
  grouping: 'na',
})
const act = (action: object) => venue.control('act', { user: demoUser, action })
const info = (type: string, more = {}) => venue.info({ type, user: demoUser, ...more })

test('the book, the balance, the orders and the fills of a pair, asked for', async () => {
  await venue.freeze({ spot: [{ coin: 'HYPE', total: '20' }] })
  expect(await venue.info({ type: 'l2Book', coin: '@1' })).toMatchObject({
    coin: '@1',
    levels: [
      [{ px: '29.999' }, {}],
      [{ px: '30.001' }, {}],
    ].map(([best]) => expect.arrayContaining([expect.objectContaining(best ?? {})])),
  })
  await act(order('A', '32', '8'))
  await act(order('A', '29', '2', 'Ioc'))
  expect(await info('spotClearinghouseState')).toMatchObject({
    balances: [
      { coin: 'USDC', total: '59.956002', hold: '0.0' },
      { coin: 'HYPE', token: 2, total: '18.0', hold: '8.0', entryNtl: '0.0' },
    ],
  })
  const listed = { coin: '@1', side: 'A', limitPx: '32.0', sz: '8.0' }
  for (const type of ['openOrders', 'frontendOpenOrders']) {
    expect(await info(type)).toMatchObject([listed])
  }
  const [{ oid }] = await info('openOrders')
  expect(await info('orderStatus', { oid })).toMatchObject({
    order: { order: listed, status: 'open' },
  })
  expect(await info('historicalOrders')).toMatchObject([
    { status: 'filled', order: { coin: '@1' } },
    { status: 'open', order: listed },
  ])
  expect(await info('userFills')).toMatchObject([{ coin: '@1', dir: 'Sell', feeToken: 'USDC' }])
  expect(await venue.info({ type: 'recentTrades', coin: '@1' })).toMatchObject([{ sz: '2.0' }])
  const [, contexts] = await venue.info({ type: 'spotMetaAndAssetCtxs' })
  expect(contexts[1]).toMatchObject({ coin: '@1', dayBaseVlm: '2.0', dayNtlVlm: '59.998' })
})

test('the streams of a pair and of an account that trades it', async () => {
  await venue.freeze({ spot: [{ coin: 'HYPE', total: '20' }] })
  const socket = await venue.open()
  const streams = [
    { type: 'l2Book', coin: '@1' },
    { type: 'bbo', coin: '@1' },
    { type: 'trades', coin: '@1' },
    { type: 'spotState', user: demoUser },
    { type: 'orderUpdates', user: demoUser },
    { type: 'userFills', user: demoUser },
  ]
  for (const each of streams) socket.subscribe(each)
  await socket.settled()
  const from = socket.frames.length
  expect((await socket.onChannel('l2Book')).data.coin).toBe('@1')
  await act(order('A', '29', '2', 'Ioc'))
  const next = async (channel: string) => (await socket.onChannel(channel, from)).data
  expect(await next('trades')).toMatchObject([{ coin: '@1', side: 'A' }])
  expect((await next('userFills')).fills).toMatchObject([{ coin: '@1' }])
  expect(await next('orderUpdates')).toMatchObject([{ order: { coin: '@1' }, status: 'filled' }])
  expect((await next('spotState')).spotState.balances[1]).toMatchObject({ total: '18.0' })
  await venue.control('price', { coin: '@1', mid: '31' })
  expect((await venue.info({ type: 'allMids' }))['@1']).toBe('31.0')
  socket.close()
})
