import { describe, expect, test } from 'vitest'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import {
  accountWith,
  botCloid,
  fill,
  fixtureNow,
  inFlight,
  later,
  openOrder,
  orderUpdate,
  restingEntry,
  stopOrder,
} from './account.fixture.ts'
import type { Account } from './account.ts'

const eth = coin('ETH')

/** Open value, and the values of both sides of ETH. */
function values(account: Account): readonly string[] {
  const sides = [true, false].map((isBuy) => account.coinExposure(eth, isBuy).sideValue)
  return [account.exposure().openValue, ...sides].map((value) => value.toString())
}

describe('what is held counts on its side', () => {
  test.each([
    { size: '2', is: ['4972.7', '4972.7', '0'] },
    { size: '-2', is: ['4972.7', '0', '4972.7'] },
  ])('$size', ({ size, is }) => {
    expect(values(accountWith({ positions: { ETH: { size } } }))).toEqual(is)
  })

  test('and no more once it is closed', () => {
    const stop = stopOrder({ coin: 'ETH', oid: 1, size: '1', trigger: '2600', isBuy: true })
    const account = accountWith({ positions: { ETH: { size: '-2' } }, orders: [stop] })
    expect(account.exposure().uncoveredPositions).toEqual([eth])
    expect(account.exposure().openRisk.toString()).toBe('113.65')
    const told = { coin: 'ETH', isBuy: true, price: '2486', size: '2', start: '-2', oid: 5, tid: 1 }
    const fills = [fill({ ...told, at: fixtureNow + 1 })]
    account.apply({ kind: 'fills', fills, isSnapshot: false, at: later(1) })
    const updates = [orderUpdate(stop, 'canceled', fixtureNow + 1)]
    account.apply({ kind: 'order_updates', updates, at: later(1) })
    expect(values(account)).toEqual(['0', '0', '0'])
    expect(account.exposure().openRisk.toString()).toBe('0')
    expect(account.exposure().uncoveredPositions).toEqual([])
  })
})

describe('what it is worth follows the price', () => {
  const told = (account: Account, kind: 'mids' | 'mark', price: string): string => {
    const at = later(1)
    if (kind === 'mark') account.apply({ kind, coin: eth, mark: Decimal.of(price), at })
    else account.apply({ kind, mids: new Map([[eth, Decimal.of(price)]]), at })
    return account.exposure().openValue.toString()
  }

  test('the mid, also when it is told again', () => {
    const account = accountWith({ positions: { ETH: { size: '2' } } })
    expect(account.exposure().openValue.toString()).toBe('4972.7')
    expect(told(account, 'mids', '2500')).toBe('5000')
    expect(told(account, 'mids', '2500')).toBe('5000')
    expect(told(account, 'mark', '2600')).toBe('5000')
    expect(told(account, 'mids', '2400')).toBe('4800')
  })

  test('the mark where there is no mid, and the entry price without either', () => {
    const account = accountWith({
      mids: { BTC: '1' },
      positions: { ETH: { size: '2', entry: '2000' } },
    })
    expect(account.exposure().openValue.toString()).toBe('4000')
    expect(told(account, 'mark', '2500')).toBe('5000')
    expect(told(account, 'mark', '2600')).toBe('5200')
    expect(told(account, 'mids', '2400')).toBe('4800')
  })
})

describe('the orders of a coin', () => {
  const order = openOrder({ coin: 'ETH', oid: 1, isBuy: true, price: '2400', size: '1' })
  const entry = inFlight({
    ...{ coin: eth, isBuy: true, size: Decimal.of('1'), price: Decimal.of('2400') },
    ...{ stop: Decimal.of('2300'), cloid: botCloid(1), stopCloid: null, mayRest: true },
  })
  const shape = (account: Account) => ({
    orders: account
      .ordersOf(eth)
      .map(({ oid }) => oid)
      .sort(),
    coins: [...account.coinsWithOrders()],
    isUnconfirmed: account.hasUnconfirmedEntry(eth),
    isInFlight: account.hasEntryInFlight(eth),
  })

  test('none', () => {
    const none = { orders: [], coins: [], isUnconfirmed: false, isInFlight: false }
    expect(shape(accountWith())).toEqual(none)
  })

  test('listed, and gone once their end is told', () => {
    const account = accountWith({ orders: [order] })
    const listed = { orders: [1], coins: [eth], isUnconfirmed: false, isInFlight: false }
    expect(shape(account)).toEqual(listed)
    const updates = [orderUpdate(order, 'canceled', fixtureNow + 1)]
    account.apply({ kind: 'order_updates', updates, at: later(1) })
    expect(shape(account)).toEqual({ ...listed, orders: [], coins: [] })
  })

  test('on their way, shown, and listed', () => {
    const account = accountWith()
    account.reserve('e', entry, later(1))
    const isUnconfirmed = true
    expect(shape(account)).toEqual({ orders: [], coins: [], isUnconfirmed, isInFlight: true })
    const [rests, stop] = restingEntry({
      ...{ coin: 'ETH', oid: 7, isBuy: true, price: '2400', size: '1', cloid: botCloid(1) },
      stop: '2300',
    })
    if (rests === undefined || stop === undefined) throw new Error('no order')
    const updates = [orderUpdate(rests, 'open', fixtureNow + 2)]
    account.apply({ kind: 'order_updates', updates, at: later(2) })
    const shown = { orders: [7], coins: [eth], isUnconfirmed, isInFlight: false }
    expect(shape(account)).toEqual(shown)
    account.apply({ kind: 'orders', orders: [rests, stop], source: 'read', at: later(3) })
    expect(shape(account)).toEqual({ ...shown, orders: [7, 8], isUnconfirmed: false })
  })

  test.each([
    ['the parent first', [7, 8]],
    ['the child first', [8, 7]],
  ])('an entry is bare while its stop is not shown: %s', (_, oids) => {
    const listed = restingEntry({
      ...{ coin: 'ETH', oid: 7, isBuy: true, price: '2400', size: '1', stop: '2300' },
    })
    const orders = oids.flatMap((oid) => listed.filter((each) => each.oid === oid))
    const account = accountWith({ orders })
    expect([account.coinsWithoutStop(), account.hasBareEntry(eth, [])]).toEqual([[], false])
    const stop = listed.find(({ oid }) => oid === 8)
    if (stop === undefined) throw new Error('no stop')
    const updates = [orderUpdate(stop, 'canceled', fixtureNow + 1)]
    account.apply({ kind: 'order_updates', updates, at: later(1) })
    const at = later(9_000)
    account.apply({ kind: 'orders', orders: [order], source: 'read', askedAt: later(8_000), at })
    expect(account.coinsWithoutStop()).toEqual([eth])
    expect([account.hasBareEntry(eth, []), account.hasBareEntry(eth, [1])]).toEqual([true, false])
  })
})
