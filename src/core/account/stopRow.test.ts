import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Decimal } from '../values/decimal.ts'
import { accountWith, botCloid, fixtureNow, openOrder, stopOrder } from './account.fixture.ts'
import type { StopSpec } from './account.fixture.ts'
import type { Stop } from './stop.ts'
import { stopOf } from './orderLife.ts'
import { nothingLent } from './coveringStops.ts'
import { StopRow } from './stopRow.ts'
import { guardCloidPrefix } from '../protocol/guardCloid.ts'
import { coin } from '../values/coin.ts'
import { millis } from '../values/millis.ts'

const dec = (text: string): Decimal => Decimal.of(text)

describe('what is a stop', () => {
  const sell = { coin: 'ETH', oid: 1, size: '1', trigger: '100' }
  const buy = { ...sell, isBuy: true }
  const cases: { why: string; spec: StopSpec; counts: boolean }[] = [
    { why: '10% of room below', spec: sell, counts: true },
    { why: 'exactly 5% of room below', spec: { ...sell, price: '95' }, counts: true },
    { why: 'less than 5% below', spec: { ...sell, price: '95.01' }, counts: false },
    { why: 'exactly 5% of room above', spec: { ...buy, price: '105' }, counts: true },
    { why: 'less than 5% above', spec: { ...buy, price: '104.99' }, counts: false },
    { why: 'a stop-limit with room', spec: { ...sell, isMarket: false }, counts: false },
  ]
  test.each(cases)('$why: $counts', ({ spec, counts }) => {
    expect(stopOf(stopOrder(spec)) !== null).toBe(counts)
  })

  test('a take profit, a plain order and one that may open are none', () => {
    const base = { coin: 'ETH', oid: 1, isBuy: false, price: '80', size: '1' }
    expect(
      stopOf(openOrder({ ...base, isReduceOnly: true, trigger: { price: '100', tpsl: 'tp' } })),
    ).toBeNull()
    expect(stopOf(openOrder({ ...base, isReduceOnly: true }))).toBeNull()
    expect(stopOf(openOrder({ ...base, trigger: { price: '100' } }))).toBeNull()
  })

  test('Guard’s own is known by its id', () => {
    const owner = (cloid: string) => stopOf(stopOrder({ ...sell, cloid }))?.owner
    expect(owner(`${guardCloidPrefix}01${'0'.repeat(22)}`)).toBe('guard')
    expect(owner(`${guardCloidPrefix}02${'0'.repeat(22)}`)).toBe('bot')
    expect(owner(botCloid(1))).toBe('bot')
  })
})

describe('cover of a position', () => {
  const stop = (oid: number, size: string, trigger: string, isBuy = false) =>
    stopOrder({ coin: 'ETH', oid, size, trigger, isBuy })
  const tpsl = (oid: number, trigger: string, size = '0') =>
    stopOrder({ coin: 'ETH', oid, size, trigger, isPositionTpsl: true })
  // The mid is 2486.35; risks are worked by hand.
  const cases = [
    { why: 'none', size: '2', orders: [], uncovered: '2', loosest: null, risk: '0' },
    {
      why: 'one',
      size: '2',
      orders: [stop(1, '2', '2400')],
      uncovered: '0',
      loosest: '2400',
      risk: '172.7',
    },
    {
      why: 'larger',
      size: '2',
      orders: [stop(1, '9', '2400')],
      uncovered: '0',
      loosest: '2400',
      risk: '172.7',
    },
    {
      why: 'partial ones add up, tightest first',
      size: '2',
      orders: [stop(1, '1.5', '2400'), stop(2, '1', '2450')],
      uncovered: '0',
      loosest: '2400',
      risk: '122.7',
    },
    {
      why: 'partial ones that do not reach',
      size: '2',
      orders: [stop(1, '0.5', '2400'), stop(2, '1', '2450')],
      uncovered: '0.5',
      loosest: '2400',
      risk: '79.525',
    },
    {
      why: 'a position TP/SL covers the rest',
      size: '2',
      orders: [stop(1, '0.5', '2450'), tpsl(2, '2400')],
      uncovered: '0',
      loosest: '2400',
      risk: '147.7',
    },
    {
      why: 'a position TP/SL that comes first takes all',
      size: '2',
      orders: [stop(1, '0.5', '2400'), tpsl(2, '2450')],
      uncovered: '0',
      loosest: '2450',
      risk: '72.7',
    },
    {
      why: 'a position TP/SL with a size is a partial one',
      size: '2',
      orders: [tpsl(2, '2450', '0.5')],
      uncovered: '1.5',
      loosest: '2450',
      risk: '18.175',
    },
    {
      why: 'a stop beyond the mid counts as zero',
      size: '2',
      orders: [stop(1, '2', '2500')],
      uncovered: '0',
      loosest: '2500',
      risk: '0',
    },
    {
      why: 'short: the lowest first',
      size: '-2',
      orders: [stop(1, '1.5', '2550', true), stop(2, '1', '2520', true)],
      uncovered: '0',
      loosest: '2550',
      risk: '97.3',
    },
    {
      why: 'the other side’s',
      size: '-2',
      orders: [stop(1, '2', '2400')],
      uncovered: '2',
      loosest: null,
      risk: '0',
    },
  ]
  test.each(cases)('$why', ({ size, orders, uncovered, loosest, risk }) => {
    const account = accountWith({ positions: { ETH: { size } }, orders })
    const cover = account.cover(coin('ETH'))
    expect(cover?.uncovered.toString()).toBe(uncovered)
    expect(cover?.isFull).toBe(uncovered === '0')
    expect(cover?.loosest?.toString() ?? null).toBe(loosest)
    expect(cover?.risk.toString()).toBe(risk)
    expect(account.exposure().openRisk.toString()).toBe(risk)
    expect(account.exposure().uncoveredPositions).toEqual(uncovered === '0' ? [] : ['ETH'])
  })
})

