import { describe, expect, test } from 'vitest'
import type { Fill } from '../protocol/venueState.ts'
import { Decimal } from '../values/decimal.ts'
import { fill, fixtureNow } from './account.fixture.ts'
import { afterFill, chained, inTime } from './fillChain.ts'

/** A fill that makes `end` of `start`, so many milliseconds after the snapshot. */
function made(tid: number, ms: number, start: string, end: string, price = '100'): Fill {
  const change = Decimal.of(end).minus(Decimal.of(start))
  const told = { coin: 'ETH', isBuy: change.isPositive(), price, size: change.abs().toString() }
  return fill({ ...told, start, oid: 1, tid, at: fixtureNow + ms })
}
const tids = (fills: readonly Fill[]): readonly number[] => fills.map(({ tid }) => tid)

describe('the fills after a snapshot', () => {
  const rows: { what: string; size: string; fills: readonly Fill[]; is: readonly number[] }[] = [
    { what: 'none', size: '0', fills: [], is: [] },
    {
      what: 'one of before it is in it',
      size: '1',
      fills: [made(1, -1, '0', '1'), made(2, 1, '1', '2')],
      is: [2],
    },
    {
      what: 'as they happened, not as they came',
      size: '0',
      fills: [made(2, 2, '1', '2'), made(1, 1, '0', '1')],
      is: [1, 2],
    },
    {
      what: 'later ones count though one between was not told',
      size: '0',
      fills: [made(2, 1, '1', '2')],
      is: [2],
    },
    {
      what: 'of its own moment: all that begin where it stands',
      size: '1',
      fills: [made(1, 0, '1', '2'), made(2, 0, '2', '3')],
      is: [1, 2],
    },
    {
      what: 'of its own moment: none of those that led to it',
      size: '2',
      fills: [made(1, 0, '0', '1'), made(2, 0, '1', '2')],
      is: [],
    },
    {
      what: 'of its own moment: those after the one that led to it',
      size: '1',
      fills: [made(1, 0, '0', '1'), made(2, 0, '1', '2'), made(3, 0, '2', '3')],
      is: [2, 3],
    },
    {
      what: 'of its own moment: after the last time that the position was that large',
      size: '1',
      fills: [made(1, 0, '0', '1'), made(2, 0, '1', '2'), made(3, 0, '2', '1')],
      is: [],
    },
    {
      what: 'of its own moment: none where the position never was that large',
      size: '5',
      fills: [made(1, 0, '0', '1'), made(2, 0, '1', '2')],
      is: [],
    },
    {
      what: 'of its own moment, out of order: those that continue from it',
      size: '1',
      fills: [made(3, 0, '2', '3'), made(2, 0, '1', '2'), made(1, 0, '0', '1')],
      is: [2, 3],
    },
    {
      what: 'of its own moment, out of order: none that does not',
      size: '5',
      fills: [made(3, 0, '2', '3'), made(1, 0, '0', '1')],
      is: [],
    },
    {
      what: 'of a later moment, out of order: each after the one that leads to it',
      size: '0',
      fills: [made(3, 1, '2', '3'), made(1, 1, '0', '1'), made(2, 1, '1', '2')],
      is: [1, 2, 3],
    },
    {
      what: 'of a later moment, out of order, from elsewhere: from the one that none leads to',
      size: '9',
      fills: [made(1, 1, '2', '3'), made(3, 1, '1', '2'), made(2, 1, '0', '1')],
      is: [2, 3, 1],
    },
    {
      what: 'of a later moment, with a gap: one chain and then the other',
      size: '0',
      fills: [made(2, 1, '5', '6'), made(1, 1, '0', '1')],
      is: [1, 2],
    },
    {
      what: 'round in a circle: from the lowest trade number',
      size: '9',
      fills: [
        made(4, 1, '2', '1'),
        made(3, 1, '1', '2'),
        made(5, 1, '1', '2'),
        made(6, 1, '2', '1'),
      ],
      is: [3, 4, 5, 6],
    },
    {
      what: 'of its own moment, out of order: from the first trade number on',
      size: '1',
      fills: [made(3, 0, '2', '3'), made(2, 0, '1', '2')],
      is: [2, 3],
    },
    {
      what: 'there and back, and neither goes on from what was held: as they came',
      size: '9',
      fills: [made(4, 1, '2', '1'), made(3, 1, '1', '2')],
      is: [4, 3],
    },
    {
      what: 'there and back and there, from what was held: as they came',
      size: '1',
      fills: [made(9, 1, '1', '2'), made(8, 1, '2', '1'), made(7, 1, '1', '2')],
      is: [9, 8, 7],
    },
    {
      what: 'the one that goes on from what was held is first, though another leads to it',
      size: '1',
      fills: [made(1, 1, '1', '2'), made(2, 1, '0', '1')],
      is: [1, 2],
    },
    {
      what: 'the next moment goes on from where the one before ended',
      size: '0',
      fills: [
        made(1, 1, '0', '1'),
        // There and back, told the later one first: a chain in either order.
        made(3, 2, '2', '1'),
        made(2, 2, '1', '2'),
      ],
      is: [1, 2, 3],
    },
  ]
  test.each(rows)('$what', ({ size, fills, is }) => {
    expect(tids(chained(Decimal.of(size), fixtureNow, fills))).toEqual(is)
  })
})

