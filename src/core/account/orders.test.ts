import { describe, expect, test } from 'vitest'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import {
  accountWith,
  botCloid,
  entryInFlight,
  fill,
  fixtureNow,
  inFlight,
  later,
  openOrder,
  orderUpdate,
  restingEntry,
  stopOrder,
  venueState,
} from './account.fixture.ts'
import type { Account } from './account.ts'

const eth = coin('ETH')

/** Reserves an ETH buy with its stop under an id of the bot's. */
function sent(account: Account, id: string, spec: { price: string; size: string; cloid: number }) {
  const ids = { cloid: botCloid(spec.cloid), stopCloid: botCloid(90 + spec.cloid) }
  const entry = entryInFlight({ price: spec.price, stop: '2300', ...ids })
  account.reserve(id, inFlight({ ...entry, size: Decimal.of(spec.size) }), later(1))
}

function entriesAt(account: Account): readonly string[] {
  const entries = account.restingEntries(eth)
  return entries.map(({ price, size }) => `${size.toString()} at ${price.toString()}`).sort()
}

function shown(oid: number, price: string, size: string, cloid: number) {
  return openOrder({ coin: 'ETH', oid, isBuy: true, price, size, cloid: botCloid(cloid) })
}

describe('two orders with one client order id', () => {
  const open = (account: Account, order: ReturnType<typeof shown>): void => {
    const updates = [orderUpdate(order, 'open', fixtureNow + 2)]
    account.apply({ kind: 'order_updates', updates, at: later(2) })
  }

  test('each is known by its limit', () => {
    const account = accountWith()
    sent(account, 'a', { price: '2400', size: '2', cloid: 1 })
    sent(account, 'b', { price: '2410', size: '2', cloid: 1 })
    open(account, shown(50, '2400', '2', 1))
    expect(entriesAt(account)).toEqual(['2 at 2400', '2 at 2410'])
    expect(account.entryOf(50)?.price.toString()).toBe('2400')
  })

  test('where they are alike neither is let go of before an answer tells which is which', () => {
    const account = accountWith()
    sent(account, 'a', { price: '2400', size: '2', cloid: 1 })
    sent(account, 'b', { price: '2400', size: '2', cloid: 1 })
    open(account, shown(50, '2400', '2', 1))
    expect(entriesAt(account)).toHaveLength(3)
    account.numbered('b', 0, 50)
    expect(entriesAt(account)).toEqual(['2 at 2400', '2 at 2400'])
    account.numbered('a', 0, 51)
    open(account, shown(51, '2400', '2', 1))
    expect(entriesAt(account)).toEqual(['2 at 2400', '2 at 2400'])
    expect([account.entryOf(50)?.oid, account.entryOf(51)?.oid]).toEqual([50, 51])
  })

  test('one that was taken for the other stays in flight when the answer parts them', () => {
    const account = accountWith()
    sent(account, 'b', { price: '2400', size: '2', cloid: 1 })
    // Made elsewhere, and alike in every point.
    open(account, shown(50, '2400', '2', 1))
    expect(entriesAt(account)).toEqual(['2 at 2400'])
    account.numbered('b', 0, 51)
    expect(entriesAt(account)).toEqual(['2 at 2400', '2 at 2400'])
    expect(account.entryOf(50)?.oid).toBe(50)
    open(account, shown(51, '2400', '2', 1))
    expect(entriesAt(account)).toHaveLength(2)
  })

  test('a number that was another’s goes to the order that the answer names', () => {
    const account = accountWith()
    sent(account, 'a', { price: '2400', size: '2', cloid: 1 })
    open(account, shown(50, '2400', '2', 1))
    sent(account, 'b', { price: '2400', size: '2', cloid: 1 })
    account.numbered('b', 0, 50)
    expect(entriesAt(account)).toEqual(['2 at 2400', '2 at 2400'])
    account.settle('a', { outcome: 'refused' }, later(3))
    expect(entriesAt(account)).toEqual(['2 at 2400'])
    expect(account.entryOf(50)?.isConfirmed).toBe(false)
  })

  test('the id is held until the order has ended, also before the venue shows it', () => {
    const account = accountWith()
    sent(account, 'a', { price: '2400', size: '2', cloid: 1 })
    expect(account.holderOf(botCloid(1))).toBe('an order on its way')
    account.numbered('a', 0, 50)
    account.settle('a', { outcome: 'accepted' }, later(2))
    expect(account.holderOf(botCloid(1))).toBe('order 50')
    const updates = [orderUpdate(shown(50, '2400', '2', 1), 'canceled', fixtureNow + 3)]
    account.apply({ kind: 'order_updates', updates, at: later(3) })
    expect(account.holderOf(botCloid(1))).toBe(null)
  })

  test('a cancel of one by its number is none of the other', () => {
    const stops = [
      stopOrder({ coin: 'ETH', oid: 70, size: '1', trigger: '2400', cloid: botCloid(1) }),
      stopOrder({ coin: 'ETH', oid: 71, size: '1', trigger: '2410', cloid: botCloid(1) }),
    ]
    const account = accountWith({ positions: { ETH: { size: '1' } }, orders: stops })
    const cancel = { kind: 'cancel', coin: eth, oid: 71, cloid: botCloid(1) } as const
    account.reserve('c', [cancel], later(1))
    expect([account.cancellingSince(70), account.cancellingSince(71)]).toEqual([null, later(1)])
    expect(account.cover(eth)?.loosest?.toString()).toBe('2400')
  })
})

