import { describe, expect, test } from 'vitest'
import { market } from '../../account/account.fixture.ts'
import { partsOfUsd } from '../../protocol/maintenance.ts'
import { coin } from '../../values/coin.ts'
import { Decimal } from '../../values/decimal.ts'
import { emptyRow } from '../requestPool.ts'
import { largestWithin, poolBounds } from './poolBounds.ts'
import type { Leaning, PooledEntry } from './poolBounds.ts'

const usd = Decimal.of
const parts = (amount: string): Decimal => usd(amount).times(partsOfUsd)

describe('what the collateral bears of an entry', () => {
  /** Up to 500 USD a fiftieth of a value is kept, from there on a twentieth of it less 15. */
  const tiers = [{ lowerBound: usd('500'), maxLeverage: 10 }]
  const eth = market({ coin: 'ETH', asset: 1, sizeDecimals: 4, maxLeverage: 25, tiers })
  /** 2,000 of other coins lose 100, keep 40 and need 90 beyond that if one is hit alone. */
  const others = {
    ...{ value: usd('2000'), loss: usd('100'), maintenance: parts('40'), alone: parts('90') },
    ...{ initial: Decimal.zero, taken: Decimal.zero, inFlight: Decimal.zero },
  }
  /** 1,000 of the coin itself lose 50, and are worth 20 more where its shorts are stopped. */
  const own = {
    ...{ ...emptyRow(coin('ETH')), isCross: true },
    ...{ value: usd('1000'), loss: usd('50'), shortLoss: usd('20') },
  }
  const distance = usd('0.1')
  const leaning: Leaning = {
    ...{ backing: parts('1000'), all: others, others, own, market: eth, distance },
  }
  /** A unit is worth 10 and loses 1. */
  const entry = (margin: PooledEntry['margin'], isBuy: boolean): PooledEntry => ({
    ...{ isBuy, margin, worth: usd('10'), loss: usd('1') },
  })
  const told = (margin: PooledEntry['margin'], isBuy: boolean, from = leaning) =>
    poolBounds(from, entry(margin, isBuy)).map(({ base, slope, most, isStrict }) => {
      const [start, each, end] = [base, slope, most].map((sum) =>
        sum.over(partsOfUsd, 6, 'half-even').toString(),
      )
      return `${start} + ${each} x size ${isStrict ? '<' : '<='} ${end}`
    })

  const cross = { type: 'cross', value: 20 } as const
  test('on cross margin, by each line of the maintenance', () => {
    expect(told(cross, true)).toEqual([
      // 1.1 x 150 + 5% of 3,000 + 40 + 20; for each unit 1.1 + 0.5 + 0.2.
      '375 + 1.8 x size <= 1000',
      // A tenth of 3,000, and 0.9 of 60; 1 and 0.9 x 0.2.
      '354 + 1.18 x size <= 1000',
      // 40, a fiftieth of 1,020, and 50; 0.2 and 1.
      '110.4 + 1.2 x size < 1000',
      // 40 + 20 + 90; 0.2.
      '150 + 0.2 x size < 1000',
      // The same with 35 kept for 1,000, 36 for 1,020, and 0.5 for each unit.
      '390 + 2.1 x size <= 1000',
      '367.5 + 1.45 x size <= 1000',
      '126 + 1.5 x size < 1000',
      '165 + 0.5 x size < 1000',
    ])
  })

  test('of a short what it loses is kept for, too', () => {
    const [long, short] = [told(cross, true), told(cross, false)]
    // A fiftieth and a twentieth of 11 instead of 10.
    const dearer = ['110.4 + 1.22 x size < 1000', '126 + 1.55 x size < 1000']
    expect(short).toEqual(long.with(2, dearer[0]!).with(6, dearer[1]!))
  })

  const isolated = { type: 'isolated', value: 5 } as const
  test('on isolated margin, what it takes must leave enough for the others', () => {
    expect(told(isolated, true)).toEqual([
      // 110 + 100 + 40; a fifth of 10.
      '250 + 2 x size <= 1000',
      // 200, and 0.9 of 40.
      '236 + 2 x size <= 1000',
      // 40 + 90.
      '130 + 2 x size < 1000',
    ])
  })

  test('on isolated margin without cross positions nothing bounds it', () => {
    const none = { ...leaning, all: { ...others, value: Decimal.zero } }
    expect(told(isolated, true, none)).toEqual([])
  })
})

describe('the largest size within bounds', () => {
  const bound = (base: string, slope: string, most: string, isStrict = false) => ({
    ...{ base: usd(base), slope: usd(slope), most: usd(most), isStrict },
  })
  test.each([
    ['none', [], undefined],
    ['what is left by the slope', [bound('40', '3', '100')], '20'],
    // 61 / 3 = 20.333...
    ['rounded down to the lot', [bound('39', '3', '100')], '20.33'],
    ['below zero where too much is needed', [bound('101', '3', '100')], '-0.34'],
    ['a lot less where it must stay below', [bound('40', '3', '100', true)], '19.99'],
    ['no less where it does', [bound('39', '3', '100', true)], '20.33'],
    [
      'the smallest of all',
      [bound('0', '1', '9'), bound('0', '1', '8'), bound('0', '1', '9')],
      '8',
    ],
  ])('%s', (_, bounds, size) => {
    expect(largestWithin(bounds, 2)?.toString()).toBe(size)
  })
})