describe('the position after a fill', () => {
  const rows: {
    what: string
    held: readonly [size: string, price: string]
    next: Fill
    is: readonly [size: string, price: string]
  }[] = [
    { what: 'opened', held: ['0', '0'], next: made(1, 1, '0', '2'), is: ['2', '100'] },
    { what: 'opened short', held: ['0', '0'], next: made(1, 1, '0', '-2'), is: ['-2', '100'] },
    { what: 'grown', held: ['1', '70'], next: made(1, 1, '1', '3'), is: ['3', '90'] },
    {
      what: 'grown, and its price is no short number: to twelve decimals',
      ...{ held: ['1', '99'], next: made(1, 1, '1', '3'), is: ['3', '99.666666666667'] },
    },
    { what: 'grown short', held: ['-1', '70'], next: made(1, 1, '-1', '-3'), is: ['-3', '90'] },
    { what: 'smaller', held: ['3', '70'], next: made(1, 1, '3', '1'), is: ['1', '70'] },
    { what: 'smaller short', held: ['-3', '70'], next: made(1, 1, '-3', '-1'), is: ['-1', '70'] },
    { what: 'closed', held: ['3', '70'], next: made(1, 1, '3', '0'), is: ['0', '70'] },
    { what: 'closed short', held: ['-3', '70'], next: made(1, 1, '-3', '0'), is: ['0', '70'] },
    { what: 'turned short', held: ['3', '70'], next: made(1, 1, '3', '-1'), is: ['-1', '100'] },
    { what: 'turned long', held: ['-1', '70'], next: made(1, 1, '-1', '3'), is: ['3', '100'] },
    {
      what: 'from another size than was held: its own price is all that is known',
      ...{ held: ['1', '70'], next: made(1, 1, '2', '3'), is: ['3', '100'] },
    },
    {
      what: 'smaller, from another size than was held',
      ...{ held: ['1', '70'], next: made(1, 1, '3', '2'), is: ['2', '100'] },
    },
  ]
  test.each(rows)('$what', ({ held: [size, price], next, is }) => {
    const before = { size: Decimal.of(size), entryPrice: Decimal.of(price) }
    const after = afterFill(before, next)
    expect([after.size.toString(), after.entryPrice.toString()]).toEqual(is)
  })
})

test('fills are put in the order they happened; those of one moment stay as they came', () => {
  const [first, second, third] = [made(1, 1, '0', '1'), made(2, 1, '1', '2'), made(3, 2, '2', '3')]
  expect(inTime([])).toEqual([])
  expect(inTime([third])).toEqual([third])
  expect(tids(inTime([third, first, second]))).toEqual([1, 2, 3])
  expect(tids(inTime([third, second, first]))).toEqual([2, 1, 3])
})
