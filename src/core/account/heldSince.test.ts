import { describe, expect, test } from 'vitest'
import type { OpenOrder } from '../protocol/venueState.ts'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { fill, fixtureNow, later, orderUpdate, stopOrder, venueState } from './account.fixture.ts'
import type { Account } from './account.ts'
import { dexAccount } from './builders.fixture.ts'

const tesla = coin('xyz:TSLA')
let tids = 0

/** A fill of the venue's moment `ms` that makes `end` of `start`. */
const made = (ms: number, start: string, end: string, name = 'xyz:TSLA') => {
  const change = Decimal.of(end).minus(Decimal.of(start))
  const [isBuy, size] = [change.isPositive(), change.abs().toString()]
  tids += 1
  return fill({
    ...{ coin: name, isBuy, size, price: '400', start, oid: tids, tid: tids, at: fixtureNow + ms },
  })
}
const hear = (account: Account, ...fills: ReturnType<typeof made>[]): void => {
  account.apply({ kind: 'fills', fills, isSnapshot: false, at: later(100) })
}
const show = (account: Account, ms: number, size: string | null): void => {
  const positions = size === null ? {} : { 'xyz:TSLA': { size, entry: '400' } }
  const state = venueState({ positions, mids: { 'xyz:TSLA': '400' } }, fixtureNow + ms)
  account.apply({ kind: 'state', state, source: 'read', at: later(ms) })
}
const holding = (size = '2', name = 'xyz:TSLA') =>
  dexAccount({ positions: { [name]: { size, entry: '400' } }, mids: { 'xyz:TSLA': '400' } })
const ended = (account: Account) =>
  account.held.takeEnded().map(({ was, from, by }) => {
    return [was.toString(), from - fixtureNow, by - fixtureNow]
  })

describe('a position on a builder dex', () => {
  test.each<[string, (account: Account) => void, readonly unknown[]]>([
    ['is opened anew in the same size', (it) => hear(it, made(5, '0', '2')), [['2', 0, 5]]],
    ['in another size', (it) => hear(it, made(5, '0', '3')), [['2', 0, 5]]],
    ['on the other side', (it) => hear(it, made(5, '0', '-2')), [['2', 0, 5]]],
    [
      'twice',
      (it) => hear(it, made(5, '0', '2'), made(7, '0', '1')),
      [
        ['2', 0, 5],
        ['2', 5, 7],
      ],
    ],
    [
      'and a state told it before its fill',
      (it) => {
        show(it, 8, '2')
        hear(it, made(5, '0', '2'))
      },
      [['2', 0, 5]],
    ],
    ['after a close that was told', (it) => hear(it, made(3, '2', '0'), made(5, '0', '2')), []],
    ['by fills that go on', (it) => hear(it, made(5, '2', '3'), made(6, '3', '1')), []],
    ['by a fill of before', (it) => hear(it, made(-5, '0', '2')), []],
    ['by a fill of its own moment', (it) => hear(it, made(0, '0', '2')), []],
    [
      'after a state that showed none',
      (it) => {
        show(it, 3, null)
        hear(it, made(5, '0', '2'))
      },
      [],
    ],
    [
      'and a state showed it in another size',
      (it) => {
        show(it, 8, '3')
        hear(it, made(5, '0', '3'))
      },
      [],
    ],
  ])('%s', (_, happens, want) => {
    const account = holding()
    happens(account)
    expect(ended(account)).toEqual(want)
    expect(ended(account)).toEqual([])
  })

  test('whose first parts are told last was opened once', () => {
    const account = dexAccount()
    hear(account, made(5, '1', '2'))
    hear(account, made(5, '0', '1'))
    hear(account, made(6, '2', '0'))
    expect(ended(account)).toEqual([])
  })

  test('of the main dex ends by a fill, and by nothing else', () => {
    const account = holding('2', 'ETH')
    hear(account, made(5, '0', '2', 'ETH'))
    expect(ended(account)).toEqual([])
  })
})

