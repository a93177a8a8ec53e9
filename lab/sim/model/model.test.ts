import { describe, expect, test } from 'vitest'
import { anyReadings, driveSeed } from './drive.ts'
import { Exact } from './exact.ts'
import { isOnGrid, nextPrice, touchOf } from './grid.ts'
import { readings } from './readings.ts'

/** A few seconds of what `npm run model` does for longer. */
const seeds = Array.from({ length: 12 }, (_, index) => index + 1)

describe('the engine and a model that shares nothing with it say the same', () => {
  test.each(seeds)('after each of 120 random steps of seed %i', (seed) => {
    expect(driveSeed(seed, 120).found).toBeNull()
  })
})

test('the seeds of this test follow every reading of every option', () => {
  const used = seeds.map(anyReadings)
  for (const [name, values] of Object.entries(readings)) {
    for (const value of values) {
      const isUsed = used.some((options) =>
        Object.entries(options).some(([key, each]) => key === name && each === value),
      )
      expect(isUsed, `${name} ${String(value)}`).toBe(true)
    }
  }
})

test.each([
  ['1', '3', '0.333333', '0.333333'],
  ['2', '3', '0.666666', '0.666667'],
  ['-2', '3', '-0.666666', '-0.666667'],
  ['1', '2000000', '0', '0'],
  ['3', '2000000', '0.000001', '0.000002'],
])('%s / %s with six decimals: %s cut, %s nearest', (top, bottom, cut, nearest) => {
  const exact = Exact.of(top).over(Exact.of(bottom))
  expect(exact.cut(6).toString()).toBe(cut)
  expect(exact.nearest(6).toString()).toBe(nearest)
})

test.each([
  ['1234.5', 1, true],
  ['1234.56', 1, false],
  ['123456', 5, true],
  ['12345.6', 5, false],
  ['0.001234', 0, true],
  ['0.0012345', 0, false],
  ['0.01234', 1, true],
  ['0.012345', 1, false],
])('the reference on the price %s with %i size decimals: %s', (price, sizeDecimals, expected) => {
  expect(isOnGrid(Exact.of(price), sizeDecimals, true)).toBe(expected)
})

test('neighbours on the grid, and the best prices around a mid', () => {
  expect(nextPrice(Exact.of('9999.9'), 4, 1)?.toString()).toBe('10000')
  expect(nextPrice(Exact.of('10000'), 4, -1)?.toString()).toBe('9999.9')
  expect(nextPrice(Exact.of('0.000001'), 0, -1)).toBeNull()
  expect(String(touchOf(Exact.of('2000.05'), 4)?.bid)).toBe('2000')
  expect(touchOf(Exact.of('2000.03'), 4)).toBeNull()
})
