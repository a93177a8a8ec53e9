import { describe, expect, test } from 'vitest'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import {
  accountWith,
  botCloid,
  entryInFlight,
  fixtureNow,
  later,
  orderUpdate,
  restingEntry,
  stopOrder,
  venueState,
  inFlight,
} from './account.fixture.ts'

const eth = coin('ETH')

/** An entry of 2 ETH with its stop; both rest, listed in full. */
function resting() {
  const [parent, child] = restingEntry({
    ...{ coin: 'ETH', oid: 50, isBuy: true, price: '2400', size: '2', stop: '2352' },
    ...{ cloid: botCloid(1), stopCloid: botCloid(2) },
  })
  if (parent === undefined || child === undefined) throw new Error('no order')
  const account = accountWith()
  const list = (source: 'stream' | 'read', at: number, orders = [parent, child]): void => {
    const told = { source, at: later(at) } as const
    account.apply({ kind: 'state', state: venueState({}, fixtureNow + at), ...told })
    account.apply({ kind: 'orders', orders, ...told })
  }
  const update = (status: string, at: number): void => {
    const updates = [orderUpdate(parent, status, fixtureNow + at)]
    account.apply({ kind: 'order_updates', updates, at: later(at) })
  }
  list('stream', 10)
  return { account, parent, child, list, update }
}

type Resting = ReturnType<typeof resting>

describe('an entry that the lists of the stream lack, though nothing has ended it', () => {
  test('keeps its room, its stop and its place among the orders', () => {
    const { account, list } = resting()
    for (const at of [1_500, 3_000, 60_000]) list('stream', at, [])
    expect(account.openOrderCount).toBe(2)
    expect(account.restingEntries(eth).map(({ size, stop }) => [size, stop])).toEqual([
      [Decimal.of('2'), Decimal.of('2352')],
    ])
    expect(account.coinExposure(eth, true).sideValue.toString()).toBe('4972.7')
    expect(account.coinsWithoutStop()).toEqual([])
    expect(account.doubtfulSince).toBe(later(1_500))
  })

  test.each<[string, (world: Resting) => void]>([
    ['a cancel that is told', ({ update }) => update('canceled', 4_000)],
    [
      'a fill that is told, once the positions show it',
      ({ account, update }) => {
        update('filled', 4_000)
        expect(account.restingEntries(eth).map(({ size }) => size.toString())).toEqual(['2'])
        const state = venueState({}, fixtureNow + 4_100)
        account.apply({ kind: 'state', state, source: 'stream', at: later(4_100) })
      },
    ],
    ['a read', ({ list }) => list('read', 9_000, [])],
  ])('goes, with its stop, by %s', (_, end) => {
    const world = resting()
    world.list('stream', 1_500, [])
    end(world)
    const { account } = world
    expect([account.openOrderCount, account.restingEntries(eth)]).toEqual([0, []])
    expect([account.stopRow(eth, true).list(), account.doubtfulSince]).toEqual([[], null])
  })

  test.each<[string, (world: Resting) => void]>([
    ['the next list', ({ list }) => list('stream', 2_000)],
    ['a read', ({ list }) => list('read', 2_000)],
    [
      'the list that has its stop, and an update',
      ({ update, list, child }) => {
        list('stream', 1_999, [child])
        update('open', 2_000)
      },
    ],
  ])('is beyond doubt again by %s', (_, show) => {
    const world = resting()
    world.list('stream', 1_500, [])
    show(world)
    expect(world.account.doubtfulSince).toBe(null)
    expect(world.account.openOrderCount).toBe(2)
  })

  test('is doubted from when it was last seen, where the list may be of an earlier moment', () => {
    const { account, list } = resting()
    // Nothing else changes, so that no other list comes: the orders were cancelled in between.
    list('stream', 300, [])
    expect([account.openOrderCount, account.doubtfulSince]).toEqual([2, later(10)])
    list('read', 7_000, [])
    expect([account.openOrderCount, account.doubtfulSince]).toEqual([0, null])
  })

  test('its stop is not let go of with it by a list that may be older than both', () => {
    const { account, list, update } = resting()
    list('stream', 300, [])
    update('filled', 400)
    expect(account.stopRow(eth, true).list()).toHaveLength(1)
  })

  test('a read from before it was seen is no end', () => {
    const { account, list } = resting()
    list('stream', 5_000)
    list('stream', 6_500, [])
    list('read', 10_000, [])
    expect(account.openOrderCount).toBe(2)
    list('read', 11_000, [])
    expect(account.openOrderCount).toBe(0)
  })

  test('the doubt keeps its age when the clock is set', () => {
    const { account, list } = resting()
    list('stream', 1_500, [])
    account.clockStepped(-1_000)
    expect(account.doubtfulSince).toBe(later(500))
  })
})