describe('an order that left by an id which had become another market', () => {
  const sol = coin('SOL')
  const stray = openOrder({ coin: 'SOL', oid: 50, isBuy: true, price: '2400', size: '2' })
  const ways: readonly [string, (account: Account) => void][] = [
    [
      'an update',
      (account) => {
        const updates = [orderUpdate(stray, 'open', fixtureNow + 3)]
        account.apply({ kind: 'order_updates', updates, at: later(3) })
      },
    ],
    [
      'a list',
      (account) => {
        account.apply({ kind: 'orders', orders: [stray], source: 'stream', at: later(3) })
      },
    ],
  ]
  const seenOn = (account: Account) =>
    [eth, sol].map((each) => account.restingEntries(each).map(({ oid }) => oid))

  test.each(ways)('is that market’s once %s shows it there', (_, tell) => {
    const account = accountWith()
    sent(account, 'a', { price: '2400', size: '2', cloid: 1 })
    account.numbered('a', 0, 50)
    account.settle('a', { outcome: 'accepted' }, later(2))
    tell(account)
    expect(seenOn(account)).toEqual([[], [50]])
    expect(account.entryOf(50)?.coin).toBe(sol)
  })

  test.each(ways)('also where the answer comes after %s', (_, tell) => {
    const account = accountWith()
    sent(account, 'a', { price: '2400', size: '2', cloid: 1 })
    tell(account)
    expect(seenOn(account)).toEqual([[null], [50]])
    account.numbered('a', 0, 50)
    account.settle('a', { outcome: 'accepted' }, later(4))
    expect(seenOn(account)).toEqual([[], [50]])
  })

  test('and its fills are that market’s, and counted once', () => {
    const account = accountWith()
    sent(account, 'a', { price: '2400', size: '2', cloid: 1 })
    account.numbered('a', 0, 50)
    const told = { coin: 'SOL', isBuy: true, price: '2400', size: '1', start: '0', oid: 50, tid: 1 }
    const fills = [fill({ ...told, at: fixtureNow + 2 })]
    account.apply({ kind: 'fills', fills, isSnapshot: false, at: later(2) })
    expect(seenOn(account)).toEqual([[], []])
    const left = { ...stray, size: Decimal.of('1') }
    account.apply({ kind: 'orders', orders: [left], source: 'stream', at: later(3) })
    expect(account.restingEntries(sol).map(({ size }) => size.toString())).toEqual(['1'])
  })
})