describe('a stop beyond the liquidation price', () => {
  const stops = [
    stopOrder({ coin: 'ETH', oid: 1, size: '1', trigger: '2400' }),
    stopOrder({ coin: 'ETH', oid: 2, size: '1', trigger: '2300' }),
    stopOrder({ coin: 'ETH', oid: 3, size: '0', trigger: '2250', isPositionTpsl: true }),
  ]
  const uncovered = (liquidation: string): string => {
    const account = accountWith({ positions: { ETH: { size: '3', liquidation } }, orders: stops })
    return account.cover(coin('ETH'))?.uncovered.toString() ?? ''
  }
  test.each([
    ['2249', '0'],
    ['2250', '1'],
    ['2299.9', '1'],
    ['2300', '2'],
    ['2400', '3'],
  ])('is never reached: liquidated at %s, %s are uncovered', (liquidation, left) => {
    expect(uncovered(liquidation)).toBe(left)
  })
})

interface AnyStop {
  readonly size: number
  readonly trigger: number
  readonly isPositionTpsl: boolean
  readonly isGuards: boolean
}

const anyStop = fc.record({
  size: fc.integer({ min: 0, max: 30 }),
  trigger: fc.integer({ min: 50, max: 150 }),
  isPositionTpsl: fc.boolean(),
  isGuards: fc.boolean(),
})
const anyRow = fc.record({
  isLong: fc.boolean(),
  size: fc.integer({ min: 1, max: 60 }),
  liquidation: fc.option(fc.integer({ min: 50, max: 150 })),
  stops: fc.array(anyStop, { maxLength: 12 }),
})

function toStop(
  isLong: boolean,
  { size, trigger, isPositionTpsl, isGuards }: AnyStop,
  oid: number,
) {
  return {
    ...{ oid, isBuy: !isLong, cloid: null, placedAt: fixtureNow, isPositionTpsl },
    owner: isGuards ? 'guard' : 'bot',
    size: Decimal.whole(size),
    trigger: Decimal.whole(trigger),
  } satisfies Stop
}

