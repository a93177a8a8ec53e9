import { describe, expect, test } from 'vitest'
import type { OpenOrder } from '../protocol/venueState.ts'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import {
  accountWith,
  botCloid,
  fixtureNow,
  later,
  openOrder,
  orderUpdate,
} from './account.fixture.ts'
import type { Account } from './account.ts'

const eth = coin('ETH')
const entry = { coin: 'ETH', isBuy: true, price: '2600', size: '1', cloid: botCloid(1) }
const waiting = openOrder({ ...entry, oid: 10, trigger: { price: '2550' } })
/** The same order once it has fired, under another number. */
const fired = (more: Partial<Parameters<typeof openOrder>[0]> = {}): OpenOrder =>
  openOrder({ ...entry, oid: 11, ...more })

const update = (account: Account, order: OpenOrder, status: string, ms: number) =>
  account.apply({
    ...{ kind: 'order_updates', at: later(ms) },
    updates: [orderUpdate(order, status, fixtureNow + ms)],
  })
const list = (account: Account, orders: readonly OpenOrder[], ms: number) =>
  account.apply({ kind: 'orders', orders, source: 'stream', at: later(ms) })
/** How many units may still be bought, over how many orders. */
const entries = (account: Account) => {
  const all = account.restingEntries(eth)
  const sum = all.reduce((total, { size }) => total.plus(size), Decimal.zero)
  return [sum.toString(), all.map(({ oid }) => oid)]
}

describe('an order that fires and goes on under a new number is one order', () => {
  test('as its updates tell', () => {
    const account = accountWith({ orders: [waiting] })
    expect(entries(account)).toEqual(['1', [10]])
    update(account, waiting, 'triggered', 100)
    update(account, fired(), 'open', 101)
    expect(entries(account)).toEqual(['1', [11]])
    expect([account.openOrderCount, account.order({ oid: 10 })]).toEqual([1, null])
    expect(account.order({ oid: 11 })).toMatchObject({ oid: 11, cloid: entry.cloid })
    // What is still told of the old number changes nothing.
    update(account, waiting, 'triggered', 102)
    expect(entries(account)).toEqual(['1', [11]])
    update(account, fired({ size: '0', originalSize: '1' }), 'filled', 110)
    expect(account.openOrderCount).toBe(0)
  })

  test('as its end tells, where it never rests', () => {
    const account = accountWith({ orders: [waiting] })
    update(account, waiting, 'triggered', 100)
    update(account, fired({ size: '0', originalSize: '1' }), 'filled', 101)
    expect([account.openOrderCount, account.order({ oid: 10 })]).toEqual([0, null])
  })

  test('as a list tells that has it under the new number alone', () => {
    const account = accountWith({ orders: [waiting] })
    list(account, [fired()], 20_000)
    expect(entries(account)).toEqual(['1', [11]])
    list(account, [fired()], 21_000)
    expect([account.openOrderCount, account.order({ oid: 10 })]).toEqual([1, null])
  })

  test('a stop that was cut to the position, too', () => {
    const stop = { ...entry, isBuy: false, isReduceOnly: true }
    const resting = openOrder({ ...stop, oid: 10, trigger: { price: '2400' } })
    const account = accountWith({ positions: { ETH: { size: '0.5' } }, orders: [resting] })
    update(account, resting, 'triggered', 100)
    update(account, openOrder({ ...stop, oid: 11, size: '0.5' }), 'open', 101)
    expect([account.openOrderCount, account.order({ oid: 11 })?.size.toString()]).toEqual([
      1,
      '0.5',
    ])
  })
})

describe('an order is another one', () => {
  const both: readonly (readonly [string, OpenOrder])[] = [
    ['with another id', fired({ cloid: botCloid(2) })],
    ['without an id', fired({ cloid: null })],
    ['of another size', fired({ size: '2' })],
    ['at another price', fired({ price: '2601' })],
    ['on the other side', fired({ isBuy: false })],
    ['of another coin', fired({ coin: 'BTC' })],
  ]
  test.each(both)('%s', (_, other) => {
    const account = accountWith({ orders: [waiting] })
    update(account, waiting, 'triggered', 100)
    update(account, other, 'open', 101)
    expect(account.openOrderCount).toBe(2)
  })

  test('while nothing has told that the first one fired, or the list has both', () => {
    const account = accountWith({ orders: [waiting] })
    update(account, fired(), 'open', 101)
    expect(account.openOrderCount).toBe(2)
    const listed = accountWith({ orders: [waiting] })
    list(listed, [waiting, fired()], 20_000)
    expect(listed.openOrderCount).toBe(2)
  })

  test('beside one that has no trigger, or two that could be meant', () => {
    const plain = accountWith({ orders: [openOrder({ ...entry, oid: 10 })] })
    update(plain, fired(), 'open', 101)
    expect(plain.openOrderCount).toBe(2)
    const twin = openOrder({ ...entry, oid: 12, trigger: { price: '2560' } })
    const two = accountWith({ orders: [waiting, twin] })
    update(two, waiting, 'triggered', 100)
    update(two, fired(), 'open', 101)
    expect(two.openOrderCount).toBe(3)
  })
})
