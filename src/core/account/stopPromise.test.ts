import { describe, expect, test } from 'vitest'
import { Decimal } from '../values/decimal.ts'
import { stopOrder } from './account.fixture.ts'
import { stopOf } from './orderLife.ts'
import { brokenAt, loosens, weakenedAt } from './stopPromise.ts'
import type { StopPromise } from './stopPromise.ts'
import { StopRow } from './stopRow.ts'

/** Stops or promises by their triggers: what is stopped out at each. */
type Sizes = { readonly [trigger: string]: string }

function row(isLong: boolean, stops: Sizes): StopRow {
  return Object.entries(stops).reduce((all, [trigger, size], oid) => {
    const stop = stopOf(stopOrder({ coin: 'ETH', oid, size, trigger, isBuy: !isLong }))
    if (stop === null) throw new Error('no stop')
    return all.with(stop)
  }, new StopRow(isLong))
}

/** Tightest first, as they are listed here; `rest` is what nothing was promised for. */
function promise(stops: readonly (readonly [string, string])[], rest: string): StopPromise {
  const all = stops.map(([trigger, size]) => {
    return { trigger: Decimal.of(trigger), size: Decimal.of(size) }
  })
  return { stops: all, rest: Decimal.of(rest) }
}

function position(size: string) {
  return { size: Decimal.of(size), price: Decimal.of('100'), liquidation: null }
}

describe('where less is covered than was promised', () => {
  const two = promise(
    [
      ['95', '1'],
      ['90', '2'],
    ],
    '0',
  )
  const short = promise(
    [
      ['105', '1'],
      ['110', '2'],
    ],
    '0',
  )
  const rows: {
    what: string
    isLong: boolean
    stops: Sizes
    size: string
    promised: StopPromise
    at: string | null
  }[] = [
    {
      what: 'nothing promised',
      ...{ isLong: true, stops: {}, size: '3', promised: promise([], '3'), at: null },
    },
    { what: 'no stop', isLong: true, stops: {}, size: '3', promised: two, at: '95' },
    {
      what: 'each as promised',
      ...{ isLong: true, stops: { 95: '1', 90: '2' }, size: '3', promised: two, at: null },
    },
    {
      what: 'tighter than promised',
      ...{ isLong: true, stops: { 96: '3' }, size: '3', promised: two, at: null },
    },
    {
      what: 'the tighter one is too loose',
      ...{ isLong: true, stops: { '94.9': '3' }, size: '3', promised: two, at: '95' },
    },
    {
      what: 'the looser one is too small',
      ...{ isLong: true, stops: { 95: '1', 90: '1.9' }, size: '3', promised: two, at: '90' },
    },
    {
      what: 'the looser one is too loose',
      ...{ isLong: true, stops: { 95: '1', '89.9': '2' }, size: '3', promised: two, at: '90' },
    },
    {
      what: 'no more is needed than is held',
      ...{ isLong: true, stops: { 95: '1', 90: '1' }, size: '2', promised: two, at: null },
    },
    {
      what: 'short, each as promised',
      ...{ isLong: false, stops: { 105: '1', 110: '2' }, size: '3', promised: short, at: null },
    },
    {
      what: 'short, the tighter one is too loose',
      ...{ isLong: false, stops: { '105.1': '3' }, size: '3', promised: short, at: '105' },
    },
    {
      what: 'short, the looser one is too small',
      ...{ isLong: false, stops: { 105: '1', 110: '1' }, size: '3', promised: short, at: '110' },
    },
  ]
  test.each(rows)('$what', ({ isLong, stops, size, promised, at }) => {
    const broken = brokenAt(row(isLong, stops).all, position(size), promised)
    expect(broken?.toString() ?? null).toBe(at)
  })
})

