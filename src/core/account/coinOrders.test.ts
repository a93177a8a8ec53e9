import { expect, test } from 'vitest'
import type { OpenOrder } from '../protocol/venueState.ts'
import { coin } from '../values/coin.ts'
import {
  accountWith,
  botCloid,
  fixtureNow,
  later,
  openOrder,
  orderUpdate,
  reductionInFlight,
  venueState,
} from './account.fixture.ts'
import type { Account } from './account.ts'

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

test('an order on its way that can only reduce asks nothing of the account', () => {
  const account = accountWith()
  account.reserve('a', [reductionInFlight('ETH', '2', botCloid(1))], later(1))
  expect(account.inFlight).toBe(1)
  expect(account.crossPool().rows).toEqual([])
  expect(account.exposure().openValue.isZero()).toBe(true)
})
