import { expect, test } from 'vitest'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import type { Millis } from '../values/millis.ts'
import { cashElsewhere, isQuoteKnown } from './tradesElsewhere.ts'

const quotes = new Map([
  [coin('@107'), 'USDC'],
  [coin('@207'), 'USDT0'],
])

const fill = (name: string, isBuy: boolean, feeToken: string | null, closedPnl = '0') => ({
  ...{ coin: coin(name), isBuy, price: Decimal.of('31.737'), size: Decimal.of('10') },
  ...{ startPosition: Decimal.zero, closedPnl: Decimal.of(closedPnl), fee: Decimal.of('0.5') },
  ...(feeToken === null ? {} : { feeToken }),
  ...{ oid: 7, tid: 9, cloid: null, at: 1_000 as Millis },
})

test.each([
  ['a purchase, its fee in the token', fill('@107', true, 'HYPE'), '-317.37', true],
  ['a sale, its fee in USDC', fill('@107', false, 'USDC', '12'), '316.87', true],
  ['a pair that names its money', fill('PURR/USDC', true, 'PURR'), '-317.37', true],
  ['an outcome', fill('#10', false, null), '316.87', true],
  ["a builder dex's close", fill('xyz:TSLA', false, 'USDC', '-40'), '-40.5', false],
  ["a builder dex's fee", fill('xyz:TSLA', true, null), '-0.5', false],
] as const)('%s', (_, told, usdc, isFlow) => {
  const change = cashElsewhere(told, quotes)
  expect(change?.usdc.toString()).toBe(usdc)
  expect(change).toMatchObject({ isFlow, at: 1_000, id: `${told.coin}:9:7:1000` })
})

test.each([
  ['a purchase with another token', fill('@207', true, 'HYPE')],
  ['a sale for another token', fill('@207', false, 'USDT0')],
  ['a pair that names another token', fill('HYPE/USDT0', true, 'HYPE')],
])('%s moves no USDC', (_, told) => {
  expect(cashElsewhere(told, quotes)).toBeNull()
})

test('only a numbered pair must be looked up', () => {
  expect(isQuoteKnown(fill('@1', true, null), quotes)).toBe(false)
  for (const name of ['@107', 'PURR/USDC', 'xyz:TSLA', '#10']) {
    expect(isQuoteKnown(fill(name, true, null), quotes)).toBe(true)
  }
})
