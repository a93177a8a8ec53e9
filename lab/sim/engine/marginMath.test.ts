import { describe, expect, test } from 'vitest'
import fc from 'fast-check'
import { Decimal } from '../../../src/core/values/decimal.ts'
import {
  initialMargin,
  isBackstop,
  liquidationPrice,
  maintenanceMargin,
  maintenanceRate,
  returnOnEquity,
  tieredLiquidationPrice,
  tierOf,
  withdrawable,
} from './marginMath.ts'

const d = Decimal.of

/** Recorded rows: what the venue showed, and what it must have been computed from. */
const rows = [
  {
    id: 'isolated long, documented example',
    leverage: 20,
    maxLeverage: 50,
    rawUsd: '-95.059824',
    size: '0.0335',
    value: '100.02765',
    entry: '2986.3',
    pnl: '-0.0134',
    marginUsed: '4.967826',
    roe: '-0.0026789003',
    liquidation: '2866.26938037',
  },
  {
    id: 'isolated long, recorded by a client',
    leverage: 20,
    maxLeverage: 50,
    rawUsd: '-475.23904',
    size: '0.2259',
    value: '500.12001',
    entry: '2213.9',
    pnl: '0.0',
    marginUsed: '24.88097',
    roe: '0',
    liquidation: '2125.00856283',
  },
] as const

describe.each(rows)('$id', (row) => {
  const value = d(row.value)
  const equity = d(row.rawUsd).plus(value)
  const mark = value.over(d(row.size), 16, 'half-even')

  test('margin used', () => expect(equity.eq(d(row.marginUsed))).toBe(true))

  test('liquidation price', () => {
    const available = equity.minus(value.over(Decimal.whole(2 * row.maxLeverage), 16, 'down'))
    const found = liquidationPrice(mark, d(row.size), available, row.maxLeverage)
    expect(found?.rounded(8, 'half-even').toString()).toBe(row.liquidation)
  })

  test('unrealised profit and return on equity', () => {
    const entry = d(row.entry).times(d(row.size))
    expect(value.minus(entry).eq(d(row.pnl))).toBe(true)
    expect(returnOnEquity(d(row.pnl), entry, row.leverage).toString()).toBe(row.roe)
  })
})

test('a recorded cross short of a vault', () => {
  const value = d('2527.94682')
  const size = d('-103774.5')
  const mark = value.over(size.abs(), 16, 'half-even')
  expect(initialMargin(value, 20).eq(d('126.397341'))).toBe(true)
  const available = d('3155203.7660619998').minus(d('43452.918775'))
  expect(liquidationPrice(mark, size, available, 50)?.toString()).toBe('29.713170189')
  const entry = value.plus(d('-802.226337'))
  expect(returnOnEquity(d('-802.226337'), entry, 20).toString()).toBe('-9.2972917098')
  const free = withdrawable(d('3155203.7660619998'), d('217264.594197'), d('4345291.8850560002'))
  expect(free.rounded(4, 'half-even').toString()).toBe('2720674.5776')
})

test.each([
  ['23564.614922', '128.40', 5, '23538.934922'],
  ['24518.08144', '49035.6725', 2, '0.24519'],
])(
  'a resting order takes its value over its leverage from %s',
  (free, notional, leverage, left) => {
    const reserved = initialMargin(d(notional), leverage)
    expect(withdrawable(d(free), reserved, Decimal.zero).toString()).toBe(left)
  },
)

test('no liquidation price below zero', () => {
  expect(liquidationPrice(d('100'), d('1'), d('1000'), 10)).toBeNull()
  expect(liquidationPrice(d('100'), d('-1'), d('1000'), 10)).not.toBeNull()
})

const tiers = [
  { lowerBound: d('0'), maxLeverage: 40 },
  { lowerBound: d('150000000'), maxLeverage: 20 },
  { lowerBound: d('300000000'), maxLeverage: 10 },
]

