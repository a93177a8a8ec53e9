import { describe, expect, test } from 'vitest'
import { accountWith, restingEntry, stopOrder } from '../account/account.fixture.ts'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { guardId } from './mint.fixture.ts'
import { plan } from './planProtect.fixture.ts'

const own = (oid: number, size: string, trigger: string) =>
  stopOrder({ coin: 'ETH', oid, size, trigger, cloid: guardId('stop', oid) })

test.each([
  ['the looser of two, whichever is older', [own(1, '1', '2450'), own(2, '1', '2400')], [2]],
  ['the looser of two, whichever is newer', [own(1, '1', '2400'), own(2, '1', '2450')], [1]],
  ['the smaller, though it is tighter', [own(1, '0.5', '2450'), own(2, '1', '2400')], [1]],
  ['none that is needed', [own(1, '0.5', '2450'), own(2, '0.5', '2400')], []],
])('of Guard’s own stops over one position goes %s', (_, orders, removed) => {
  const { steps } = plan(accountWith({ positions: { ETH: { size: '1' } }, orders }))
  expect(steps.map((step) => ('oids' in step ? step.oids : []))).toEqual(
    removed.length === 0 ? [] : [removed],
  )
  for (const { why } of steps) expect(why).toBe('covered without it')
})

test('beside small tight ones that are all needed the loosest large one goes', () => {
  const small = [11, 12, 13, 14].map((oid) => own(oid, '0.1', '2450'))
  const large = [21, 22].map((oid) => own(oid, '0.6', '2440'))
  const account = accountWith({ positions: { ETH: { size: '1' } }, orders: [...small, ...large] })
  const stops = [
    { trigger: Decimal.of('2450'), size: Decimal.of('0.4') },
    { trigger: Decimal.of('2440'), size: Decimal.of('0.6') },
  ].map((stop) => ({ ...stop, isGuards: false, isKept: false }))
  const promises = new Map([[coin('ETH'), { stops, rest: Decimal.zero }]])
  const { steps } = plan(account, { promises })
  expect(steps.flatMap((step) => ('oids' in step ? step.oids : []))).toEqual([22])
})

test('one that covers all does not stay alone where a tighter one was promised for a part', () => {
  const orders = [own(1, '0.4', '2450'), own(2, '1', '2440')]
  const account = accountWith({ positions: { ETH: { size: '1' } }, orders })
  const stops = [
    { trigger: Decimal.of('2450'), size: Decimal.of('0.4') },
    { trigger: Decimal.of('2440'), size: Decimal.of('0.6') },
  ].map((stop) => ({ ...stop, isGuards: false, isKept: false }))
  const promises = new Map([[coin('ETH'), { stops, rest: Decimal.zero }]])
  expect(plan(account, { promises }).steps).toEqual([])
})

const bots = (coinName: string, oid: number, trigger: string) =>
  stopOrder({ coin: coinName, oid, size: '1', trigger })
const guards = (coinName: string, oid: number, trigger: string) =>
  stopOrder({ coin: coinName, oid, size: '1', trigger, cloid: guardId('stop', oid) })

test.each([
  ['as long as what it raises fits', '2450', '50', [1]],
  ['not where that is more than is left', '2450', '49.99', []],
  ['not where too much is at risk already', '2450', '-1', []],
  ['where it raises nothing, however much is at risk', '2400', '-1', [1]],
])(
  'a stop of Guard’s own beside a looser one of the bot’s goes %s',
  (_, trigger, left, removed) => {
    const orders = [guards('ETH', 1, trigger), bots('ETH', 2, '2400')]
    for (const mids of [{ ETH: '2500' }, {}]) {
      const account = accountWith({ positions: { ETH: { size: '1' } }, orders, mids })
      const { steps } = plan(account, { riskLeft: () => Decimal.of(left) })
      expect(steps.flatMap((step) => ('oids' in step ? step.oids : []))).toEqual(removed)
    }
  },
)

test('what a stop raises is asked of what is left for its own coin', () => {
  const orders = [guards('ETH', 1, '2450'), bots('ETH', 2, '2400')]
  const account = accountWith({ positions: { ETH: { size: '1' } }, orders, mids: { ETH: '2500' } })
  const asked: string[] = []
  const riskLeft = (name: string): Decimal => {
    asked.push(name)
    return Decimal.zero
  }
  expect(plan(account, { riskLeft }).steps).toEqual([])
  expect([...new Set(asked)]).toEqual(['ETH'])
})

test.each([
  ['as long as what is counted then fits', '50', [1]],
  ['not where that is more than is left', '49.99', []],
])('a stop of Guard’s own that an entry may take goes %s', (_, left, removed) => {
  // The entry may take the bot’s at 2460: then Guard’s at 2450 holds the position, or the one at 2400.
  const account = accountWith({
    positions: { ETH: { size: '1' } },
    mids: { ETH: '2500' },
    orders: [
      ...[guards('ETH', 1, '2450'), bots('ETH', 2, '2400'), bots('ETH', 3, '2460')],
      ...restingEntry({ coin: 'ETH', oid: 7, isBuy: true, price: '2400', size: '1', stop: '2380' }),
    ],
  })
  const { steps } = plan(account, { riskLeft: () => Decimal.of(left) })
  expect(steps.flatMap((step) => ('oids' in step ? step.oids : []))).toEqual(removed)
})

