import { expect, test } from 'vitest'
import { markets } from '../../account/account.fixture.ts'
import type { Market } from '../../protocol/market.ts'
import { Decimal } from '../../values/decimal.ts'
import { coin } from '../../values/coin.ts'
import { checkMinimum } from './checkMinimum.ts'

const eth = markets().byCoin.get(coin('ETH')) as Market
const D = (text: string): Decimal => Decimal.of(text)
const check = (size: string, limit: string, stopLimit: string): string | null =>
  checkMinimum(eth, { size: D(size), bound: null, lossPerUnit: D('50') }, D(limit), D(stopLimit))
    ?.text ?? null

test('the size that is named is the least that passes', () => {
  expect(check('0.0045', '2500', '2193')).toMatch(/ or more: 0\.0046 ETH at that price$/)
  expect(check('0.0046', '2500', '2193')).toBeNull()
})

test('no size reaches the minimum with a stop whose limit is 0, so none is named', () => {
  expect(check('1', '2500', '0')).toMatch(/ the venue takes 10 USD or more$/)
})
