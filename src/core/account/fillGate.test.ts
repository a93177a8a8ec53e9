import { expect, test } from 'vitest'
import type { Fill } from '../protocol/venueState.ts'
import { fill } from './account.fixture.ts'
import { FillGate } from './fillGate.ts'
import type { CountedFills, FillNews } from './fillGate.ts'

/** A fill by its name and the venue's time: `7:1@100` is the trade 7 of the order 1 at 100. */
function told(name: string): Fill {
  const [tid = 0, oid = 0, at = 0] = name.split(/[:@]/).map(Number)
  return fill({ coin: 'ETH', isBuy: true, price: '1', size: '1', start: '0', tid, oid, at })
}

interface Row {
  readonly what: string
  readonly earlier: readonly CountedFills[]
  readonly fills: readonly (readonly [string, FillNews])[]
  readonly counted: CountedFills
}

const rows: readonly Row[] = [
  {
    what: 'nothing was told',
    earlier: [],
    fills: [],
    counted: { until: -1, fills: [] },
  },
  {
    what: 'a fill is new once',
    earlier: [],
    fills: [
      ['7:1@100', 'new'],
      ['7:1@100', 'seen'],
    ],
    counted: { until: 100, fills: ['7:1'] },
  },
  {
    what: 'both sides of one trade are fills of their own, and so are two trades of one order',
    earlier: [],
    fills: [
      ['7:1@100', 'new'],
      ['7:2@100', 'new'],
      ['8:1@100', 'new'],
    ],
    counted: { until: 100, fills: ['7:1', '7:2', '8:1'] },
  },
  {
    what: 'only the names of the latest moment are kept, however late an older one comes',
    earlier: [],
    fills: [
      ['7:1@100', 'new'],
      ['8:1@101', 'new'],
      ['6:1@99', 'new'],
      ['9:1@101', 'new'],
    ],
    counted: { until: 101, fills: ['8:1', '9:1'] },
  },
  {
    what: 'of an earlier run all before its moment is known, of that moment what it names',
    earlier: [{ until: 100, fills: ['7:1'] }],
    fills: [
      ['5:1@99', 'known'],
      ['7:1@100', 'known'],
      ['8:1@100', 'new'],
      ['7:1@100', 'seen'],
    ],
    counted: { until: 100, fills: ['7:1', '8:1'] },
  },
  {
    what: 'what came after an earlier run is new',
    earlier: [{ until: 100, fills: ['7:1'] }],
    fills: [['8:1@101', 'new']],
    counted: { until: 101, fills: ['8:1'] },
  },
  {
    what: 'a record of before the one that was taken up says nothing',
    earlier: [
      { until: 100, fills: ['7:1'] },
      { until: 99, fills: ['6:1'] },
    ],
    fills: [['7:1@100', 'known']],
    counted: { until: 100, fills: ['7:1'] },
  },
  {
    what: 'nor does a second one of the same moment',
    earlier: [
      { until: 100, fills: ['7:1'] },
      { until: 100, fills: [] },
    ],
    fills: [['7:1@100', 'known']],
    counted: { until: 100, fills: ['7:1'] },
  },
  {
    what: 'a later record is taken up in place of an earlier one',
    earlier: [
      { until: 99, fills: ['6:1'] },
      { until: 100, fills: ['7:1'] },
    ],
    fills: [
      ['6:1@99', 'known'],
      ['8:1@100', 'new'],
    ],
    counted: { until: 100, fills: ['7:1', '8:1'] },
  },
]

test.each(rows)('$what', ({ earlier, fills, counted }) => {
  const gate = new FillGate()
  for (const record of earlier) gate.restore(record)
  expect(fills.map(([name]) => [name, gate.take(told(name))])).toEqual(fills)
  expect(gate.record()).toEqual(counted)
})

test.each<[number, FillNews]>([
  [8_191, 'seen'],
  [8_192, 'new'],
])('after %i others a fill is %s', (others, news) => {
  const gate = new FillGate()
  gate.take(told('1:1@100'))
  for (let tid = 2; tid < 2 + others; tid += 1) gate.take(told(`${tid}:1@101`))
  expect(gate.take(told('1:1@100'))).toBe(news)
})