/** Walks the stops one by one, in plain numbers: another way to the same answer. */
function byHand(
  { isLong, size, liquidation }: { isLong: boolean; size: number; liquidation: number | null },
  stops: readonly AnyStop[],
  { until = null, isAlone = false }: { until?: number | null; isAlone?: boolean } = {},
) {
  const side = isLong ? 1 : -1
  const reached = stops
    .map((stop, oid) => ({ ...stop, oid }))
    .filter(({ trigger }) => liquidation === null || side * (trigger - liquidation) > 0)
    .filter(({ trigger }) => until === null || side * (trigger - until) >= 0)
    .sort((a, b) => side * (b.trigger - a.trigger) || a.oid - b.oid)
  const whole = reached.findIndex((stop) => stop.isPositionTpsl && stop.size === 0)
  const sized = whole === -1 ? reached : reached.slice(0, whole)
  const total = sized.reduce((sum, stop) => sum + stop.size, 0)
  // As it is counted, those that the price of 100 has passed save nothing while others are left.
  let spare = isAlone ? 0 : whole === -1 ? Math.max(0, total - size) : total
  let [left, risk, loosest] = [size, 0, null as number | null]
  for (const stop of reached) {
    const isWhole = stop.isPositionTpsl && stop.size === 0
    const isPassed = side * (100 - stop.trigger) <= 0 && !isWhole
    const skipped = isPassed ? Math.min(spare, stop.size) : 0
    spare -= skipped
    const part = Math.min(left, isWhole ? left : stop.size - skipped)
    if (part === 0) continue
    left -= part
    risk += part * Math.max(0, side * (100 - stop.trigger))
    loosest = stop.trigger
  }
  return { uncovered: `${left}`, risk: `${risk}`, loosest: loosest === null ? null : `${loosest}` }
}

test('covers as walking through the stops one by one does, whatever is added and taken away', () => {
  fc.assert(
    fc.property(anyRow, fc.nat(12), fc.integer({ min: 50, max: 150 }), (row, gone, level) => {
      const { isLong, size, liquidation, stops } = row
      const position = {
        size: Decimal.whole(size),
        price: dec('100'),
        liquidation: liquidation === null ? null : Decimal.whole(liquidation),
      }
      let all = new StopRow(isLong)
      stops.forEach((stop, oid) => (all = all.with(toStop(isLong, stop, oid))))
      const extra = toStop(isLong, { ...(stops[0] ?? row.stops[0] ?? anySmall) }, 900 + gone)
      const same = all.with(extra).without(extra)
      for (const isAlone of [true, false]) {
        const { uncovered, risk, loosest, isFull } = same.cover(
          position,
          isAlone ? null : nothingLent,
        )
        const hand = byHand(row, stops, { isAlone })
        expect({
          uncovered: uncovered.toString(),
          risk: risk.toString(),
          loosest: loosest?.toString() ?? null,
        }).toEqual(hand)
        expect(isFull).toBe(hand.uncovered === '0')
      }
      const covered = size - Number(byHand(row, stops, { until: level }).uncovered)
      expect(all.all.coveredBy(Decimal.whole(level), position).toString()).toBe(`${covered}`)
      const others = stops.filter(({ isGuards, isPositionTpsl, size: own }) => {
        return !isGuards || (isPositionTpsl && own === 0)
      })
      const without = all.others.cover(position).uncovered.toString()
      expect(without).toBe(byHand(row, others).uncovered)
    }),
    { numRuns: 5_000 },
  )
})

const anySmall: AnyStop = { size: 1, trigger: 90, isPositionTpsl: false, isGuards: true }

test('knows Guard’s own among them', () => {
  const row = [5, 9, 2].reduce(
    (all, size, oid) => all.with(toStop(true, { ...anySmall, size, trigger: 90 - 10 * oid }, oid)),
    new StopRow(true).with(toStop(true, { ...anySmall, isGuards: false, size: 50 }, 7)),
  )
  expect(row.loosestGuards(9).map(({ oid }) => oid)).toEqual([2, 1, 0])
  expect(row.tightestOfGuard?.oid).toBe(0)
  expect(row.guardsOver(dec('6'))?.oid).toBe(1)
  expect(row.guardsOver(dec('10'))).toBeNull()
  expect(row.guardsBeyond(dec('80'), 9).map(({ oid }) => oid)).toEqual([2])
  expect(row.guardsBeyond(dec('95'), 9).map(({ oid }) => oid)).toEqual([2, 1, 0])
  expect(row.guardsBeyond(dec('95'), 2).map(({ oid }) => oid)).toEqual([2, 1])
  expect(row.list().map(({ oid }) => oid)).toEqual([0, 7, 1, 2])
  expect(new StopRow(false).tightestOfGuard).toBeNull()
})