test('maintenance over tiers is the rate less the deduction, and continuous', () => {
  const rate = (leverage: number) => maintenanceRate(leverage)
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 900_000_000 }), (whole) => {
      const notional = Decimal.whole(whole)
      let deduction = Decimal.zero
      let used = tiers[0] as (typeof tiers)[0]
      for (const [index, tier] of tiers.entries()) {
        if (index === 0 || notional.lt(tier.lowerBound)) continue
        const step = rate(tier.maxLeverage).minus(rate(used.maxLeverage))
        deduction = deduction.plus(tier.lowerBound.times(step))
        used = tier
      }
      const expected = notional.times(rate(used.maxLeverage)).minus(deduction)
      const difference = maintenanceMargin(tiers, notional).minus(expected).abs()
      expect(difference.lt(d('0.000001'))).toBe(true)
    }),
  )
  expect(tierOf(tiers, d('149999999.99')).maxLeverage).toBe(40)
  expect(tierOf(tiers, d('150000000')).maxLeverage).toBe(20)
})

test.each([
  ['66.67', '100', false],
  ['66.66', '100', true],
  ['-1', '100', true],
])(
  'equity %s of maintenance %s: the liquidator takes over: %s',
  (equity, maintenance, expected) => {
    expect(isBackstop(d(equity), d(maintenance))).toBe(expected)
  },
)

describe('a liquidation price in another tier than the mark', () => {
  /** 40 times up to 150 million, 20 times above: rates 1/80 and 1/40, 1,875,000 less in the second. */
  const tiers = [
    { lowerBound: Decimal.zero, maxLeverage: 40 },
    { lowerBound: d('150000000'), maxLeverage: 20 },
  ]
  const availableOf = (equity: string, value: string): Decimal =>
    d(equity).minus(maintenanceMargin(tiers, d(value)))

  test.each([
    // 2000 long at 100000: equity 100M. At p it is 100M + 2000(p - 100000) = 25p, so p = 100M / 1975.
    ['a long that falls into the lower tier', '2000', '100000000', '200000000', '50632.9113924051'],
    // The same with 40M: 40M + 2000(p - 100000) = 50p - 1.875M, so p = 158.125M / 1950.
    ['a long that stays', '2000', '40000000', '200000000', '81089.7435897436'],
    // 1000 short at 100000 with 80M: 80M - 1000(p - 100000) = 25p - 1.875M, so p = 181.875M / 1025.
    [
      'a short that rises into the upper tier',
      '-1000',
      '80000000',
      '100000000',
      '177439.024390243',
    ],
    // With 20M: 20M - 1000(p - 100000) = 12.5p, so p = 120M / 1012.5.
    ['a short that stays', '-1000', '20000000', '100000000', '118518.5185185185'],
  ])('%s', (_, size, equity, value, expected) => {
    const found = tieredLiquidationPrice(tiers, d('100000'), d(size), availableOf(equity, value))
    expect(found?.rounded(9, 'down').toString()).toBe(d(expected).rounded(9, 'down').toString())
  })

  test('a long that no price of any tier liquidates has none', () => {
    const available = availableOf('250000000', '200000000')
    expect(tieredLiquidationPrice(tiers, d('100000'), d('2000'), available)).toBeNull()
  })

  test('at the price, equity and maintenance margin are equal, whatever the tiers', () => {
    const sizes = fc.integer({ min: 1, max: 4_000 })
    fc.assert(
      fc.property(sizes, fc.boolean(), fc.integer({ min: 1, max: 400 }), (size, isLong, share) => {
        const signed = Decimal.whole(isLong ? size : -size)
        const value = Decimal.whole(size).times(d('100000'))
        const equity = value.times(Decimal.whole(share)).times(d('0.002'))
        const available = equity.minus(maintenanceMargin(tiers, value))
        const found = tieredLiquidationPrice(tiers, d('100000'), signed, available)
        if (found === null) return isLong
        const then = equity.plus(signed.times(found.minus(d('100000'))))
        const needed = maintenanceMargin(tiers, found.times(signed.abs()))
        return then.minus(needed).abs().lt(d('0.001'))
      }),
    )
  })
})
