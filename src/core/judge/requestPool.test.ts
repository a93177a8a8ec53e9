import { expect, test } from 'vitest'
import type { PoolRow } from '../account/accountView.ts'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { emptyRow, RequestPool, withMargin } from './requestPool.ts'

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

type Asked = Parameters<RequestPool['change']>[0]
const usd = Decimal.of
const long: Asked = { ...entry('ETH'), size: usd('2') }
const short: Asked = { ...long, isBuy: false, stop: usd('408') }
const figures = ({ value, entryValue, inFlightValue, loss, shortLoss }: PoolRow) =>
  [value, entryValue, inFlightValue, loss, shortLoss].map(String)

// Two units at 400: the long's stop fills at 352.8 at worst and loses 94.4, the short's at 448.8 and loses 97.6.
test.each<[string, Asked, string, typeof isolated | null, readonly string[]]>([
  ['a long above the mid', long, '390', isolated, ['800', '800', '800', '94.4', '0']],
  ['a short above the mid', short, '390', isolated, ['800', '800', '800', '97.6', '97.6']],
  // It loses the same share, 11.8%, of 820.
  ['a long below the mid', long, '410', isolated, ['820', '820', '820', '96.76', '0']],
  [
    'one that counts as more while it waits for its trigger',
    { ...long, watched: { worth: usd('420') } },
    '410',
    isolated,
    ['840', '840', '840', '99.12', '0'],
  ],
  ['an entry that goes', long, '390', null, ['-800', '-800', '-800', '-94.4', '0']],
  ['a short that goes', short, '390', null, ['-800', '-800', '-800', '-97.6', '-97.6']],
])('%s', (_, asked, mid, margin, added) => {
  const requested = new RequestPool()
  requested.change(asked, usd(mid), margin)
  const before = {
    ...emptyRow(coin('ETH')),
    ...{ value: usd('3000'), entryValue: usd('2000'), inFlightValue: usd('1000') },
    ...{ loss: usd('500'), shortLoss: usd('200') },
  }
  const pool = { dex: '', collateral: usd('1000'), unheld: null, rows: [before] }
  const [row] = requested.rows(pool)
  const sums = figures(before).map((sum, place) => usd(sum).plus(usd(added[place]!)).toString())
  expect(figures(row!)).toEqual(sums)
})

test.each([
  [null, 4],
  [2, 2],
  [5, 4],
])('with entries at isolated leverage %s and one at 4 it may be %s', (before, lowest) => {
  const row = { ...emptyRow(coin('ETH')), isolatedLeverage: before }
  expect(withMargin(row, isolated).isolatedLeverage).toBe(lowest)
})