describe('how much is stopped out before a price', () => {
  const row = [
    { size: 2, trigger: 90, isPositionTpsl: false, isGuards: false },
    { size: 3, trigger: 80, isPositionTpsl: false, isGuards: true },
  ].reduce((all, each, oid) => all.with(toStop(true, each, oid)), new StopRow(true))
  const whole = row.with(
    toStop(true, { ...anySmall, size: 0, isPositionTpsl: true, trigger: 85 }, 9),
  )
  const rows: { what: string; of: StopRow; by: string; liquidation: string | null; is: string }[] =
    [
      { what: 'none is so tight', of: row, by: '91', liquidation: null, is: '0' },
      { what: 'the first', of: row, by: '90', liquidation: null, is: '2' },
      { what: 'both', of: row, by: '80', liquidation: null, is: '5' },
      { what: 'both, above the liquidation', of: row, by: '80', liquidation: '79', is: '5' },
      { what: 'one lies where it is liquidated', of: row, by: '80', liquidation: '80', is: '2' },
      { what: 'one lies beyond', of: row, by: '70', liquidation: '81', is: '2' },
      { what: 'asked of a price before', of: row, by: '90', liquidation: '80', is: '2' },
      { what: 'a whole one is not reached', of: whole, by: '86', liquidation: null, is: '2' },
      { what: 'a whole one', of: whole, by: '85', liquidation: null, is: '7' },
      { what: 'a whole one beyond', of: whole, by: '80', liquidation: '85', is: '2' },
    ]
  test.each(rows)('$what', ({ of, by, liquidation, is }) => {
    const position = {
      ...{ size: dec('7'), price: dec('100') },
      liquidation: liquidation === null ? null : dec(liquidation),
    }
    expect(of.all.coveredBy(dec(by), position).toString()).toBe(is)
  })

  test.each([
    { what: 'nothing', of: new StopRow(true), size: '4', is: '-4' },
    { what: 'more than there is', of: row, size: '4', is: '1' },
    { what: 'less', of: row, size: '7', is: '-2' },
    { what: 'all of it, where one takes what is left', of: whole, size: '7', is: '5' },
  ])('by how much they exceed a position: $what', ({ of, size, is }) => {
    expect(of.all.surplusOver(dec(size)).toString()).toBe(is)
  })

  // At one trigger it does not matter which of them is first.
  test.each([
    { oid: 5, loosest: '90', uncovered: '0', risk: '70' },
    { oid: 0, loosest: '90', uncovered: '0', risk: '70' },
  ])('a whole one beside one of its trigger: $oid', ({ oid, loosest, uncovered, risk }) => {
    const beside = toStop(true, { ...anySmall, size: 0, isPositionTpsl: true, trigger: 90 }, oid)
    const one = toStop(true, { ...anySmall, size: 2, trigger: 90 }, 1)
    const position = { size: dec('7'), price: dec('100'), liquidation: null }
    const cover = new StopRow(true).with(one).with(beside).cover(position)
    expect(cover.loosest?.toString()).toBe(loosest)
    expect([cover.uncovered, cover.risk].map(String)).toEqual([uncovered, risk])
  })
})

describe('the youngest that ever stood in a row', () => {
  const at = (trigger: number, ms: number) => ({
    ...toStop(true, { ...anySmall, trigger }, trigger),
    placedAt: millis(ms),
  })
  test('is known after it is gone', () => {
    expect(new StopRow(true).newest).toBe(0)
    const row = new StopRow(true).with(at(90, 5)).with(at(80, 3))
    expect(row.newest).toBe(5)
    expect(row.without(at(90, 5)).newest).toBe(5)
  })
})

describe('Guard’s own among them', () => {
  const row = [1, 2, 3].reduce(
    (all, oid) => all.with(toStop(true, { ...anySmall, trigger: 90 - oid }, oid)),
    new StopRow(true).with(toStop(true, { ...anySmall, isGuards: false }, 9)),
  )
  test.each([
    [0, []],
    [2, [3, 2]],
    [9, [3, 2, 1]],
  ])('the loosest %i first', (most, oids) => {
    expect(row.loosestGuards(most).map(({ oid }) => oid)).toEqual(oids)
  })
  test('or none', () => {
    expect([row.hasGuards, new StopRow(true).hasGuards]).toEqual([true, false])
    expect(row.others.list()).toHaveLength(1)
  })
})

