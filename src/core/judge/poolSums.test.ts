import { expect, test } from 'vitest'
import type { CrossPool, PoolRow } from '../account/accountView.ts'
import { markets } from '../account/account.fixture.ts'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { partsOfUsd } from '../protocol/maintenance.ts'
import { commonDistance, isPoolBorne, poolRiskLeft, poolSums } from './poolSums.ts'
import { emptyRow } from './requestPool.ts'

const listed = markets([
  { coin: 'ETH', asset: 1, sizeDecimals: 4, maxLeverage: 25 },
  { coin: 'SLOW', asset: 2, sizeDecimals: 4, maxLeverage: 1 },
])
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

/** A short worth 1,000 that loses 1,500 at its stop: it keeps 500 now, and 1,250 there. */
const steep = row('1000', {
  ...{ coin: coin('SLOW'), loss: Decimal.of('1500'), shortLoss: Decimal.of('1500') },
})
/** A long worth 1,000 that loses 100: it keeps 20. */
const long = row('1000', { loss: Decimal.of('100'), crossLeverage: 20 })

test('what coins ask for together is added up, and of what one needs alone the most counts', () => {
  const usd = (parts: Decimal): string => parts.over(partsOfUsd, 6, 'half-even').toString()
  const isolated = { isCross: false, entryValue: Decimal.of('400'), isolatedLeverage: 4 }
  const rows = [long, steep, row('400', isolated), long]
  const { value, loss, maintenance, initial, taken, alone } = poolSums(rows, account)
  expect([value.toString(), loss.toString()]).toEqual(['3000', '1700'])
  // 20 + 500 + 20; 50 + 1,000 + 50; 400 / 4; 750 more kept by the short, and its loss.
  expect([maintenance, initial, taken, alone].map(usd)).toEqual(['540', '1100', '100', '2250'])
})

// Of 100 USD on their way, at the lowest leverage that they may have.
test.each<[string, Partial<PoolRow>, string]>([
  ['on cross margin', { crossLeverage: 20 }, '5'],
  ['on isolated margin', { isCross: false, isolatedLeverage: 4 }, '25'],
  ['on either, the isolated one lower', { crossLeverage: 20, isolatedLeverage: 4 }, '25'],
  ['on either, the cross one lower', { crossLeverage: 2, isolatedLeverage: 10 }, '50'],
])('what is on its way takes its margin: %s', (_, spec, usd) => {
  const rows = [row('100', { inFlightValue: Decimal.of('100'), ...spec })]
  const { inFlight } = poolSums(rows, account)
  expect(inFlight.over(partsOfUsd, 6, 'half-even').toString()).toBe(usd)
})

test.each<[string, PoolRow, string, string, boolean]>([
  // 110 + 50 + 20.
  ['all stops at once', long, '0.1', '180', true],
  ['more than they leave', long, '0.1', '179.99', false],
  // Half of 1,000, and half of the 20.
  ['a common shock', long, '0.5', '510', true],
  ['a worse one', long, '0.5', '509.99', false],
  // At its stop the short has lost 1,500 and keeps 1,250: that must not be all there is.
  ['a coin alone', steep, '0.1', '2750.01', true],
  ['a coin alone, to the last cent', steep, '0.1', '2750', false],
  ['nothing, without a cent', row('0'), '0.1', '0', true],
])('bears %s', (_, one, distance, collateral, is) => {
  const pool = { dex: '', collateral: Decimal.of(collateral), unheld: null, rows: [one] }
  expect(isPoolBorne(pool, poolSums([one], account), Decimal.of(distance))).toBe(is)
})

test('stops may be looser only by what a coin alone leaves', () => {
  const pool = { dex: '', collateral: Decimal.of('2871'), unheld: null, rows: [steep] }
  // 2,750 are needed, and each USD more counts as 1.21.
  expect(poolRiskLeft(pool, poolSums([steep], account))?.toString()).toBe('100')
})