test('a late fill that opened what a state has shown in place of another is news of it', () => {
  const account = holding('1')
  show(account, 8, '3')
  show(account, 9, '2')
  expect([...account.held.takeOutlived()]).toEqual([])
  hear(account, made(5, '0', '2'))
  account.followCover()
  expect(account.promise(tesla)?.stops).toEqual([])
  // The sizes that states have shown tell of the end of the first.
  expect(ended(account)).toEqual([])
  const since = account.held.of(tesla)
  // What is known of it stays as it is: older news are of the first.
  hear(account, made(4, '1', '2'))
  expect([account.held.of(tesla), account.positions.get(tesla)?.size.toString()]).toEqual([
    since,
    '2',
  ])
  show(account, 20, null)
  expect(account.held.of(tesla)).toBeNull()
})

test('what came in place of another is nobody’s of before, and has no promise of before', () => {
  const account = dexAccount({
    positions: { 'xyz:TSLA': { size: '2', entry: '400' } },
    orders: [stopOrder({ oid: 9, coin: 'xyz:TSLA', size: '2', trigger: '392', cloid: guardStop })],
    mids: { 'xyz:TSLA': '400' },
  })
  account.followCover()
  expect(account.recordedStop(tesla)?.toString()).toBe('392')
  hear(account, made(5, '0', '2'))
  // The stop of before is still shown: it is no promise to the new one.
  account.followCover()
  expect([account.recordedStop(tesla), account.promise(tesla)?.stops]).toEqual([null, []])
  // Late news of the old one takes nothing from the new one.
  hear(account, made(3, '2', '1'))
  expect(account.positions.get(tesla)?.size.toString()).toBe('2')
  const [old, own] = ['9', '10'].map((oid) =>
    stopOrder({ oid: Number(oid), coin: 'xyz:TSLA', size: '2', trigger: '390', cloid: guardStop }),
  ) as [OpenOrder, OpenOrder]
  const updates = [orderUpdate(old, 'canceled', fixtureNow + 6)]
  account.apply({ kind: 'order_updates', updates, at: later(7) })
  const orders = [{ ...own, at: later(8) }]
  account.apply({
    kind: 'orders',
    dex: 'xyz',
    orders,
    source: 'read',
    askedAt: later(9),
    at: later(9),
  })
  account.followCover()
  expect(account.recordedStop(tesla)?.toString()).toBe('390')
  show(account, 20, null)
  show(account, 30, '2')
  expect(account.recordedStop(tesla)).toBeNull()
})

const guardStop = '0x67756172010000000000000000000001'

describe('what the run before held on a builder dex', () => {
  const before = (size: string, ...shown: (string | null)[]): Account => {
    const account = dexAccount()
    account.restoreRecord({ sizes: {}, cloids: [], held: { [tesla]: size, ETH: '1' }, until: 7 })
    for (const [at, each] of shown.entries()) show(account, 10 + at, each)
    return account
  }
  const lost = (account: Account) =>
    account.held.takeLostBefore().map(({ coin: of, was, left, until }) => {
      return [of, was.toString(), left.toString(), until]
    })

  test.each([
    ['2', null, [['xyz:TSLA', '2', '0', 7]]],
    ['2', '1', [['xyz:TSLA', '2', '1', 7]]],
    ['-2', '-1', [['xyz:TSLA', '-2', '-1', 7]]],
    ['-2', '1', [['xyz:TSLA', '-2', '1', 7]]],
    ['2', '2', []],
    ['2', '3', []],
    ['-2', '-3', []],
  ] as const)('of %s, %s is shown: what is missing is given once', (size, shown, is) => {
    const account = before(size, shown)
    expect(lost(account)).toEqual(is)
    expect(lost(account)).toEqual([])
  })

  test('is not lost where it was seen again, or a fill tells of it', () => {
    expect(lost(before('2', '2', null))).toEqual([])
    const account = before('2', null)
    hear(account, made(5, '2', '0'))
    expect(lost(account)).toEqual([])
  })
})