test('of stops that take what is left one goes and the other stays, in the order of their numbers', () => {
  const whole = { ...anySmall, size: 0, isPositionTpsl: true }
  const stops = [5, 3, 4].map((oid) => toStop(true, whole, oid))
  const row = stops.reduce((all, stop) => all.with(stop), new StopRow(true))
  expect(row.list().map(({ oid }) => oid)).toEqual([3, 4, 5])
  const [first] = stops
  if (first === undefined) throw new Error('no stop')
  expect(
    row
      .without(first)
      .list()
      .map(({ oid }) => oid),
  ).toEqual([3, 4])
  const empty = toStop(true, { ...anySmall, size: 0 }, 9)
  expect([row.with(empty), row.without(empty)]).toEqual([row, row])
})

describe('stops that are lent', () => {
  // A long of 2 at 100 with stops of 1 at 98, 1 at 95 and 2 at 90.
  const stops = [
    { oid: 1, size: '1', trigger: '98' },
    { oid: 2, size: '1', trigger: '95' },
    { oid: 3, size: '2', trigger: '90' },
  ].map((each) => stopOf(stopOrder({ coin: 'ETH', ...each })))
  const whole = stopOf(
    stopOrder({ coin: 'ETH', oid: 4, size: '0', trigger: '92', isPositionTpsl: true }),
  )
  const rowOf = (list: readonly (Stop | null)[]): StopRow =>
    list.reduce((row, stop) => (stop === null ? row : row.with(stop)), new StopRow(true))

  test.each([
    { what: 'none', lent: '0', unexplained: '0', risk: '7', loosest: '95' },
    { what: 'one', lent: '1', unexplained: '0', risk: '15', loosest: '90' },
    { what: 'a part of one', lent: '0.5', unexplained: '0', risk: '11', loosest: '90' },
    { what: 'as many as are over', lent: '2', unexplained: '0', risk: '20', loosest: '90' },
    { what: 'more than are over', lent: '9', unexplained: '0', risk: '20', loosest: '90' },
    { what: 'to what nobody counts', lent: '1', unexplained: '1', risk: '17', loosest: '90' },
    { what: 'in part to that', lent: '2', unexplained: '1', risk: '25', loosest: '90' },
  ])('$what: $risk', ({ lent, unexplained, risk, loosest }) => {
    const covered = { size: dec('2'), price: dec('100'), liquidation: null }
    const by = { lent: dec(lent), unexplained: dec(unexplained) }
    const cover = rowOf(stops).cover(covered, by)
    expect(cover.risk.toString()).toBe(risk)
    expect(cover.loosest?.toString()).toBe(loosest)
    expect(cover.isFull).toBe(true)
  })

  test.each([
    { lent: '0', risk: '7' },
    { lent: '1', risk: '13' },
    { lent: '5', risk: '16' },
  ])('where a stop takes whatever is left: $lent, $risk', ({ lent, risk }) => {
    const covered = { size: dec('2'), price: dec('100'), liquidation: null }
    const by = { lent: dec(lent), unexplained: Decimal.zero }
    expect(
      rowOf([...stops, whole])
        .cover(covered, by)
        .risk.toString(),
    ).toBe(risk)
  })

  test.each([
    { price: '98', lent: '0', risk: '11', loosest: '90' },
    { price: '94', lent: '0', risk: '8', loosest: '90' },
    { price: '97', lent: '1', risk: '14', loosest: '90' },
    { price: '89', lent: '0', risk: '0', loosest: '90' },
  ])('those that a price of $price has passed save nothing: $risk', ({ price, lent, ...is }) => {
    const covered = { size: dec('2'), price: dec(price), liquidation: null }
    const cover = rowOf(stops).cover(covered, { lent: dec(lent), unexplained: Decimal.zero })
    expect(cover.risk.toString()).toBe(is.risk)
    expect(cover.loosest?.toString()).toBe(is.loosest)
    expect(cover.isFull).toBe(true)
  })

  test.each([
    { size: '2', risk: '20' },
    { size: '3', risk: '25' },
    { size: '4', risk: '27' },
    { size: '5', risk: '27' },
  ])('all that a position of $size has to spare: $risk', ({ size, risk }) => {
    const covered = { size: dec(size), price: dec('100'), liquidation: null }
    expect(rowOf(stops).all.coverWithoutSpare(covered, nothingLent).risk.toString()).toBe(risk)
  })

  test('none from the liquidation on', () => {
    const covered = { size: dec('2'), price: dec('100'), liquidation: dec('91') }
    const by = { lent: dec('9'), unexplained: Decimal.zero }
    expect(rowOf(stops).cover(covered, by).risk.toString()).toBe('7')
  })
})
