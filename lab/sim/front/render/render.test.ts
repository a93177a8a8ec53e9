import fc from 'fast-check'
import { expect, test } from 'vitest'
import { coin } from '../../../../src/core/values/coin.ts'
import { Decimal } from '../../../../src/core/values/decimal.ts'
import { groupBook } from './groupBook.ts'
import { wireNumber } from './wireNumber.ts'

test.each([
  ['0', '0.0'],
  ['40', '40.0'],
  ['84143.5', '84143.5'],
  ['-0.01', '-0.01'],
  ['1.10', '1.1'],
  ['0.12345678905', '0.123456789'],
  ['0.12345678915', '0.1234567892'],
])('%s is written %s', (value, text) => {
  expect(wireNumber(Decimal.of(value))).toBe(text)
})

test('a written number always has one to ten decimals and reads back close', () => {
  fc.assert(
    fc.property(fc.bigInt(-(10n ** 20n), 10n ** 20n), fc.integer({ min: 0, max: 14 }), (u, s) => {
      const value = new Decimal(u, s)
      const text = wireNumber(value)
      expect(text).toMatch(/^-?\d+\.\d{1,10}$/)
      const off = Decimal.of(text).minus(value).abs()
      expect(off.lte(new Decimal(5n, 11))).toBe(true)
    }),
  )
})

test('grouping a book keeps its size, its order and never crosses it', () => {
  const level = fc.record({
    tick: fc.integer({ min: 1, max: 400 }),
    size: fc.integer({ min: 1, max: 1_000 }),
  })
  fc.assert(
    fc.property(
      fc.uniqueArray(level, { selector: (each) => each.tick, maxLength: 30 }),
      fc.uniqueArray(level, { selector: (each) => each.tick, maxLength: 30 }),
      fc.constantFrom(2, 3, 4, 5),
      fc.constantFrom(null, 1, 2, 5),
      (bids, asks, figures, mantissa) => {
        const at = (tick: number, size: number) => ({
          price: new Decimal(BigInt(24_860 + tick), 1),
          size: Decimal.whole(size),
          count: 1,
        })
        const book = {
          coin: coin('ETH'),
          time: 0,
          bids: bids.sort((a, b) => a.tick - b.tick).map((each) => at(-each.tick, each.size)),
          asks: asks.sort((a, b) => a.tick - b.tick).map((each) => at(each.tick, each.size)),
        }
        const grouped = groupBook(
          book,
          { significantFigures: figures, mantissa: figures === 5 ? mantissa : null },
          100,
        )
        for (const side of ['bids', 'asks'] as const) {
          const sum = (levels: readonly { size: Decimal }[]): string =>
            levels.reduce((total, each) => total.plus(each.size), Decimal.zero).toString()
          expect(sum(grouped[side])).toBe(sum(book[side]))
          const prices = grouped[side].map((each) => each.price)
          prices.slice(1).forEach((price, index) => {
            const before = prices[index] as Decimal
            expect(side === 'bids' ? price.lt(before) : price.gt(before)).toBe(true)
          })
        }
        const [bid, ask] = [grouped.bids[0], grouped.asks[0]]
        if (bid !== undefined && ask !== undefined) expect(bid.price.lt(ask.price)).toBe(true)
      },
    ),
    { numRuns: 100 },
  )
})
