import { describe, expect, test } from 'vitest'
import { address } from '../../../src/core/values/address.ts'
import { coin } from '../../../src/core/values/coin.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'
import type { AccountSpec } from './venueConfig.ts'
import { Venue } from './venue.ts'
import type { VenueEvent } from './venueEvent.ts'
import {
  account,
  alice,
  btc,
  d,
  eth,
  limit,
  send,
  startMs,
  statuses,
  testConfig,
  testMarkets,
  testVenue,
  trigger,
} from './venue.fixture.ts'

describe('a frozen book', () => {
  test('has 100 consecutive grid prices each side, each worth a million', () => {
    const book = testVenue().book(eth)
    expect(book?.bids).toHaveLength(100)
    expect(book?.asks).toHaveLength(100)
    expect(book?.bids.slice(0, 2).map(({ price }) => price.toString())).toEqual([
      '1999.9',
      '1999.8',
    ])
    expect(book?.asks.at(-1)?.price.toString()).toBe('2010')
    for (const { price, size } of [...(book?.bids ?? []), ...(book?.asks ?? [])]) {
      expect(price.times(size).minus(d('1000000')).abs().lt(d('1'))).toBe(true)
    }
  })

  test('is whole again after a trade, and the price stays', () => {
    const venue = testVenue([account(alice, '10000000')])
    const before = JSON.stringify(venue.book(eth)?.asks)
    expect(
      statuses(send(venue, alice, [limit('buy', '2000', '2100', { tif: 'Ioc' })])),
    ).toMatchObject([{ filled: { totalSz: '2000.0' } }])
    expect(JSON.stringify(venue.book(eth)?.asks)).toBe(before)
    expect(venue.mids().get(eth)?.toString()).toBe('2000')
    venue.advanceTo(startMs + 600_000)
    expect(venue.mids().get(eth)?.toString()).toBe('2000')
  })

  test('moves with the price and fills what it passes, at its own price', () => {
    const venue = testVenue()
    send(venue, alice, [limit('buy', '1', '1990'), limit('buy', '1', '1970')])
    expect(venue.setPrice(eth, { mid: d('1980.05') })).toEqual({ ok: true, value: undefined })
    expect(venue.fills(alice)).toHaveLength(1)
    expect(venue.fills(alice)[0]).toMatchObject({ crossed: false })
    expect(venue.fills(alice)[0]?.price.toString()).toBe('1990')
    expect(venue.fills(alice)[0]?.fee.toString()).toBe('0.2985')
    expect(venue.bestBidAsk(eth)?.ask?.price.toString()).toBe('1980.1')
  })

  test.each(['2000.03', '1999.975', '0', '-1'])('a mid of %s is refused', (mid) => {
    const venue = testVenue()
    expect(venue.setPrice(eth, { mid: d(mid) })).toMatchObject({ ok: false })
    expect(venue.mids().get(eth)?.toString()).toBe('2000')
    const markets = testMarkets.map((one) => (one.coin === eth ? { ...one, mid: d(mid) } : one))
    const before = JSON.stringify(venue.book(btc))
    expect(venue.reset(testConfig({ markets }))).toMatchObject({
      ok: false,
      error: expect.stringContaining('mid of ETH') as string,
    })
    expect(JSON.stringify(venue.book(btc))).toBe(before)
  })

  test('a delisted market has no book and takes no order', () => {
    const markets = testMarkets.map((one) =>
      one.coin === eth ? { ...one, isDelisted: true } : one,
    )
    const venue = new Venue(testConfig({ markets }))
    expect(venue.book(eth)).toMatchObject({ bids: [], asks: [] })
    expect(venue.context(eth)).toMatchObject({ midPrice: null, premium: null, impactPrices: null })
    expect(statuses(send(venue, alice, [limit('buy', '1', '1900')]))).toEqual([
      { error: 'Trading is halted asset=1' },
    ])
  })
})

