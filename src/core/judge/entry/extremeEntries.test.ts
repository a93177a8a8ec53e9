import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RestingEntry } from '../../account/accountView.ts'
import { EntryExtremes } from '../../account/entryExtremes.ts'
import { coin } from '../../values/coin.ts'
import { Decimal } from '../../values/decimal.ts'
import { bearableLeverage } from './liquidation.ts'

const entry: fc.Arbitrary<RestingEntry> = fc
  .record({
    isBuy: fc.boolean(),
    price: fc.integer({ min: 1, max: 100_000 }),
    share: fc.option(fc.integer({ min: 1, max: 3_000 }), { freq: 8 }),
  })
  .map(({ isBuy, price, share }) => ({
    coin: coin('ETH'),
    isBuy,
    price: new Decimal(BigInt(price), 2),
    size: Decimal.one,
    stop: share === null ? null : new Decimal(BigInt(price * share), 5),
    oid: null,
    cloid: null,
    isConfirmed: false,
  }))

test('the extreme entries bear exactly what all entries bear, wherever their stops are', () => {
  const figures = fc.record({
    entries: fc.array(entry, { maxLength: 12 }),
    coinMax: fc.constantFrom(3, 5, 10, 25, 40),
    cap: fc.integer({ min: 1, max: 10 }),
    least: fc.constantFrom('0.01', '0.1', '0.5'),
  })
  fc.assert(
    fc.property(figures, ({ entries, coinMax, cap, least }) => {
      const extremes = new EntryExtremes()
      for (const each of entries) extremes.add(each)
      const borne = (some: readonly RestingEntry[]): number =>
        Math.min(
          cap,
          ...some.map((each) => bearableLeverage(each, cap, coinMax, Decimal.of(least))),
        )
      expect(extremes.list().length).toBeLessThanOrEqual(4)
      expect(borne(extremes.list())).toBe(borne(entries))
    }),
    { numRuns: 1_000 },
  )
})