test.each([
  ['2500', [1]],
  ['2460', []],
  ['2459', []],
])('none goes while the price has passed another: at %s', (mid, removed) => {
  const account = accountWith({
    positions: { ETH: { size: '1' } },
    mids: { ETH: mid },
    orders: [guards('ETH', 1, '2400'), bots('ETH', 2, '2460')],
  })
  const { steps } = plan(account)
  expect(steps.flatMap((step) => ('oids' in step ? step.oids : []))).toEqual(removed)
})

test('what is left of the open risk is left once, for all positions together', () => {
  const account = accountWith({
    positions: { ETH: { size: '1' }, SOL: { size: '1' } },
    mids: { ETH: '2500', SOL: '150' },
    orders: [
      ...[guards('ETH', 1, '2450'), bots('ETH', 2, '2400')],
      ...[guards('SOL', 3, '148'), bots('SOL', 4, '147')],
    ],
  })
  const removedWith = (left: string) =>
    plan(account, { riskLeft: () => Decimal.of(left) }).steps.map(({ coin }) => coin)
  expect(removedWith('51')).toEqual(['ETH', 'SOL'])
  expect(removedWith('50.99')).toEqual(['ETH'])
  expect(removedWith('49')).toEqual(['SOL'])
})

describe('of many of Guard’s own a few go at once, the loosest first', () => {
  const many = Array.from({ length: 25 }, (_, nth) => guards('ETH', nth + 1, `${2_450 - nth}`))
  const loosestTen = [16, 17, 18, 19, 20, 21, 22, 23, 24, 25]
  const removedFrom = (spec: Parameters<typeof accountWith>[0]): readonly number[] =>
    plan(accountWith(spec)).steps.flatMap((step) => ('oids' in step ? step.oids : []))

  test('where the bot’s covers it all', () => {
    const orders = [...many, bots('ETH', 99, '2400')]
    expect(removedFrom({ positions: { ETH: { size: '1' } }, orders })).toEqual(loosestTen)
  })

  test('where the position is gone', () => {
    expect(removedFrom({ orders: many })).toEqual(loosestTen)
  })

  test('and none where one alone covers it, beside smaller ones of the bot’s', () => {
    const orders = [
      own(1, '1', '2450'),
      stopOrder({ coin: 'ETH', oid: 2, size: '0.5', trigger: '2400' }),
    ]
    expect(removedFrom({ positions: { ETH: { size: '1' } }, orders })).toEqual([])
  })

  test('where so many of them alone cover it', () => {
    expect(removedFrom({ positions: { ETH: { size: '2' } }, orders: many })).toEqual(loosestTen)
  })

  test('where only those from the liquidation on cover nothing', () => {
    const position = { size: '22', liquidation: '2428' }
    expect(removedFrom({ positions: { ETH: position }, orders: many })).toEqual([23, 24, 25])
  })

  test('none of which the promise needs, which is broken already', () => {
    const account = accountWith({ positions: { ETH: { size: '2' } }, orders: many })
    const promise = { stops: [{ trigger: Decimal.of('2460'), size: Decimal.of('2') }] }
    const promises = new Map([[coin('ETH'), { ...promise, rest: Decimal.zero }]])
    const { steps } = plan(account, { promises })
    expect(steps.map(({ kind }) => kind)).toEqual(['stop'])
  })

  test('one by one where every one of them still holds something: the smallest', () => {
    const orders = [own(1, '0.5', '2450'), own(2, '0.6', '2440'), own(3, '0.3', '2430')]
    const account = accountWith({
      positions: { ETH: { size: '1' } },
      orders,
      mids: { ETH: '2500' },
    })
    const stepsWith = (left: string) =>
      plan(account, { riskLeft: () => Decimal.of(left) }).steps.map((step) =>
        'oids' in step ? step.oids : [],
      )
    expect(stepsWith('100')).toEqual([[3]])
    const few = [own(1, '0.3', '2450'), own(2, '0.6', '2440'), bots('ETH', 3, '2430')]
    const beside = accountWith({
      positions: { ETH: { size: '1.2' } },
      orders: few,
      mids: { ETH: '2500' },
    })
    // Without the first 0.3 more are lost at 2430; without the second 0.6 would be bare in part.
    const with20 = (left: string) =>
      plan(beside, { riskLeft: () => Decimal.of(left) }).steps.map((step) =>
        'oids' in step ? step.oids : [],
      )
    expect(with20('6')).toEqual([[1]])
    expect(with20('5.99')).toEqual([])
  })
})
