import { describe, expect, test } from 'vitest'
import type { Twap } from '../protocol/venueState.ts'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import {
  accountWith,
  botCloid,
  fill,
  fixtureNow,
  later,
  openOrder,
  venueState,
} from './account.fixture.ts'
import type { Account } from './account.ts'
import type { Reservation } from './reservation.ts'

const tesla = coin('xyz:TSLA')
const order = (name: string, oid: number) =>
  openOrder({ coin: name, oid, isBuy: true, price: '90', size: '1' })
const oids = (account: Account): readonly number[] =>
  [...account.coinsWithOrders()]
    .flatMap((each) => account.ordersOf(each))
    .map(({ oid }) => oid)
    .sort((left, right) => left - right)

describe('lists of orders', () => {
  const list = (account: Account, ms: number, names: readonly [string, number][], dex?: string) => {
    const orders = names.map(([name, oid]) => order(name, oid))
    const told = { kind: 'orders', orders, source: 'read', askedAt: later(ms) } as const
    account.apply({ ...told, ...(dex === undefined ? {} : { dex }), at: later(ms) })
  }

  test('tell of one dex, and leave the orders of others as they are', () => {
    const account = accountWith()
    list(account, 1, [['ETH', 1]])
    list(account, 2, [['xyz:TSLA', 2]], 'xyz')
    list(account, 3, [['abc:GOLD', 3]], 'abc')
    expect(oids(account)).toEqual([1, 2, 3])
    list(account, 4, [])
    expect(oids(account)).toEqual([2, 3])
    list(account, 5, [], 'xyz')
    expect(oids(account)).toEqual([3])
    expect(account.openOrderCount).toBe(1)
  })

  test('how many are open on other markets is told by the list of the main dex alone', () => {
    const account = accountWith()
    const told = { kind: 'orders', orders: [], source: 'read' } as const
    account.apply({ ...told, elsewhere: 3, at: later(1) })
    expect(account.openOrderCount).toBe(3)
    account.apply({ ...told, dex: 'xyz', at: later(2) })
    expect(account.openOrderCount).toBe(3)
    account.apply({ ...told, at: later(3) })
    expect(account.openOrderCount).toBe(0)
  })

  test('when each was last listed', () => {
    const account = accountWith()
    expect(account.dexOrdersAt('xyz')).toBeNull()
    list(account, 7, [], 'xyz')
    expect(account.dexOrdersAt('xyz')).toBe(later(7))
    account.clockStepped(-2)
    expect(account.dexOrdersAt('xyz')).toBe(later(5))
  })

  test('a stop that is on its way is over only by a list of its own dex', () => {
    const account = accountWith()
    const stop: Reservation = {
      ...{ coin: tesla, isBuy: false, size: Decimal.one, index: 0, parent: null, mayRest: true },
      ...{ price: Decimal.of('72'), cloid: botCloid(1) },
      ...{ kind: 'stop', trigger: Decimal.of('80') },
    }
    account.reserve('a', [stop], later(0))
    account.sent('a')
    account.settle('a', { outcome: 'accepted' }, later(1))
    list(account, 10, [])
    expect(account.inFlight).toBe(1)
    list(account, 11, [], 'xyz')
    expect(account.inFlight).toBe(0)
  })

  test('an exit that was answered is in want of one of its own dex until it has come', () => {
    const account = accountWith()
    const exit: Reservation = {
      ...{ coin: tesla, isBuy: false, size: Decimal.one, index: 0, parent: null, mayRest: true },
      ...{ price: Decimal.of('98'), cloid: botCloid(1), kind: 'reduce', trigger: null },
    }
    const wanting = (ms: number) => [...account.unlistedCoins(later(ms))]
    account.reserve('a', [exit], later(0))
    account.sent('a')
    expect(wanting(100_000)).toEqual([])
    account.settle('a', { outcome: 'accepted' }, later(1))
    expect([wanting(1), wanting(2)]).toEqual([[], [tesla]])
    list(account, 10, [])
    expect(wanting(20)).toEqual([tesla])
    list(account, 11, [], 'xyz')
    expect(wanting(20)).toEqual([])
    // It waits for the positions still: no list would tell more.
    expect(account.inFlight).toBe(1)
  })
})

