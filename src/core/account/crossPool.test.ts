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
  restingEntry,
  stopOrder,
} from './account.fixture.ts'
import type { Account } from './account.ts'
import type { PoolRow } from './accountView.ts'

const eth = coin('ETH')
const cross = (value: number) => ({ type: 'cross', value }) as const
const isolated = (value: number) => ({ type: 'isolated', value }) as const
const mids = { ETH: '2000', BTC: '50000' }

function rowOf(account: Account, name = 'ETH'): { [key: string]: unknown } | undefined {
  const row = account.crossPool().rows.find((each) => each.coin === coin(name))
  return row === undefined ? undefined : shown(row)
}
function shown(row: PoolRow): { [key: string]: unknown } {
  return Object.fromEntries(
    Object.entries(row).map(([key, value]: [string, unknown]) => [
      key,
      value instanceof Decimal ? value.toString() : value,
    ]),
  )
}

describe('what a coin asks of the collateral', () => {
  test('a long to the worst fill of its stops, from the mid', () => {
    const account = accountWith({
      mids,
      positions: { ETH: { size: '2', leverage: cross(20) } },
      orders: [
        stopOrder({ coin: 'ETH', oid: 1, size: '1', trigger: '1900' }),
        stopOrder({ coin: 'ETH', oid: 2, size: '1', trigger: '1800' }),
      ],
    })
    // 2000 - 1710 and 2000 - 1620.
    expect(rowOf(account)).toEqual({
      ...{ coin: 'ETH', isCross: true, crossLeverage: 20, isolatedLeverage: null },
      ...{ value: '4000', entryValue: '0', inFlightValue: '0', loss: '670', shortLoss: '0' },
    })
  })

  test('a short the other way, and what nothing covers all it is worth', () => {
    const account = accountWith({
      mids,
      positions: { ETH: { size: '-2', leverage: cross(20) } },
      orders: [stopOrder({ coin: 'ETH', oid: 1, size: '1', trigger: '2100', isBuy: true })],
    })
    // 2310 - 2000, and 2000 for the other one.
    expect(rowOf(account)).toMatchObject({ value: '4000', loss: '2310', shortLoss: '2310' })
  })

  test('a stop that the mid has passed fills a tenth beyond the mid', () => {
    const orders = [stopOrder({ coin: 'ETH', oid: 1, size: '1', trigger: '2100' })]
    const positions = { ETH: { size: '1', leverage: cross(20) } }
    expect(rowOf(accountWith({ mids, positions, orders }))).toMatchObject({ loss: '200' })
  })

  test.each([
    // Filled at its limit of 2100: 2100 - 1710.
    { isBuy: true, price: '2100', stop: '1900', value: '4200', loss: '780' },
    // Below the mid it counts at the mid, and so does its share: 2000 x (1800 - 1530) / 1800.
    { isBuy: true, price: '1800', stop: '1700', value: '4000', loss: '600' },
    { isBuy: false, price: '2200', stop: '2300', value: '4400', loss: '660' },
    // A stop that even at its worst fills better than the limit loses nothing.
    { isBuy: true, price: '1800', stop: '2100', value: '4000', loss: '0' },
  ])('an entry at $price with its stop at $stop', ({ isBuy, price, stop, value, loss }) => {
    const orders = restingEntry({ coin: 'ETH', oid: 1, isBuy, price, size: '2', stop })
    const account = accountWith({ mids, orders, leverage: { ETH: cross(10) } })
    const shortLoss = isBuy ? '0' : loss
    expect(rowOf(account)).toMatchObject({ value, entryValue: value, loss, shortLoss })
  })

  test('an entry without a stop all it is worth', () => {
    const orders = restingEntry({ coin: 'ETH', oid: 1, isBuy: true, price: '1900', size: '2' })
    expect(rowOf(accountWith({ mids, orders }))).toMatchObject({ loss: '4000' })
  })

  test('follows prices and orders, and is gone with the last of them', () => {
    const [entry, child] = restingEntry({
      ...{ coin: 'ETH', oid: 1, isBuy: true, price: '1800', size: '1', stop: '1700' },
    })
    if (entry === undefined || child === undefined) throw new Error('no entry')
    const account = accountWith({ mids, orders: [entry, child] })
    expect(rowOf(account)).toMatchObject({ loss: '300' })
    for (const [mid, loss] of [
      ['1700', '270'],
      ['2000', '300'],
      ['1800', '270'],
    ] as const) {
      account.apply({ kind: 'mids', mids: new Map([[eth, Decimal.of(mid)]]), at: later(1) })
      expect(rowOf(account)).toMatchObject({ loss })
    }
    const more = restingEntry({
      ...{ coin: 'ETH', oid: 5, isBuy: true, price: '1900', size: '1', stop: '1900' },
    })
    account.apply({ kind: 'orders', orders: [entry, child, ...more], source: 'read', at: later(2) })
    expect(rowOf(account)).toMatchObject({ loss: '460' })
    account.apply({ kind: 'orders', orders: more, source: 'read', at: later(9_000) })
    account.apply({ kind: 'orders', orders: more, source: 'read', at: later(20_000) })
    expect(rowOf(account)).toMatchObject({ loss: '190' })
  })

  test('what is on its way counts, and is told apart', () => {
    const account = accountWith({ mids, leverage: { ETH: cross(10) } })
    expect(rowOf(account)).toBeUndefined()
    const entry = {
      ...{ coin: eth, isBuy: true, size: Decimal.of('1'), price: Decimal.of('2000') },
      ...{ stop: Decimal.of('1900'), cloid: botCloid(1), stopCloid: botCloid(2), mayRest: true },
    }
    account.reserve('one', inFlight(entry), fixtureNow)
    expect(rowOf(account)).toMatchObject({ value: '2000', inFlightValue: '2000', loss: '290' })
    account.settle('one', { outcome: 'refused' }, later(1))
    expect(rowOf(account)).toBeUndefined()
  })
})