test('a stop that a list lacks protects nothing, also when its entry is listed', () => {
  const { account, list, parent } = resting()
  list('stream', 1_500, [{ ...parent, children: [] }])
  expect([account.openOrderCount, account.coinsWithoutStop()]).toEqual([1, [eth]])
})

test('an accepted entry that no list and no update shows keeps its room until a read', () => {
  const account = accountWith()
  const ids = { cloid: botCloid(1), stopCloid: botCloid(2) }
  const entry = entryInFlight({ price: '2400', stop: '2352', ...ids })
  account.reserve('e', inFlight(entry), later(10))
  expect(account.doubtfulSince).toBe(null)
  account.settle('e', { outcome: 'accepted' }, later(20))
  expect(account.doubtfulSince).toBe(later(20))
  const tell = (source: 'stream' | 'read', at: number): number => {
    const told = { source, at: later(at) } as const
    account.apply({ kind: 'state', state: venueState({}, fixtureNow + at), ...told })
    account.apply({ kind: 'orders', orders: [], ...told })
    return account.restingEntries(eth).length
  }
  expect(tell('stream', 9_000)).toBe(1)
  expect(account.doubtfulSince).toBe(later(20))
  // It may have filled between the state and the list: only a later state tells.
  expect(tell('read', 9_000)).toBe(1)
  expect(account.doubtfulSince).toBe(later(9_000))
  expect(tell('stream', 10_001)).toBe(0)
  expect(account.doubtfulSince).toBe(null)
})

test('a state that comes late shows no more than it did when it was made', () => {
  const { account, parent } = resting()
  const ids = { cloid: botCloid(5), stopCloid: botCloid(6) }
  const entry = entryInFlight({ price: '2500', stop: '2450', ...ids })
  account.reserve('e', inFlight(entry), later(1_000))
  account.settle('e', { outcome: 'accepted' }, later(1_010))
  const taken = { ...parent, price: Decimal.of('2500'), oid: 70, cloid: botCloid(5), children: [] }
  const filled = { ...orderUpdate(taken, 'filled', fixtureNow + 1_005), size: Decimal.zero }
  account.apply({ kind: 'order_updates', updates: [filled], at: later(1_011) })
  const flying = (time: number, at: number): number => {
    const state = venueState({}, fixtureNow + time)
    account.apply({ kind: 'state', state, source: 'stream', at: later(at) })
    return account.restingEntries(eth).filter(({ oid }) => oid === null).length
  }
  // However long ago it was told, and although it arrives long after.
  expect(flying(1_004, 5_000)).toBe(1)
  expect(flying(1_005, 9_000)).toBe(1)
  expect(flying(1_006, 9_001)).toBe(0)
})

test('a stop that a read lacks, and that was seen shortly before it, is asked for once more', () => {
  const { account, list, parent, child } = resting()
  list('read', 3_000, [parent])
  // The read may be older than the stop: what it lacks is no proof yet.
  expect([account.openOrderCount, account.doubtfulSince]).toEqual([2, later(10)])
  list('read', 7_000, [parent])
  expect([account.openOrderCount, account.doubtfulSince]).toEqual([1, null])
  expect(child.oid).not.toBe(parent.oid)
})

test('a stop that has just fired, and that the stream’s list of that moment lacks, is asked for', () => {
  const account = accountWith()
  const stop = stopOrder({ coin: 'ETH', oid: 3, size: '2', trigger: '2352' })
  const list = (source: 'stream' | 'read', at: number, orders = [stop]): void => {
    account.apply({ kind: 'orders', orders, source, at: later(at) })
  }
  list('stream', 10)
  const updates = [orderUpdate(stop, 'triggered', fixtureNow + 5_000)]
  account.apply({ kind: 'order_updates', updates, at: later(5_000) })
  // The list may be older than the update; where nothing else changes no other one comes.
  list('stream', 5_001, [])
  expect([account.openOrderCount, account.doubtfulSince]).toEqual([1, later(5_000)])
  list('stream', 5_500)
  expect(account.doubtfulSince).toBe(null)
  list('stream', 5_501, [])
  list('read', 12_000, [])
  expect([account.openOrderCount, account.doubtfulSince]).toEqual([0, null])
})
