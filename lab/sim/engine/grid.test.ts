import { expect, test } from 'vitest'
import fc from 'fast-check'
import { Decimal } from '../../../src/core/values/decimal.ts'
import { gridUnits, ladder, priceScale, touchAround } from './grid.ts'

const d = Decimal.of

test.each([
  ['12345.6', 5, false],
  ['12345', 5, true],
  ['123456', 5, true],
  ['1234567', 0, true],
  ['0.001234', 0, true],
  ['0.0012345', 0, false],
  ['0.12345', 0, true],
  ['0.123456', 0, false],
  ['123.4', 5, true],
  ['123.45', 5, false],
  ['2486.3', 4, true],
  ['2486.35', 4, false],
  ['1.10', 0, true],
  ['0', 0, false],
])('%s with %i size decimals is a price: %s', (price, sizeDecimals, expected) => {
  expect(gridUnits(d(price), sizeDecimals, 'allow') !== null).toBe(expected)
})

test('long whole prices can be refused', () => {
  expect(gridUnits(d('123456'), 5, 'refuse')).toBeNull()
  expect(gridUnits(d('123450'), 5, 'refuse')).not.toBeNull()
})

test.each([
  ['2000', 4, '1999.9', '2000.1'],
  ['2486.35', 4, '2486.3', '2486.4'],
  ['84213.5', 5, '84213', '84214'],
  ['10000', 4, '9999.9', '10001'],
  ['0.0098215', 0, '0.009821', '0.009822'],
  ['100000', 5, '99999', '100001'],
])('around %s (%i size decimals) the best prices are %s and %s', (mid, decimals, bid, ask) => {
  const touch = touchAround(d(mid), decimals)
  const scale = priceScale(decimals)
  expect(new Decimal(touch?.bid ?? 0n, scale).toString()).toBe(bid)
  expect(new Decimal(touch?.ask ?? 0n, scale).toString()).toBe(ask)
})

test.each([
  ['2486.33', 4],
  ['84213.25', 5],
  ['0', 4],
  ['-5', 4],
])('%s is no mid (%i size decimals)', (mid, decimals) => {
  expect(touchAround(d(mid), decimals)).toBeNull()
})

function range(from: bigint, to: bigint): bigint[] {
  return Array.from({ length: Math.max(0, Number(to - from)) }, (_, index) => from + BigInt(index))
}

test('a ladder has every grid price and nothing else', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 5, max: 99_999 }),
      fc.integer({ min: 0, max: 5 }),
      (n, decimals) => {
        const scale = priceScale(decimals)
        const start = BigInt(n) * 10n
        const on = (units: bigint) =>
          gridUnits(new Decimal(units, scale), decimals, 'allow') !== null
        const first = on(start) ? start : BigInt(n)
        const up = ladder(first, scale, 'up', 30)
        const between = up.flatMap((units, index) => {
          const next = up[index + 1] ?? units
          return next - units > 50n ? [] : range(units + 1n, next)
        })
        expect(up.filter((units) => !on(units))).toEqual([])
        expect(between.filter(on)).toEqual([])
        const top = up.at(-1) ?? first
        expect(ladder(top, scale, 'down', 30).reverse()).toEqual(up)
      },
    ),
    { numRuns: 60 },
  )
})
