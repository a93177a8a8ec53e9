import { describe, expect, test } from 'vitest'
import { Decimal } from '../../../src/core/values/decimal.ts'
import { defaultMarkets } from '../defaultMarkets.ts'
import { Candles } from './candles.ts'
import { Venue } from './venue.ts'
import type { ScenarioName } from './venueConfig.ts'
import type { VenueEvent } from './venueEvent.ts'
import {
  account,
  alice,
  btc,
  d,
  eth,
  send,
  startMs,
  statuses,
  testConfig,
} from './venue.fixture.ts'

const markets = defaultMarkets.slice(0, 2)

function live(scenario: ScenarioName, seed = 3): Venue {
  const accounts = [account(alice, '100000')]
  return new Venue(testConfig({ frozen: false, scenario, seed, markets, accounts }))
}

/** The mark after this many seconds, as a percentage of the first. */
function percentAfter(venue: Venue, seconds: number): number {
  const first = venue.markPrice(btc) ?? Decimal.one
  venue.advanceTo(startMs + seconds * 1000)
  const now = venue.markPrice(btc) ?? Decimal.zero
  return Number(now.times(d('100')).over(first, 4, 'half-even').toString())
}

describe('scenarios', () => {
  test('calm stays where it is', () => {
    expect(Math.abs(percentAfter(live('calm'), 300) - 100)).toBeLessThan(1)
  })
  test('trend goes one way', () => {
    expect(percentAfter(live('trend'), 600)).toBeGreaterThan(101)
  })
  test('crash falls by about a sixth within a minute', () => {
    expect(percentAfter(live('crash'), 123)).toBeLessThan(86)
  })
  test('gap jumps within one step', () => {
    const venue = live('gap')
    expect(percentAfter(venue, 117)).toBeGreaterThan(99)
    expect(percentAfter(venue, 123)).toBeLessThan(96)
  })
  test('a thin book is thin and wide', () => {
    const [thin, calm] = [live('thin'), live('calm')].map((venue) => {
      venue.advanceTo(startMs + 2000)
      const { bid, ask } = venue.bestBidAsk(btc) ?? { bid: null, ask: null }
      const depth = venue
        .book(btc)
        ?.bids.reduce((sum, { price, size }) => sum.plus(price.times(size)), Decimal.zero)
      return { spread: ask?.price.minus(bid?.price ?? Decimal.zero), depth }
    })
    expect(thin?.spread?.gt(calm?.spread ?? Decimal.zero)).toBe(true)
    expect(thin?.depth?.lt(calm?.depth?.times(d('0.1')) ?? Decimal.zero)).toBe(true)
  })
})

test('a market that moves trades, fills resting orders and tells of it', () => {
  const venue = live('calm')
  const kinds = new Set<VenueEvent['kind']>()
  venue.onEvent((events) => events.forEach(({ kind }) => kinds.add(kind)))
  const best = venue.bestBidAsk(eth)?.bid?.price ?? Decimal.zero
  const order = {
    asset: 1,
    isBuy: true,
    price: best,
    size: d('0.05'),
    isReduceOnly: false,
    type: { kind: 'limit', tif: 'Alo' },
    cloid: null,
  } as const
  expect(statuses(send(venue, alice, [order]))).toMatchObject([{ resting: {} }])
  venue.advanceTo(startMs + 120_000)
  expect(venue.fills(alice)[0]).toMatchObject({ crossed: false, coin: eth })
  expect([...kinds]).toEqual(
    expect.arrayContaining(['trade', 'book', 'bbo', 'price', 'fill', 'order']),
  )
  expect(venue.recentTrades(eth).length).toBeGreaterThan(10)
  expect(venue.context(eth)?.dayBaseVolume.isPositive()).toBe(true)
})

describe('candles', () => {
  test('longer ones hold what the short ones hold', () => {
    const venue = live('calm')
    venue.advanceTo(startMs + 180_000)
    const minutes = venue.candles(eth, '1m', 0, Infinity)
    const hours = venue.candles(eth, '1h', 0, Infinity)
    const from = minutes[0]?.openTime ?? 0
    const late = hours.filter(({ openTime }) => openTime >= from)
    const total = (rows: typeof minutes) =>
      rows.reduce((sum, { volume }) => sum.plus(volume), Decimal.zero).toString()
    expect(total(minutes)).toBe(total(late))
    expect(hours.every(({ openTime, closeTime }) => closeTime - openTime === 3_599_999)).toBe(true)
    for (const { open, close, high, low } of minutes) {
      expect(high.gte(Decimal.max(open, close)) && low.lte(Decimal.min(open, close))).toBe(true)
    }
    expect(minutes.length).toBeGreaterThan(7 * 24 * 60)
  })

  test.each([
    ['1m', 60_000, 7],
    ['1h', 3_600_000, 200],
    ['1d', 86_400_000, 200],
  ] as const)(
    '%s without a gap, by the seed, up to the price at the start',
    (interval, ms, days) => {
      const read = () => live('calm').candles(eth, interval, 0, Infinity)
      const rows = read()
      expect(rows.length).toBeGreaterThanOrEqual((days * 86_400_000) / ms)
      for (const [at, row] of rows.entries()) {
        const before = rows[at - 1]
        if (before !== undefined) expect(row.openTime - before.openTime).toBe(ms)
        expect(row.low.isPositive()).toBe(true)
      }
      expect(rows.at(-1)?.close.toString()).toBe('2486.3')
      expect(read()).toEqual(rows)
    },
  )

  test('hours stay when minutes are too many to be kept', () => {
    const kept = new Candles(eth, 2)
    const days = 12
    for (let minute = 0; minute < days * 1_440; minute++) {
      kept.add(startMs + minute * 60_000, d(String(1_000 + minute)), d('1'))
    }
    const hours = kept.read('1h', 0, Infinity)
    expect(hours.slice(1).every(({ trades }, at) => at === hours.length - 2 || trades === 60)).toBe(
      true,
    )
    expect(hours.reduce((sum, { trades }) => sum + trades, 0)).toBe(days * 1_440)
    expect(kept.read('1m', 0, Infinity).length).toBeLessThan(days * 1_440)
  })

  test.each(['1m', '15m', '1h', '1d', '1w', '1M'] as const)(
    'the newest of %s is the last that a read of everything shows',
    (interval) => {
      const venue = live('calm')
      const isLast = () => {
        const [all, newest] = [
          venue.candles(eth, interval, 0, Infinity),
          venue.newestCandle(eth, interval),
        ]
        expect(newest).not.toBeNull()
        expect(all.at(-1)).toEqual(newest)
      }
      isLast()
      venue.advanceTo(startMs + 180_000)
      isLast()
      const silent = new Candles(eth, 2)
      expect(silent.newest(interval)).toBeNull()
    },
  )

  test('a range has the candles that touch it', () => {
    const venue = live('calm')
    const rows = venue.candles(eth, '5m', startMs - 3_600_000, startMs - 1)
    expect(rows).toHaveLength(12)
    expect(rows.map(({ openTime }) => openTime)).toEqual(
      rows.map((_, index) => startMs - 3_600_000 + index * 300_000),
    )
  })
})
