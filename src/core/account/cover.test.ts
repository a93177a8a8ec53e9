import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Decimal } from '../values/decimal.ts'
import { accountWith, botCloid, fixtureNow, openOrder, stopOrder } from './account.fixture.ts'
import type { StopSpec } from './account.fixture.ts'
import type { Stop } from './accountView.ts'
import { coverOf, stopOf } from './cover.ts'
import { guardCloidPrefix } from '../protocol/guardCloid.ts'
import { coin } from '../values/coin.ts'

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
    { why: 'none', size: '2', orders: [], stops: [], uncovered: '2', loosest: null, risk: '0' },
    {
      why: 'one',
      size: '2',
      orders: [stop(1, '2', '2400')],
      stops: ['1:2'],
      uncovered: '0',
      loosest: '2400',
      risk: '172.7',
    },
    {
      why: 'larger',
      size: '2',
      orders: [stop(1, '9', '2400')],
      stops: ['1:2'],
      uncovered: '0',
      loosest: '2400',
      risk: '172.7',
    },
    {
      why: 'partial ones add up, tightest first',
      size: '2',
      orders: [stop(1, '1.5', '2400'), stop(2, '1', '2450')],
      stops: ['2:1', '1:1'],
      uncovered: '0',
      loosest: '2400',
      risk: '122.7',
    },
    {
      why: 'partial ones that do not reach',
      size: '2',
      orders: [stop(1, '0.5', '2400'), stop(2, '1', '2450')],
      stops: ['2:1', '1:0.5'],
      uncovered: '0.5',
      loosest: '2400',
      risk: '79.525',
    },
    {
      why: 'a position TP/SL covers the rest',
      size: '2',
      orders: [stop(1, '0.5', '2450'), tpsl(2, '2400')],
      stops: ['1:0.5', '2:1.5'],
      uncovered: '0',
      loosest: '2400',
      risk: '147.7',
    },
    {
      why: 'a position TP/SL that comes first takes all',
      size: '2',
      orders: [stop(1, '0.5', '2400'), tpsl(2, '2450')],
      stops: ['2:2'],
      uncovered: '0',
      loosest: '2450',
      risk: '72.7',
    },
    {
      why: 'a position TP/SL with a size is a partial one',
      size: '2',
      orders: [tpsl(2, '2450', '0.5')],
      stops: ['2:0.5'],
      uncovered: '1.5',
      loosest: '2450',
      risk: '18.175',
    },
    {
      why: 'a stop beyond the mid counts as zero',
      size: '2',
      orders: [stop(1, '2', '2500')],
      stops: ['1:2'],
      uncovered: '0',
      loosest: '2500',
      risk: '0',
    },
    {
      why: 'short: the lowest first',
      size: '-2',
      orders: [stop(1, '1.5', '2550', true), stop(2, '1', '2520', true)],
      stops: ['2:1', '1:1'],
      uncovered: '0',
      loosest: '2550',
      risk: '97.3',
    },
    {
      why: 'the other side’s',
      size: '-2',
      orders: [stop(1, '2', '2400')],
      stops: [],
      uncovered: '2',
      loosest: null,
      risk: '0',
    },
  ]
  test.each(cases)('$why', ({ size, orders, stops, uncovered, loosest, risk }) => {
    const account = accountWith({ positions: { ETH: { size } }, orders })
    const cover = account.cover(coin('ETH'))
    expect(cover?.stops.map((each) => `${each.stop.oid ?? ''}:${each.covers.toString()}`)).toEqual(
      stops,
    )
    expect(cover?.uncovered.toString()).toBe(uncovered)
    expect(cover?.isFull).toBe(uncovered === '0')
    expect(cover?.loosest?.toString() ?? null).toBe(loosest)
    expect(cover?.risk.toString()).toBe(risk)
    expect(account.exposure().openRisk.toString()).toBe(risk)
    expect(account.exposure().uncoveredPositions).toEqual(uncovered === '0' ? [] : ['ETH'])
  })
})

test('more stops never cover less, and what is covered and what is not is the position', () => {
  const anyStop = fc.record({
    size: fc.integer({ min: 0, max: 30 }),
    trigger: fc.integer({ min: 50, max: 150 }),
    isBuy: fc.boolean(),
    isPositionTpsl: fc.boolean(),
  })
  const size = fc.integer({ min: -40, max: 40 }).filter((each) => each !== 0)
  fc.assert(
    fc.property(size, fc.array(anyStop, { maxLength: 6 }), anyStop, (held, list, extra) => {
      const toStop = (each: typeof extra, oid: number): Stop => ({
        oid,
        cloid: null,
        owner: 'bot',
        placedAt: fixtureNow,
        isBuy: each.isBuy,
        isPositionTpsl: each.isPositionTpsl,
        size: Decimal.whole(each.size),
        trigger: Decimal.whole(each.trigger),
      })
      const stops = list.map(toStop)
      const less = coverOf(Decimal.whole(held), stops, dec('100'))
      const more = coverOf(Decimal.whole(held), [...stops, toStop(extra, 99)], dec('100'))
      expect(more.uncovered.lte(less.uncovered)).toBe(true)
      const covered = less.stops.reduce((sum, each) => sum.plus(each.covers), Decimal.zero)
      expect(covered.plus(less.uncovered).toString()).toBe(`${Math.abs(held)}`)
      expect(coverOf(Decimal.whole(held), [...stops].reverse(), dec('100'))).toEqual(less)
    }),
    { numRuns: 20_000 },
  )
})
