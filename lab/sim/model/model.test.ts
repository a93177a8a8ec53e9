import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { optionTable } from '../optionBoard.ts'
import { besides } from './besides.ts'
import { anyReadings, driveSeed } from './drive.ts'
import { Exact } from './exact.ts'
import { isOnGrid, nextPrice, touchOf } from './grid.ts'
import { partingStep, ways } from './reached.ts'
import { readings } from './readings.ts'
import type { OrderOption } from './readings.ts'
import { spotReadings } from './spotDrive.ts'

/** A few seconds of what `npm run model` does for longer. */
const seeds = Array.from({ length: 12 }, (_, index) => index + 1)

describe('the engine and a model that shares nothing with it say the same', () => {
  test.each(seeds)('after each of 120 random steps of seed %i', (seed) => {
    expect(driveSeed(seed, 120).found).toBeNull()
  })
})

const others = Object.entries(ways).flatMap(([name, each]) =>
  each.map((way, index) => ({ name: name as OrderOption, reading: index + 1, way })),
)

test.each(others)('reading $reading of $name decides what happens', ({ name, reading, way }) => {
  expect(partingStep(name, reading, way)).not.toBeNull()
})

test('every reading has a way to it, and every option is drawn or named with a reason', () => {
  for (const name of Object.keys(ways) as OrderOption[]) {
    expect(ways[name], name).toHaveLength(readings[name].length - 1)
    const drawn = Array.from({ length: 60 }, (_, seed) => anyReadings(seed)[name])
    for (const value of readings[name]) expect(drawn, name).toContain(value)
  }
  const known = { ...readings, ...spotReadings, ...besides }
  expect(Object.keys(known).sort()).toEqual(Object.keys(optionTable).sort())
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

/** What runs the engine, or names its options; everything else is the model. */
const drivers = ['drive.ts', 'spotDrive.ts', 'reached.ts', 'model.test.ts']

test('the model runs nothing of the engine', () => {
  const folder = import.meta.dirname
  for (const name of readdirSync(folder).filter((each) => !drivers.includes(each))) {
    const lines = readFileSync(join(folder, name), 'utf8').split('\n')
    const taken = lines.filter((line) => line.includes("from '../engine/"))
    expect(
      taken.every((line) => line.startsWith('import type ')),
      name,
    ).toBe(true)
  }
})