describe('where a change covers less', () => {
  const none = promise([], '3')
  const at90 = promise([['90', '2']], '0')
  const at90And1More = promise([['90', '2']], '1')
  const rows: {
    what: string
    before: Sizes
    after: Sizes
    removed: readonly string[]
    promised: StopPromise | null
    at: string | null
  }[] = [
    {
      what: 'nothing goes',
      ...{ before: { 95: '3' }, after: { 95: '3' }, removed: [], promised: null, at: null },
    },
    {
      what: 'a stop goes',
      ...{ before: { 95: '3' }, after: {}, removed: ['95'], promised: null, at: '95' },
    },
    {
      what: 'a tighter one comes for it',
      ...{ before: { 95: '3' }, after: { 96: '3' }, removed: ['95'], promised: null, at: null },
    },
    {
      what: 'a looser one comes for it',
      ...{ before: { 95: '3' }, after: { 94: '3' }, removed: ['95'], promised: null, at: '95' },
    },
    {
      what: 'one as tight that is too small comes for it',
      ...{ before: { 95: '3' }, after: { 95: '2.9' }, removed: ['95'], promised: null, at: '95' },
    },
    {
      what: 'only the second of two is missed',
      before: { 95: '1', 90: '2' },
      after: { 96: '1' },
      ...{ removed: ['95', '90'], promised: null, at: '90' },
    },
    {
      what: 'a looser one comes for it, and a looser one was promised',
      ...{ before: { 95: '2' }, after: { 90: '2' }, removed: ['95'], promised: at90, at: null },
    },
    {
      what: 'one looser than promised comes for it',
      ...{ before: { 95: '2' }, after: { 89: '2' }, removed: ['95'], promised: at90, at: '90' },
    },
    {
      what: 'one smaller than promised comes for it',
      ...{ before: { 95: '2' }, after: { 90: '1.9' }, removed: ['95'], promised: at90, at: '90' },
    },
    {
      what: 'less was covered than promised before, and no less is now',
      ...{ before: { 95: '1' }, after: { 90: '1' }, removed: ['95'], promised: at90, at: null },
    },
    {
      what: 'less was covered than promised before, and less still is now',
      ...{ before: { 95: '1' }, after: { 89: '1' }, removed: ['95'], promised: at90, at: '90' },
    },
    {
      what: 'without a promise the cover of now counts as one',
      ...{ before: { 95: '3' }, after: { 94: '3' }, removed: ['95'], promised: none, at: '95' },
    },
    {
      what: 'and so it does for the part without one',
      before: { 95: '3' },
      after: { 90: '3' },
      ...{ removed: ['95'], promised: at90And1More, at: '95' },
    },
    {
      what: 'of which enough may stay',
      before: { 95: '3' },
      after: { 95: '1', 90: '2' },
      ...{ removed: ['95'], promised: at90And1More, at: null },
    },
    {
      what: 'but not less',
      before: { 95: '3' },
      after: { 95: '0.9', 90: '2.1' },
      ...{ removed: ['95'], promised: at90And1More, at: '95' },
    },
  ]
  test.each(rows)('$what', ({ before, after, removed, promised, at }) => {
    const change = {
      ...{ before: row(true, before).all, after: row(true, after).all, position: position('3') },
      removed: removed.map((trigger) => ({ trigger: Decimal.of(trigger) })),
    }
    expect(weakenedAt(change, promised)?.toString() ?? null).toBe(at)
  })
})

describe('whether stops that come for others are looser', () => {
  type Placed = readonly (readonly [size: string, trigger: string])[]
  const rows: { what: string; removed: Placed; added: Placed; is: boolean }[] = [
    { what: 'nothing goes', removed: [], added: [['1', '90']], is: false },
    { what: 'nothing comes', removed: [['1', '90']], added: [], is: true },
    { what: 'the same', removed: [['1', '90']], added: [['1', '90']], is: false },
    { what: 'tighter', removed: [['1', '90']], added: [['1', '91']], is: false },
    { what: 'looser', removed: [['1', '90']], added: [['1', '89']], is: true },
    { what: 'smaller', removed: [['1', '90']], added: [['0.9', '91']], is: true },
    {
      what: 'in two parts',
      removed: [['1', '90']],
      added: [
        ['0.4', '91'],
        ['0.6', '90'],
      ],
      is: false,
    },
    {
      what: 'exchanged',
      removed: [
        ['1', '90'],
        ['2', '80'],
      ],
      added: [
        ['2', '90'],
        ['1', '80'],
      ],
      is: false,
    },
    {
      what: 'less at the tighter of two',
      removed: [
        ['2', '90'],
        ['1', '80'],
      ],
      added: [
        ['1', '90'],
        ['2', '80'],
      ],
      is: true,
    },
    { what: 'whatever is held comes', removed: [['1', '90']], added: [['0', '90']], is: false },
    { what: 'whatever is held goes', removed: [['0', '90']], added: [['9', '90']], is: true },
    { what: 'it is replaced', removed: [['0', '90']], added: [['0', '91']], is: false },
    { what: 'by a looser one', removed: [['0', '90']], added: [['0', '89']], is: true },
  ]
  test.each([true, false].flatMap((isLong) => rows.map((each) => ({ isLong, ...each }))))(
    '$what: $is, of a long: $isLong',
    ({ isLong, removed, added, is }) => {
      const stops = (placed: Placed) =>
        placed.flatMap(([size, at], oid) => {
          const trigger = isLong ? at : `${200 - Number(at)}`
          const spec = { coin: 'ETH', oid, size, trigger, isBuy: !isLong }
          return stopOf(stopOrder({ ...spec, isPositionTpsl: size === '0' })) ?? []
        })
      const exchange = { removed: stops(removed), added: stops(added) }
      expect(loosens(new StopRow(isLong).all, exchange)).toBe(is)
    },
  )
})
