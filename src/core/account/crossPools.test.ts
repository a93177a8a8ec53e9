import { describe, expect, test } from 'vitest'
import type { AccountMode } from '../protocol/venueState.ts'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { fill, fixtureNow, later, venueState } from './account.fixture.ts'
import type { Account } from './account.ts'
import { dexAccount } from './builders.fixture.ts'
import { leansOn, poolOf } from './poolOf.ts'

const tesla = coin('xyz:TSLA')

test.each<[AccountMode, string, string | null]>([
  ['default', '', ''],
  ['disabled', 'xyz', 'xyz'],
  ['unifiedAccount', 'xyz', null],
  ['portfolioMargin', '', null],
  ['unknown', 'xyz', null],
])('the collateral of a %s account that dex "%s" leans on is %s', (mode, dex, is) => {
  expect(poolOf(mode, dex)).toBe(is)
})

test.each<[string | null | undefined, string, boolean]>([
  ['', 'ETH', true],
  ['', 'xyz:TSLA', false],
  ['xyz', 'xyz:TSLA', true],
  ['xyz', 'ETH', false],
  ['xyz', 'abc:TSLA', false],
  [null, 'xyz:TSLA', true],
  // A journal of before names no dex: its decisions were made of all coins.
  [undefined, 'xyz:TSLA', true],
])('on the collateral of %s leans %s: %s', (dex, name, is) => {
  expect(leansOn({ dex } as { dex: string | null }, coin(name))).toBe(is)
})

describe('the pools of an account with 9,000 USD, 1,000 of it on a dex', () => {
  const cross = (value: number) => ({ type: 'cross', value }) as const
  const isolated = (value: number) => ({ type: 'isolated', value }) as const
  const positions = {
    ETH: { size: '1', entry: '2000', leverage: cross(10) },
    'xyz:TSLA': { size: '2', entry: '400', leverage: cross(10) },
    'xyz:NVDA': { size: '1', entry: '180', leverage: isolated(2) },
  }
  const mids = { ETH: '2000', 'xyz:TSLA': '400', 'xyz:NVDA': '180' }
  const told = (mode: AccountMode = 'default'): Account => {
    const account = dexAccount({ equity: '9000', mids, positions, mode })
    const on = { accountValue: Decimal.of('1000'), crossValue: Decimal.of('910') }
    const state = {
      ...venueState({ equity: '9000', mids, positions }, fixtureNow + 1),
      ...{ crossValue: Decimal.of('8000'), dexValues: new Map([['xyz', on]]) },
    }
    account.apply({ kind: 'state', state, source: 'read', at: later(1) })
    return account
  }
  const shown = (account: Account) =>
    account
      .crossPools()
      .map(({ dex, collateral, rows }) => [
        dex,
        collateral?.toString() ?? null,
        rows.map((row) => row.coin).sort(),
      ])

  test('each dex has its own, and only its own coins lean on it', () => {
    expect(shown(told())).toEqual([
      ['', '8000', ['ETH']],
      ['xyz', '910', ['xyz:NVDA', 'xyz:TSLA']],
    ])
    const { dex, rows } = told().crossPool()
    expect([dex, rows.map((row) => row.coin)]).toEqual(['', ['ETH']])
  })

  test('of a unified account all is one', () => {
    const [pool, ...others] = shown(told('unifiedAccount'))
    expect(others).toEqual([])
    expect([pool?.[0], pool?.[2]]).toEqual([null, ['ETH', 'xyz:NVDA', 'xyz:TSLA']])
  })

  test('a fill moves the pool of its own dex, and of no other', () => {
    const account = told()
    // A half of it is sold at 390, 10 below its mark, and costs 2.
    const sold = { coin: 'xyz:TSLA', isBuy: false, price: '390', size: '1', start: '2', fee: '2' }
    const fills = [fill({ ...sold, oid: 5, tid: 1, at: fixtureNow + 2 })]
    account.apply({ kind: 'fills', fills, isSnapshot: false, at: later(2) })
    expect(shown(account).map(([, collateral]) => collateral)).toEqual(['8000', '898'])
    expect(account.equity?.toString()).toBe('8988')
  })

  test('margin on its way is taken out of the pool of its own dex', () => {
    const account = told()
    const amount = Decimal.of('50')
    account.reserve('a', [{ kind: 'margin', coin: tesla, amount }], later(2))
    expect(shown(account).map(([, collateral]) => collateral)).toEqual(['8000', '860'])
  })

  test('of a dex that was not told nobody knows what stands behind it', () => {
    const account = dexAccount({ equity: '9000', dexEquity: {}, mids, positions })
    expect(shown(account).map(([dex, collateral]) => [dex, collateral])).toEqual([
      ['', '9000'],
      ['xyz', null],
    ])
  })

  test('many fills that were folded count on their own dex', () => {
    const account = told()
    const fills = Array.from({ length: 201 }, (_, place) => {
      const start = place % 2 === 0 ? '2' : '1'
      const one = { coin: 'xyz:TSLA', isBuy: place % 2 === 1, price: '400', size: '1', start }
      return fill({ ...one, fee: '1', oid: 5, tid: place, at: fixtureNow + 2 + place })
    })
    account.apply({ kind: 'fills', fills, isSnapshot: false, at: later(300) })
    expect(shown(account).map(([, collateral]) => collateral)).toEqual(['8000', '709'])
  })
})
