import { expect, test } from 'vitest'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { RequestPool } from './requestPool.ts'

const entry = (name: string) => ({
  ...{ coin: coin(name), isBuy: true, price: Decimal.of('400'), size: Decimal.one },
  stop: Decimal.of('392'),
})
const isolated = { type: 'isolated', value: 4 } as const

// A request with an entry on the main dex and one on a builder's.
test.each<[string | null, readonly string[]]>([
  ['', ['ETH']],
  ['xyz', ['xyz:TSLA']],
  ['abc', []],
  [null, ['ETH', 'xyz:TSLA']],
])('on the collateral of "%s" lean %j', (dex, coins) => {
  const requested = new RequestPool()
  requested.change(entry('ETH'), Decimal.of('400'), isolated)
  requested.change(entry('xyz:TSLA'), Decimal.of('400'), isolated)
  const pool = { dex, collateral: Decimal.of('1000'), unheld: null, rows: [] }
  expect(requested.rows(pool).map((row) => row.coin)).toEqual(coins)
})