test('an order whose cancel was answered, and that is still shown, is in want of a list of its dex', () => {
  const account = accountWith()
  const list = (ms: number, oids: readonly number[], source: 'stream' | 'read') => {
    const orders = oids.map((oid) => order('xyz:TSLA', oid))
    const asked = source === 'read' ? { askedAt: later(ms) } : {}
    account.apply({ kind: 'orders', orders, dex: 'xyz', source, ...asked, at: later(ms) })
  }
  const wanting = (ms: number) => [...account.unlistedCoins(later(ms))]
  list(10, [7], 'stream')
  const target = { coin: tesla, oid: 7, cloid: null } as const
  account.reserve('a', [{ kind: 'cancel', ...target }], later(20))
  expect(wanting(100_000)).toEqual([])
  account.settle('a', { outcome: 'accepted' }, later(30))
  // It is not open any more, but it may have filled: the answer alone lets go of nothing.
  expect([oids(account), account.inFlight]).toEqual([[7], 1])
  expect([wanting(30), wanting(31)]).toEqual([[], [tesla]])
  list(40, [], 'read')
  expect([oids(account), wanting(100), account.inFlight]).toEqual([[], [], 0])
})

test('an entry of a builder dex that may be gone is no reason to list the orders of the main dex', () => {
  const account = accountWith()
  const told = { kind: 'orders', dex: 'xyz', source: 'stream' } as const
  account.apply({ ...told, orders: [order('xyz:TSLA', 7)], at: later(10) })
  account.apply({ ...told, orders: [], at: later(2_000) })
  expect(account.doubtfulSince).toBeNull()
  expect([...account.doubtfulCoins(later(2_001))]).toEqual([tesla])
})

test('lists of TWAPs tell of one dex, and show what others run as well', () => {
  const account = accountWith()
  const twap = (id: number, name: string): Twap => ({
    ...{ id, coin: coin(name), isBuy: true, size: Decimal.one, executedSize: Decimal.zero },
    ...{ isReduceOnly: false, isRandomized: false, triggerPrice: null, endPrice: null },
    ...{ minutes: 30, at: later(0) },
  })
  const list = (dex: string, ...twaps: readonly Twap[]) =>
    account.apply({
      ...{ kind: 'twaps', twaps, source: 'stream', at: later(1) },
      ...(dex === '' ? {} : { dex }),
    })
  const ids = () => account.twaps.views().map(({ id }) => id)
  list('', twap(1, 'ETH'))
  list('xyz', twap(2, 'xyz:TSLA'))
  expect(ids()).toEqual([1, 2])
  expect(account.strangeTwaps).toEqual(['ETH', 'xyz:TSLA'])
  list('', twap(2, 'xyz:TSLA'))
  expect(ids()).toEqual([2])
  list('xyz')
  expect(ids()).toEqual([])
})

describe('a builder dex whose state could not be read', () => {
  const state = (account: Account, ms: number, unread: readonly (readonly [string, number])[]) => {
    const dexTimes = new Map(unread.map(([dex, at]) => [dex, later(at)]))
    const told = { ...venueState({}, fixtureNow + ms), ...(dexTimes.size > 0 && { dexTimes }) }
    const asked = { source: 'read', askedAt: later(ms), at: later(ms) } as const
    account.apply({ kind: 'state', state: told, ...asked })
  }

  test('holds margin that was on its way there until its own state is told', () => {
    const account = accountWith()
    const margin = { kind: 'margin', coin: tesla, amount: Decimal.one } as const
    state(account, 10, [])
    account.reserve('a', [margin], later(20))
    account.settle('a', { outcome: 'accepted' }, later(30))
    state(account, 40, [['xyz', 10]])
    expect([account.inFlight, account.marginInFlight(tesla)]).toEqual([1, Decimal.one])
    state(account, 50, [['abc', 10]])
    expect(account.inFlight).toBe(0)
  })

  test('holds an entry that has vanished, since its fill may be in no state yet', () => {
    const account = accountWith()
    const price = Decimal.of('90')
    const entry: Reservation = {
      ...{ kind: 'entry', coin: tesla, isBuy: true, size: Decimal.one, index: 0, parent: null },
      ...{ mayRest: true, price, stop: Decimal.of('80'), cloid: botCloid(1) },
    }
    account.reserve('a', [entry], later(0))
    account.sent('a')
    account.settle('a', { outcome: 'accepted' }, later(1))
    const list = { kind: 'orders', orders: [], dex: 'xyz', source: 'read' } as const
    account.apply({ ...list, askedAt: later(10), at: later(10) })
    state(account, 20, [['xyz', 5]])
    expect(account.restingEntries(tesla)).toHaveLength(1)
    state(account, 30, [])
    expect(account.restingEntries(tesla)).toEqual([])
  })

  test('keeps what fills have made there since', () => {
    const account = accountWith()
    state(account, 10, [])
    const parts = { coin: 'xyz:TSLA', isBuy: true, size: '1', price: '100', start: '0' }
    const fills = [fill({ ...parts, oid: 1, tid: 1, at: fixtureNow + 20 })]
    account.apply({ kind: 'fills', fills, isSnapshot: false, at: later(20) })
    state(account, 30, [['xyz', 10]])
    expect(account.positions.get(tesla)?.size).toEqual(Decimal.one)
    state(account, 40, [])
    expect(account.positions.size).toBe(0)
  })
})
