import { expect, test } from 'vitest'
import type { CrossPool, PoolRow } from '../account/accountView.ts'
import { markets } from '../account/account.fixture.ts'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { commonDistance, poolRiskLeft, poolSums } from './poolSums.ts'
import { emptyRow } from './requestPool.ts'

const listed = markets([{ coin: 'ETH', asset: 1, sizeDecimals: 4, maxLeverage: 25 }])
const account = { market: (name: ReturnType<typeof coin>) => listed.byCoin.get(name) ?? null }
const row = (value: string, more: Partial<PoolRow> = {}): PoolRow => ({
  ...{ ...emptyRow(coin('ETH')), isCross: true, value: Decimal.of(value) },
  ...more,
})

// 40,000 USD keep 800 USD: what is left of the collateral, shared by 39,200 USD.
test.each([
  ['10000', '0.234693'],
  ['800', '0'],
  ['0', '-0.020409'],
])('with %s USD behind it, everything can move by %s against it', (collateral, distance) => {
  const rows = [row('40000')]
  const pool: CrossPool = { dex: '', collateral: Decimal.of(collateral), unheld: null, rows }
  expect(commonDistance(pool, poolSums(rows, account)).toString()).toBe(distance)
})

test('what isolated entries take is not behind it', () => {
  const taking = { isCross: false, isolatedLeverage: 2, entryValue: Decimal.of('4000') }
  const rows = [row('40000'), row('4000', taking)]
  const pool: CrossPool = { dex: '', collateral: Decimal.of('12000'), unheld: null, rows }
  expect(commonDistance(pool, poolSums(rows, account)).toString()).toBe('0.234693')
})

// 40,000 USD that lose 5,000 at their stops need 5,500, 2,000 and the 800 that they keep: 8,300.
test.each([
  ['8300', '0'],
  ['8421', '100'],
  ['8000', '-247.933885'],
])('with %s USD behind them, stops may be looser by %s USD', (collateral, left) => {
  const rows = [row('40000', { loss: Decimal.of('5000') })]
  const pool: CrossPool = { dex: '', collateral: Decimal.of(collateral), unheld: null, rows }
  expect(poolRiskLeft(pool, poolSums(rows, account))?.toString()).toBe(left)
})

test('where nothing is on cross margin, nothing bounds the stops', () => {
  const rows = [row('40000', { isCross: false })]
  const pool: CrossPool = { dex: '', collateral: Decimal.of('1'), unheld: null, rows }
  expect(poolRiskLeft(pool, poolSums(rows, account))).toBeNull()
})
