import { expect, test } from 'vitest'
import type { OpenOrder } from '../protocol/venueState.ts'
import { coin } from '../values/coin.ts'
import {
  accountWith,
  botCloid,
  entryInFlight,
  fixtureNow,
  inFlight,
  later,
  openOrder,
  orderUpdate,
  reductionInFlight,
  restingEntry,
  venueState,
} from './account.fixture.ts'
import type { Account } from './account.ts'
import { dexAccount } from './builders.fixture.ts'

const eth = coin('ETH')
const order = (isBuy: boolean, size: string): OpenOrder =>
  openOrder({ coin: 'ETH', oid: 7, isBuy, price: '2400', size, originalSize: '2' })
const buy = (size: string): OpenOrder => order(true, size)
const ends = (account: Account, order: OpenOrder): void => {
  const updates = [orderUpdate(order, 'canceled', fixtureNow + 5)]
  account.apply({ kind: 'order_updates', updates, at: later(5) })
}

test('an order that has ended is open no more, though its fills are still to be shown', () => {
  const account = accountWith({ orders: [buy('1.5')] })
  expect(account.ordersOf(eth).map(({ oid }) => oid)).toEqual([7])
  ends(account, buy('1.5'))
  expect(account.ordersOf(eth)).toEqual([])
  expect([...account.coinsWithOrders()]).toEqual([])
  expect(account.openOrderCount).toBe(0)
})

test.each([
  { held: '-2', left: '-1.5', isBuy: true },
  { held: '2', left: '1.5', isBuy: false },
])(
  'what an order fills of a position of $held is taken off once: at its end, or by a state',
  (row) => {
    const { held, left, isBuy } = row
    const account = accountWith({
      positions: { ETH: { size: held } },
      orders: [order(isBuy, '1.5')],
    })
    const size = () => account.covered(eth)?.size.toString()
    expect(size()).toBe('2')
    ends(account, order(isBuy, '1.5'))
    expect(size()).toBe('1.5')
    const state = venueState({ positions: { ETH: { size: left } } }, fixtureNow + 9)
    account.apply({ kind: 'state', state, source: 'read', at: later(9) })
    expect(size()).toBe('1.5')
  },
)

test('the venue holds margin for an entry that rests, and for none that is on its way', () => {
  const rests = { coin: 'ETH', oid: 20, isBuy: true, price: '2400', size: '2', stop: '2350' }
  const account = accountWith({ orders: restingEntry(rests) })
  const inFlightValue = () => account.crossPool().rows.map((row) => row.inFlightValue.toString())
  expect(inFlightValue()).toEqual(['0'])
  expect(account.waitingValues()).toEqual([])
  const ids = { cloid: botCloid(1), stopCloid: botCloid(2) }
  const sent = inFlight(entryInFlight({ price: '2400', stop: '2300', ...ids }))
  account.reserve('a', sent, later(1))
  expect(inFlightValue()).toEqual(['4800'])
  expect(account.waitingValues()).toEqual([])
})

test('on a builder dex the risk of entries is that of those that rest, however they came and went', () => {
  const tesla = { coin: 'xyz:TSLA', size: '2' }
  const [buys, sells] = [
    restingEntry({ ...tesla, oid: 20, isBuy: true, price: '390', stop: '380' }),
    restingEntry({ ...tesla, oid: 30, isBuy: false, price: '410', stop: '430' }),
  ]
  const bare = [openOrder({ ...tesla, oid: 40, isBuy: true, price: '380' })]
  const steps = [[], buys, [...buys, ...sells], [...sells, ...bare], sells, [...buys, ...bare], []]
  const account = dexAccount()
  for (const [nth, orders] of steps.entries()) {
    const at = later(10 * nth)
    account.apply({ kind: 'orders', orders, source: 'read', dex: 'xyz', askedAt: at, at })
    const fresh = dexAccount()
    fresh.apply({ kind: 'orders', orders, source: 'read', dex: 'xyz', at })
    expect(account.exposure().openRisk.toString()).toBe(fresh.exposure().openRisk.toString())
    expect(account.exposure().openRisk.isZero()).toBe(orders.length === 0)
  }
})

test('an order on its way that can only reduce asks nothing of the account', () => {
  const account = accountWith()
  account.reserve('a', [reductionInFlight('ETH', '2', botCloid(1))], later(1))
  expect(account.inFlight).toBe(1)
  expect(account.crossPool().rows).toEqual([])
  expect(account.exposure().openValue.isZero()).toBe(true)
})