describe('a coin is cross or isolated', () => {
  const orders = restingEntry({ coin: 'ETH', oid: 1, isBuy: true, price: '1900', size: '1' })
  test.each([
    [
      'by its position',
      { positions: { ETH: { size: '1', leverage: isolated(3) } } },
      [false, 1, 3],
    ],
    ['by its position', { positions: { ETH: { size: '1', leverage: cross(3) } } }, [true, 3, null]],
    ['by what is set', { orders, leverage: { ETH: isolated(4) } }, [false, 1, 4]],
    ['by what is set', { orders, leverage: { ETH: cross(25) } }, [true, 25, null]],
    ['cross and isolated at 1 while nobody knows', { orders }, [true, 1, 1]],
  ] as const)('%s', (_, spec, want) => {
    const row = rowOf(accountWith({ mids, ...spec }))
    expect([row?.['isCross'], row?.['crossLeverage'], row?.['isolatedLeverage']]).toEqual(want)
  })

  test('both, while another setting is on its way', () => {
    const account = accountWith({ mids, orders, leverage: { ETH: isolated(4) } })
    const on = { kind: 'leverage', coin: eth, leverage: cross(20) } as const
    account.reserve('one', [on], fixtureNow)
    const both = { isCross: true, crossLeverage: 20, isolatedLeverage: 4 }
    expect(rowOf(account)).toMatchObject(both)
    account.settle('one', { outcome: 'accepted' }, later(1))
    expect(rowOf(account)).toMatchObject({ ...both, isolatedLeverage: null })
  })
})

test.each([
  { set: cross(20), on: cross(5), is: [5, null] },
  { set: cross(5), on: cross(20), is: [5, null] },
  { set: isolated(4), on: isolated(3), is: [1, 3] },
  { set: isolated(3), on: isolated(4), is: [1, 3] },
])('of two settings of a kind, $set.value and $on.value, the smaller counts', ({ set, on, is }) => {
  const orders = restingEntry({ coin: 'ETH', oid: 1, isBuy: true, price: '1900', size: '1' })
  const account = accountWith({ mids, orders, leverage: { ETH: set } })
  account.reserve('one', [{ kind: 'leverage', coin: eth, leverage: on }], fixtureNow)
  const row = rowOf(account)
  expect([row?.['crossLeverage'], row?.['isolatedLeverage']]).toEqual(is)
})

describe('what stands behind cross positions', () => {
  const positions = {
    ETH: { size: '1', leverage: isolated(4) },
    BTC: { size: '-0.1', leverage: cross(20) },
  }
  const of = (account: Account): readonly (string | undefined)[] => {
    const { collateral, unheld } = account.crossPool()
    return [collateral?.toString(), unheld?.toString()]
  }

  test('the account value without what isolated positions keep', () => {
    expect(of(accountWith({ mids, positions, equity: '9000' }))).toEqual(['8500', undefined])
  })

  test('a unified account: its balance without it, and what nothing holds', () => {
    const account = accountWith({ mids, positions, equity: '9000', mode: 'unifiedAccount' })
    const spot = { usdcTotal: Decimal.of('9000'), usdcHold: Decimal.of('1600') }
    account.apply({ kind: 'spot', spot, source: 'read', at: later(1) })
    expect(of(account)).toEqual(['8500', '7400'])
  })

  test('what the venue says itself counts where it is less', () => {
    const account = accountWith({ mids })
    const state = (crossValue: string) => ({
      ...{ accountValue: Decimal.of('9000'), crossValue: Decimal.of(crossValue) },
      ...{ withdrawable: Decimal.zero, positions: [], time: later(5) },
    })
    account.apply({ kind: 'state', state: state('8100'), source: 'read', at: later(5) })
    expect(of(account)).toEqual(['8100', undefined])
  })

  test('an isolated fill takes its margin at once', () => {
    const account = accountWith({ mids, equity: '9000', leverage: { ETH: isolated(4) } })
    const told = { coin: 'ETH', isBuy: true, price: '2000', size: '1', start: '0', oid: 5, tid: 1 }
    const fills = [fill({ ...told, at: fixtureNow + 1 })]
    account.apply({ kind: 'fills', fills, isSnapshot: false, at: later(1) })
    expect(of(account)).toEqual(['8500', undefined])
  })

  test('nobody knows in a mode that cannot be sized for', () => {
    expect(of(accountWith({ mids, mode: 'portfolioMargin' }))).toEqual([undefined, undefined])
  })
})

describe('what the venue has left for orders', () => {
  const left = { buy: Decimal.of('10'), sell: Decimal.of('20') }
  const tell = (account: Account, value: number, available?: typeof left): void => {
    const told = available === undefined ? {} : { available }
    account.apply({ kind: 'leverage', coin: eth, leverage: cross(value), ...told, at: later(3) })
  }

  test('is kept with its time, and forgotten with another setting', () => {
    const account = accountWith({ mids })
    expect(account.available(eth)).toBe(null)
    tell(account, 20, left)
    expect(account.available(eth)).toEqual({ ...left, at: later(3) })
    tell(account, 20)
    account.clockStepped(-2)
    expect(account.available(eth)).toEqual({ ...left, at: later(1) })
    tell(account, 10)
    expect(account.available(eth)).toBe(null)
  })
})