test('a fill that names its order by the id alone lets go of nothing', () => {
  const account = accountWith()
  sent(account, 'b', { price: '2400', size: '2', cloid: 1 })
  const told = { coin: 'ETH', isBuy: true, price: '2390', size: '2', start: '0', oid: 40, tid: 1 }
  const fills = [fill({ ...told, at: fixtureNow + 2, cloid: botCloid(1) })]
  account.apply({ kind: 'fills', fills, isSnapshot: false, at: later(2) })
  expect(entriesAt(account)).toEqual(['2 at 2400'])
  // It was an earlier order's: this one has a number of its own.
  account.numbered('b', 0, 41)
  expect(entriesAt(account)).toEqual(['2 at 2400'])
})

test('an open entry that a read lacks counts until a later state shows what it filled', () => {
  const account = accountWith()
  sent(account, 'a', { price: '2400', size: '2', cloid: 1 })
  const orders = restingEntry({
    ...{ coin: 'ETH', oid: 50, isBuy: true, price: '2400', size: '2', stop: '2300' },
    ...{ cloid: botCloid(1), stopCloid: botCloid(91) },
  })
  account.apply({ kind: 'orders', orders, source: 'read', askedAt: later(2), at: later(3) })
  expect(entriesAt(account)).toEqual(['2 at 2400'])
  account.apply({ kind: 'orders', orders: [], source: 'read', askedAt: later(4), at: later(5) })
  expect(entriesAt(account)).toEqual(['2 at 2400'])
  expect([account.openOrderCount, account.orderCount]).toEqual([0, 0])
  const look = (ms: number): readonly string[] => {
    const state = venueState({ positions: { ETH: { size: '2' } } }, fixtureNow + ms)
    account.apply({ kind: 'state', state, source: 'read', askedAt: later(ms), at: later(ms + 1) })
    return entriesAt(account)
  }
  expect(look(5)).toEqual(['2 at 2400'])
  expect(look(6)).toEqual([])
})

describe('a stop that was sent with its entry covers nothing before the entry has filled', () => {
  const stop = stopOrder({
    ...{ coin: 'ETH', oid: 51, size: '2', trigger: '2300', price: '2070', cloid: botCloid(91) },
  })
  const told = (ms: number, status: string, order: Parameters<typeof orderUpdate>[0]) => ({
    kind: 'order_updates' as const,
    updates: [orderUpdate(order, status, fixtureNow + ms)],
    at: later(ms),
  })
  const covers = (account: Account): number => account.stopRow(eth, true).list().length

  test.each([
    { how: 'is told as filled', status: 'filled', size: '0', covered: 1 },
    { how: 'ended with a part of it filled', status: 'canceled', size: '1', covered: 1 },
    { how: 'ended unfilled', status: 'canceled', size: '2', covered: 0 },
  ])('though its own update comes first; the entry $how', ({ status, size, covered }) => {
    const account = accountWith({ positions: { ETH: { size: '2' } } })
    sent(account, 'a', { price: '2400', size: '2', cloid: 1 })
    account.apply(told(2, 'open', stop))
    expect(covers(account)).toBe(0)
    const parent = { ...shown(50, '2400', '2', 1), size: Decimal.of(size) }
    account.apply(told(3, status, parent))
    expect(covers(account)).toBe(covered)
  })

  test('and does once its fills are all told', () => {
    const account = accountWith()
    sent(account, 'a', { price: '2400', size: '2', cloid: 1 })
    account.numbered('a', 0, 50)
    account.apply(told(2, 'open', stop))
    const part = { coin: 'ETH', isBuy: true, price: '2400', size: '1', oid: 50 }
    for (const [nth, count] of [0, 1].entries()) {
      expect(covers(account)).toBe(0)
      const fills = [fill({ ...part, start: `${count}`, tid: nth, at: fixtureNow + 3 + nth })]
      account.apply({ kind: 'fills', fills, isSnapshot: false, at: later(3 + nth) })
    }
    expect(covers(account)).toBe(1)
  })
})