describe('an account', () => {
  const rows: readonly (readonly [string, Partial<AccountSpec>])[] = [
    ['flat', {}],
    [
      'cross long',
      { positions: [{ coin: eth, size: d('2'), leverage: { type: 'cross', value: 5 } }] },
    ],
    [
      'cross short with a loss',
      {
        positions: [
          {
            coin: eth,
            size: d('-2'),
            entryPrice: d('1900'),
            leverage: { type: 'cross', value: 5 },
          },
        ],
      },
    ],
    [
      'isolated with a profit',
      {
        positions: [
          {
            coin: eth,
            size: d('2'),
            entryPrice: d('1900'),
            leverage: { type: 'isolated', value: 5 },
          },
        ],
      },
    ],
    [
      'both',
      {
        positions: [
          { coin: eth, size: d('2'), leverage: { type: 'isolated', value: 4 } },
          {
            coin: btc,
            size: d('-0.01'),
            entryPrice: d('90000'),
            leverage: { type: 'cross', value: 3 },
          },
        ],
      },
    ],
  ]

  test.each(rows)('%s: its value is what was asked', (_, parts) => {
    const standard = testVenue([account(alice, '7350.25', parts)])
    expect(standard.perpState(alice).margin.accountValue.toString()).toBe('7350.25')
    const unified = testVenue([account(alice, '7350.25', { ...parts, mode: 'unifiedAccount' })])
    expect(unified.spotState(alice).usdcTotal.toString()).toBe('7350.25')
    const { deposited, held } = unified.audit()
    expect(held.eq(deposited)).toBe(true)
  })

  test('entry, leverage, agents and orders come as asked', () => {
    const agent = address(`0x${'99'.repeat(20)}`)
    const venue = testVenue([
      account(alice, '10000', {
        agents: [agent],
        leverage: new Map([[btc, { type: 'isolated', value: 7 }]]),
        positions: [
          {
            coin: eth,
            size: d('1'),
            entryPrice: d('1950.5'),
            leverage: { type: 'cross', value: 10 },
          },
        ],
        orders: [
          { orders: [trigger('sell', '1', '1900', '1700', 'sl')], grouping: 'na' },
          {
            orders: [limit('buy', '1', '1800'), trigger('sell', '1', '1700', '1600', 'sl')],
            grouping: 'normalTpsl',
          },
        ],
      }),
    ])
    expect(venue.role(agent)).toEqual({ role: 'agent', user: alice })
    expect(venue.leverage(alice, btc)).toEqual({ type: 'isolated', value: 7, rawUsd: null })
    expect(venue.perpState(alice).positions[0]?.entryPrice.toString()).toBe('1950.5')
    expect(venue.perpState(alice).positions[0]?.unrealisedPnl.toString()).toBe('49.5')
    expect(venue.openOrders(alice)).toHaveLength(3)
  })

  test.each<[string, Partial<AccountSpec>]>([
    [
      'positions[0].szi: ',
      { positions: [{ coin: eth, size: d('0.00001'), leverage: { type: 'cross', value: 5 } }] },
    ],
    [
      'leverage of ETH',
      { positions: [{ coin: eth, size: d('1'), leverage: { type: 'cross', value: 50 } }] },
    ],
    [
      'positions[0].leverage: the isolated margin of ETH must be at most the equity that is left, 100, got 500',
      { positions: [{ coin: eth, size: d('1'), leverage: { type: 'isolated', value: 4 } }] },
    ],
    [
      'equity: must be at least the maintenance margin, 120, got 100: the position in ETH would be liquidated',
      { positions: [{ coin: eth, size: d('3'), leverage: { type: 'cross', value: 20 } }] },
    ],
    ['minimum value', { orders: [{ orders: [limit('buy', '0.001', '1900')], grouping: 'na' }] }],
  ])('that cannot be is refused: %s', (text, parts) => {
    const venue = testVenue()
    expect(venue.reset(testConfig({ accounts: [account(alice, '100', parts)] }))).toMatchObject({
      ok: false,
      error: expect.stringContaining(text) as string,
    })
  })
})

test('a reset is told, and everything before is gone', () => {
  const venue = testVenue()
  send(venue, alice, [limit('buy', '1', '1900')])
  const events: VenueEvent[] = []
  venue.onEvent((batch) => events.push(...batch))
  venue.reset(testConfig({ accounts: [account(alice, '5')] }))
  expect(events[0]).toEqual({ kind: 'reset' })
  expect(venue.openOrders(alice)).toEqual([])
  expect(venue.perpState(alice).margin.accountValue.eq(Decimal.whole(5))).toBe(true)
})

describe('margin tiers', () => {
  const tier = (from: string, maxLeverage: number) => ({ lowerBound: d(from), maxLeverage })
  const market = { coin: coin('X'), sizeDecimals: 2, maxLeverage: 25, mid: d('100') }
  const built = (tiers: readonly ReturnType<typeof tier>[]) =>
    new Venue(testConfig({ markets: [{ ...market, tiers }] }))

  test.each([
    ['none', []],
    ['one', [tier('0', 25)]],
    ['what lies below the first has the leverage of the market', [tier('1000', 5)]],
    ['falling leverage', [tier('0', 25), tier('1000', 10), tier('2000', 1)]],
  ] as const)('taken: %s', (_, tiers) => {
    expect(built(tiers).market(coin('X'))?.maxLeverage).toBe(25)
  })

  test.each([
    ['another leverage', [tier('0', 50)], 'the one from 0 on must have the maxLeverage'],
    ['out of order', [tier('0', 25), tier('2', 5), tier('1', 2)], 'each must begin above'],
    ['rising leverage', [tier('0', 25), tier('1', 30)], 'a lower maxLeverage than the one before'],
    ['no leverage', [tier('0', 25), tier('1', 0)], 'at least 1'],
  ] as const)('refused: %s', (_, tiers, text) => {
    expect(() => built(tiers)).toThrow(text)
  })
})
