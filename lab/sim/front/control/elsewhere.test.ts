import { afterAll, beforeAll, expect, test } from 'vitest'
import { demoUser, TestVenue } from '../../simulator.fixture.ts'

let venue: TestVenue
beforeAll(async () => {
  venue = await TestVenue.start()
})
afterAll(() => venue.close())

const fill = (coin: string, side: 'A' | 'B', px: string, sz: string, more = {}) =>
  venue.control('elsewhere', { user: demoUser, fill: { coin, side, px, sz, ...more } })

const balances = async () => {
  const state = await venue.info({ type: 'spotClearinghouseState', user: demoUser })
  return Object.fromEntries(state.balances.map(({ coin, total }: any) => [coin, total]))
}

test('a spot purchase of a unified account: USDC becomes a token, the fee is paid in it', async () => {
  await venue.freeze({ mode: 'unifiedAccount' })
  await fill('@1', 'B', '30', '10')
  expect(await balances()).toEqual({ USDC: '9700.0', HYPE: '9.993' })
  const [told] = await venue.info({ type: 'userFills', user: demoUser })
  expect(told).toMatchObject({
    ...{ coin: '@1', px: '30.0', sz: '10.0', side: 'B', dir: 'Buy', closedPnl: '0.0' },
    ...{ startPosition: '0.0', fee: '0.007', feeToken: 'HYPE', twapId: null },
  })
  await fill('@1', 'A', '30', '9')
  expect(await balances()).toEqual({ USDC: '9969.811', HYPE: '0.993' })
  // Paid in another token: USDC does not move.
  await fill('@2', 'A', '30', '0.5')
  expect(await balances()).toMatchObject({ USDC: '9969.811', USDT0: '14.9895' })
})

test('a standard account pays from its spot side', async () => {
  await venue.freeze({ spot: [{ coin: 'USDC', total: '50' }] })
  await fill('PURR/USDC', 'B', '0.2', '100')
  const { clearinghouseState } = await venue.state()
  expect(clearinghouseState.marginSummary.accountValue).toBe('10000.0')
  expect(await balances()).toMatchObject({ USDC: '30.0' })
})

test("a builder dex's trade moves a unified account's USDC by its result and fee", async () => {
  await venue.freeze({ mode: 'unifiedAccount' })
  await fill('xyz:TSLA', 'A', '100', '10', { closedPnl: '-50' })
  expect(await balances()).toEqual({ USDC: '9949.55' })
  const [told] = await venue.info({ type: 'userFills', user: demoUser })
  expect(told).toMatchObject({ dir: 'Close Long', startPosition: '10.0', feeToken: 'USDC' })
})

test('a spot order is listed with those of the main dex, told, and can be cancelled', async () => {
  await venue.freeze({ spot: [{ coin: 'USDC', total: '150' }] })
  const socket = await venue.open()
  socket.subscribe({ type: 'orderUpdates', user: demoUser })
  await socket.onChannel('subscriptionResponse')
  const order = { coin: '@1', side: 'B', px: '25', sz: '4' }
  const { oid } = await venue.control('elsewhere', { user: demoUser, order })
  const { data } = await socket.onChannel('orderUpdates')
  expect(data).toMatchObject([{ order: { coin: '@1', oid, sz: '4.0' }, status: 'open' }])
  await venue.control('elsewhere', { user: demoUser, order: { ...order, coin: 'xyz:TSLA' } })
  const listed = await venue.info({ type: 'frontendOpenOrders', user: demoUser })
  expect(listed).toMatchObject([{ coin: '@1', oid, orderType: 'Limit', reduceOnly: false }])
  const cancel = { type: 'cancel', cancels: [{ a: 10_001, o: oid }] }
  await venue.control('act', { user: demoUser, action: cancel })
  expect(await venue.info({ type: 'frontendOpenOrders', user: demoUser })).toEqual([])
})

test('what an account has not, or an order holds, is refused', async () => {
  await venue.freeze({ spot: [{ coin: 'USDC', total: '100' }] })
  await expect(fill('@1', 'A', '30', '1')).rejects.toThrow(
    'sz: Insufficient spot balance: 1 HYPE are needed and 0 are free',
  )
  const order = (sz: string) =>
    venue.control('elsewhere', { user: demoUser, order: { coin: '@1', side: 'B', px: '30', sz } })
  await expect(order('4')).rejects.toThrow('120 USDC are needed and 100 are free')
  await order('2')
  const { balances: rows } = await venue.info({ type: 'spotClearinghouseState', user: demoUser })
  expect(rows).toMatchObject([{ coin: 'USDC', total: '100.0', hold: '60.0' }])
  await expect(fill('PURR/USDC', 'B', '0.2', '300')).rejects.toThrow('and 40 are free')
  await fill('PURR/USDC', 'B', '0.2', '200')
  await expect(fill('@1', 'B', '0', '1')).rejects.toThrow('px: must be above zero, got 0')
  await expect(fill('@1', 'B', '1', '-1')).rejects.toThrow('sz: must be above zero, got -1')
})

test('a loss on a builder dex is not larger than the account', async () => {
  await venue.freeze({ mode: 'unifiedAccount' })
  await expect(fill('xyz:TSLA', 'A', '100', '10', { closedPnl: '-10001' })).rejects.toThrow(
    'closedPnl: an account that is worth 10000 cannot lose 10001.45',
  )
})

test('what is no market elsewhere is refused', async () => {
  await venue.freeze()
  await expect(fill('ETH', 'B', '30', '1')).rejects.toThrow('must be a listed spot pair')
  await expect(venue.control('elsewhere', { user: demoUser })).rejects.toThrow('either fill or')
})
