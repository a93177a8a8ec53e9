import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readFixture } from '../../crypto/crypto.fixture.ts'
import { Decimal } from '../values/decimal.ts'
import {
  isOnLot,
  isOnPriceGrid,
  lotStep,
  priceStep,
  roundPrice,
  roundPriceAway,
  roundPriceToward,
  roundSizeDown,
} from './grid.ts'

interface Row {
  input: string
  szDecimals: number
  market?: 'perp' | 'spot'
  expected: string
}
const vectors = readFixture<{
  formatPrice_truncating: Row[]
  formatSize_truncating: Row[]
  venueVerdicts: { px: string; szDecimals: number; verdict: string }[]
}>('tick_lot.json')

/** The vectors' inputs come with leading zeros, which no wire number has. */
const plain = (text: string): Decimal => Decimal.of(text.replace(/^0+(?=[0-9])/, ''))

test.each(vectors.formatPrice_truncating)(
  'price $input with $szDecimals on $market is $expected',
  (row) => {
    const grid = { sizeDecimals: row.szDecimals, kind: row.market ?? 'perp' } as const
    const rounded = roundPrice(grid, plain(row.input), 'floor')
    expect(rounded.toString()).toBe(row.expected)
    expect(isOnPriceGrid(grid, rounded)).toBe(true)
  },
)

test.each(vectors.formatSize_truncating)('size $input with $szDecimals is $expected', (row) => {
  const grid = { sizeDecimals: row.szDecimals }
  expect(roundSizeDown(grid, plain(row.input)).toString()).toBe(row.expected)
})

test.each(vectors.venueVerdicts)('the venue says of $px: $verdict', (row) => {
  const isOn = isOnPriceGrid({ sizeDecimals: row.szDecimals }, Decimal.of(row.px))
  expect(isOn).toBe(!row.verdict.startsWith('Price must be divisible'))
})

test.each([
  ['100000.5', 5, 'floor', '100000'],
  ['100000.5', 5, 'ceil', '100001'],
  ['1234567', 0, 'floor', '1234567'],
  ['99999.5', 5, 'ceil', '100000'],
  ['9.99995', 0, 'ceil', '10'],
  ['0.0000001', 0, 'floor', '0'],
  ['0.0000001', 0, 'ceil', '0.000001'],
  ['3500.12345', 4, 'floor', '3500.1'],
  ['0.043423423434', 0, 'ceil', '0.043424'],
  ['12.5', 6, 'floor', '12'],
  ['12.5', 8, 'ceil', '13'],
] as const)('%s with %d size decimals goes %s to %s', (price, sizeDecimals, rounding, expected) => {
  expect(roundPrice({ sizeDecimals }, Decimal.of(price), rounding).toString()).toBe(expected)
})

const anyGrid = fc.record({
  sizeDecimals: fc.integer({ min: 0, max: 8 }),
  kind: fc.constantFrom('perp' as const, 'spot' as const),
})
const anyPrice = fc
  .tuple(fc.bigInt({ min: 1n, max: 10n ** 14n }), fc.integer({ min: 0, max: 12 }))
  .map(([units, scale]) => new Decimal(units, scale))

test('rounding never crosses the price, and lands on the nearest one', () => {
  fc.assert(
    fc.property(anyGrid, anyPrice, (grid, price) => {
      const below = roundPrice(grid, price, 'floor')
      const above = roundPrice(grid, price, 'ceil')
      expect(below.lte(price) && above.gte(price)).toBe(true)
      expect(below.isZero() || isOnPriceGrid(grid, below)).toBe(true)
      expect(isOnPriceGrid(grid, above)).toBe(true)
      expect(below.eq(above)).toBe(isOnPriceGrid(grid, price))
      // Nothing on the grid lies between the two: they are at most one step apart.
      expect(above.minus(below).lte(priceStep(grid, price))).toBe(true)
    }),
    { numRuns: 5_000 },
  )
})

test('rounding toward a price goes to its side, and away from it to the other', () => {
  fc.assert(
    fc.property(anyGrid, anyPrice, anyPrice, (grid, price, target) => {
      const toward = roundPriceToward(grid, price, target)
      const away = roundPriceAway(grid, price, target)
      if (target.gt(price)) expect(toward.gte(price) && away.lte(price)).toBe(true)
      if (target.lt(price)) expect(toward.lte(price) && away.gte(price)).toBe(true)
      if (isOnPriceGrid(grid, price)) expect(toward.eq(price) && away.eq(price)).toBe(true)
    }),
    { numRuns: 2_000 },
  )
})

test('a price is on the grid exactly when five figures and the decimals hold it', () => {
  fc.assert(
    fc.property(anyGrid, anyPrice, (grid, price) => {
      const [whole = '', fraction = ''] = price.toString().split('.')
      const figures = `${whole}${fraction}`.replace(/^0+/, '').length
      const most = (grid.kind === 'spot' ? 8 : 6) - grid.sizeDecimals
      const isOn = fraction === '' || (figures <= 5 && fraction.length <= most)
      expect(isOnPriceGrid(grid, price)).toBe(isOn)
    }),
    { numRuns: 5_000 },
  )
})

test('a size rounds down to the lot, never up', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 8 }), anyPrice, (sizeDecimals, size) => {
      const rounded = roundSizeDown({ sizeDecimals }, size)
      expect(rounded.lte(size) && size.minus(rounded).lt(lotStep({ sizeDecimals }))).toBe(true)
      expect(isOnLot({ sizeDecimals }, rounded)).toBe(true)
      expect(roundSizeDown({ sizeDecimals }, size.negated()).eq(rounded.negated())).toBe(true)
    }),
  )
})

test('zero and less are no prices', () => {
  expect(isOnPriceGrid({ sizeDecimals: 0 }, Decimal.zero)).toBe(false)
  expect(isOnPriceGrid({ sizeDecimals: 0 }, Decimal.of('-1'))).toBe(false)
})
