import { describe, expect, test } from 'vitest'
import { coin } from '../../../src/core/values/coin.ts'
import type { Order } from '../../../src/core/protocol/action.ts'
import type { VenueOptions } from './options.ts'
import { Venue } from './venue.ts'
import type { AccountSpec, MarketSpec } from './venueConfig.ts'
import {
  account,
  alice,
  d,
  eth,
  limit,
  oidOf,
  send,
  sizeOf,
  statuses,
  story,
  testConfig,
  testVenue,
  trigger,
} from './venue.fixture.ts'

const tooMany = { error: 'Too many open orders asset=1' }
const tooLarge = { error: 'Order value exceeds the maximum for this asset. asset=1' }
const band = 'Order price cannot be more than 80% away from the reference price'

const long = (size: string): Partial<AccountSpec> => ({
  positions: [{ coin: eth, size: d(size), leverage: { type: 'cross', value: 10 } }],
})

describe('open orders', () => {
  /** An account that holds one ETH and has this many orders open. */
  const crowded = (count: number, options: Partial<VenueOptions> = {}): Venue => {
    const venue = testVenue([account(alice, '1000000', long('1'))], options)
    for (let from = 0; from < count; from += 200) {
      const batch = Array.from({ length: Math.min(200, count - from) }, () =>
        limit('buy', '0.01', '1900'),
      )
      send(venue, alice, batch)
    }
    return venue
  }
  const stop = trigger('sell', '1', '1900', '1800', 'sl')
  const entryStop = trigger('buy', '1', '2100', '2200', 'sl', { isReduceOnly: false })
  const takeProfit = limit('sell', '0.5', '2100', { isReduceOnly: true })
  const close = limit('sell', '1', '1900', { isReduceOnly: true, tif: 'Ioc' })
  const plain = limit('buy', '0.01', '1901')
  const immediate = limit('sell', '1', '1900', { tif: 'Ioc' })

  test.each([
    ['a stop', stop],
    ['a stop that opens', entryStop],
    ['a resting reduce-only order', takeProfit],
    ['a close at once', close],
    ['an order that would rest', plain],
  ])('beside 999 %s is taken, beside 1,000 it is refused', (_, order) => {
    expect(statuses(send(crowded(999), alice, [order]))).not.toEqual([tooMany])
    expect(statuses(send(crowded(1000), alice, [order]))).toEqual([tooMany])
  })

  test('an order that is not reduce-only and fills at once or goes adds none', () => {
    expect(statuses(send(crowded(1000), alice, [immediate]))).toMatchObject([{ filled: {} }])
  })

  test('a refused one is remembered with its own status', () => {
    const venue = crowded(1000)
    send(venue, alice, [close])
    expect(venue.historicalOrders(alice)[0]?.status).toBe('tooManyOpenOrdersRejected')
  })

  test('what is more than the cap counts within one batch', () => {
    const venue = crowded(999)
    expect(statuses(send(venue, alice, [plain, plain]))).toMatchObject([{ resting: {} }, tooMany])
  })

  test('volume raises the cap, and not what refuses reduce-only orders and triggers', () => {
    const venue = crowded(0)
    const leverage = { type: 'updateLeverage', asset: 1, isCross: true, leverage: 25 } as const
    venue.apply(alice, leverage)
    // 5,000,000 USD for one more order.
    for (let round = 0; round < 3; round++) {
      send(venue, alice, [limit('buy', '500', '2100', { tif: 'Ioc' })])
      send(venue, alice, [limit('sell', '500', '1900', { tif: 'Ioc' })])
    }
    expect(venue.cumulativeVolume(alice).gte(d('5000000'))).toBe(true)
    for (let batch = 0; batch < 5; batch++) send(venue, alice, Array(200).fill(plain) as Order[])
    expect(statuses(send(venue, alice, [stop, close, plain, plain]))).toMatchObject([
      tooMany,
      tooMany,
      { resting: {} },
      tooMany,
    ])
  })

  test('reduce-only triggers that were there stay, or go by the other reading', () => {
    for (const crowdedTriggers of ['stay', 'cancel'] as const) {
      const venue = testVenue([account(alice, '1000000', long('1'))], {
        crowdedTriggers,
        reduceOnlyOrderLimit: 3,
      })
      const oid = oidOf(send(venue, alice, [stop]))
      send(venue, alice, [plain])
      expect(story(venue, alice, oid)).toEqual(['open'])
      send(venue, alice, [plain])
      const expected = crowdedTriggers === 'stay' ? ['open'] : ['open', 'canceled']
      expect(story(venue, alice, oid)).toEqual(expected)
    }
  })
})

describe('the largest order', () => {
  const rows: readonly (readonly [number, number])[] = [
    [3, 500_000],
    [9, 500_000],
    [10, 2_000_000],
    [19, 2_000_000],
    [20, 5_000_000],
    [24, 5_000_000],
    [25, 30_000_000],
    [40, 30_000_000],
  ]
  const only = (maxLeverage: number): Venue => {
    const market: MarketSpec = { coin: coin('X'), sizeDecimals: 0, maxLeverage, mid: d('100') }
    const filler: MarketSpec = { ...market, coin: coin('FIRST') }
    return new Venue(
      testConfig({ markets: [filler, market], accounts: [account(alice, '1000000000')] }),
    )
  }
  const kinds: readonly (readonly [string, (size: string) => Order, 1 | 10])[] = [
    ['Ioc', (size) => limit('buy', size, '100', { tif: 'Ioc' }), 1],
    ['FrontendMarket', (size) => limit('buy', size, '100', { tif: 'FrontendMarket' }), 1],
    [
      'market trigger',
      (size) => trigger('buy', size, '110', '100', 'sl', { isReduceOnly: false }),
      1,
    ],
    ['Gtc', (size) => limit('buy', size, '100'), 10],
    ['Alo', (size) => limit('buy', size, '100', { tif: 'Alo' }), 10],
    [
      'limit trigger',
      (size) => trigger('buy', size, '110', '100', 'sl', { isReduceOnly: false, isMarket: false }),
      10,
    ],
  ]
  test.each(rows.flatMap((row) => kinds.map((kind) => [...row, ...kind] as const)))(
    'at leverage %i and up to %i USD: %s',
    (maxLeverage, usd, _, order, factor) => {
      const size = (usd * factor) / 100
      const most = statuses(send(only(maxLeverage), alice, [order(`${size}`)]))
      const more = statuses(send(only(maxLeverage), alice, [order(`${size + 1}`)]))
      expect(most).not.toEqual([tooLarge])
      expect(more).toEqual([tooLarge])
    },
  )

  test('a close that is larger is refused too, and pieces are taken', () => {
    const markets = testConfig().markets.map((market) => ({ ...market, maxLeverage: 5, tiers: [] }))
    const position = { coin: eth, size: d('1000'), leverage: { type: 'cross', value: 5 } } as const
    const venue = new Venue(
      testConfig({ markets, accounts: [account(alice, '1000000', { positions: [position] })] }),
    )
    const close = (size: string): Order =>
      limit('sell', size, '1900', { isReduceOnly: true, tif: 'Ioc' })
    expect(statuses(send(venue, alice, [close('1000')]))).toEqual([tooLarge])
    const pieces = ['260', '260', '260', '220'].map(close)
    expect(statuses(send(venue, alice, pieces))).toMatchObject(Array(4).fill({ filled: {} }))
    expect(sizeOf(venue, alice)).toBe('0')
  })
})

describe('the band around the reference price', () => {
  test.each([
    ['399.9', false],
    ['400', true],
    ['3600', true],
    ['3600.1', false],
  ])('a limit of %s at a mark of 2000: taken %s', (price, isTaken) => {
    const side = price.startsWith('3') ? 'sell' : 'buy'
    const reply = statuses(send(testVenue(), alice, [limit(side, '0.1', price)]))
    if (isTaken) expect(reply).not.toEqual(band)
    else expect(reply).toEqual(band)
  })

  test('is measured from the mark, or from the oracle by the other reading', () => {
    const apart = (options: Partial<VenueOptions>): unknown => {
      const venue = testVenue([account(alice, '10000')], options)
      venue.setPrice(eth, { mid: d('2000'), mark: d('2000'), oracle: d('300') })
      return statuses(send(venue, alice, [limit('buy', '0.1', '1900')]))
    }
    expect(apart({})).toMatchObject([{ resting: {} }])
    expect(apart({ referencePrice: 'oracle' })).toEqual(band)
  })

  test('a trigger is measured from the mark, or from its own price by the other reading', () => {
    const far = trigger('buy', '1', '3500', '3700', 'sl', { isReduceOnly: false })
    expect(statuses(send(testVenue(), alice, [far]))).toEqual(band)
    const other = testVenue(undefined, { trigger_band_ref: 'trigger' })
    expect(statuses(send(other, alice, [far]))).toMatchObject([{ resting: {} }])
  })

  test('one order outside refuses its whole batch, by either carrier', () => {
    const batch = [
      limit('sell', '0.5', '1900', { isReduceOnly: true, tif: 'Ioc' }),
      limit('sell', '0.5', '399', { isReduceOnly: true, tif: 'Ioc' }),
    ]
    const venue = testVenue([account(alice, '10000', long('1'))])
    expect(statuses(send(venue, alice, batch))).toEqual(band)
    expect(sizeOf(venue, alice)).toBe('1')
    const single = testVenue([account(alice, '10000', long('1'))], {
      prevalidation: 'single_status',
    })
    expect(statuses(send(single, alice, batch))).toEqual([{ error: band }])
    expect(sizeOf(single, alice)).toBe('1')
  })
})

test('a price off the grid refuses its order, or its batch by the other reading', () => {
  const batch = [limit('buy', '0.01', '1900'), limit('buy', '0.01', '1900.55')]
  const tick = 'Price must be divisible by tick size. asset=1'
  expect(statuses(send(testVenue(), alice, batch))).toMatchObject([
    { resting: {} },
    { error: tick },
  ])
  const whole = testVenue(undefined, { tickCarrier: 'batch' })
  expect(statuses(send(whole, alice, batch))).toEqual(tick)
  expect(whole.openOrders(alice)).toEqual([])
})

test('a market trigger with its limit short of it is taken, or refused by the other reading', () => {
  const short = trigger('sell', '1', '1900', '1950', 'sl')
  const holder = account(alice, '10000', long('1'))
  expect(statuses(send(testVenue([holder]), alice, [short]))).toMatchObject([{ resting: {} }])
  const strict = testVenue([holder], { trigger_p_rule: 'strict' })
  const bad = { error: 'Invalid TP/SL price. asset=1' }
  expect(statuses(send(strict, alice, [short]))).toEqual([bad])
  const at = trigger('sell', '1', '1900', '1900', 'sl')
  expect(statuses(send(strict, alice, [at]))).toMatchObject([{ resting: {} }])
})

describe('reduce-only orders that together exceed the position', () => {
  const sell = (price: string): Order => limit('sell', '0.6', price, { isReduceOnly: true })
  const stop = trigger('sell', '1', '1900', '1800', 'sl')
  const run = (reduceOnlyExcess: VenueOptions['reduceOnlyExcess']): string[][] => {
    const venue = testVenue([account(alice, '10000', long('1'))], { reduceOnlyExcess })
    const oids = [stop, sell('2100'), sell('2200')].map((order) =>
      oidOf(send(venue, alice, [order])),
    )
    return oids.map((oid) => story(venue, alice, oid))
  }

  test('the older of two in the book goes; a stop beside them stays', () => {
    expect(run('cancel-oldest')).toEqual([['open'], ['open', 'reduceOnlyCanceled'], ['open']])
  })

  test('by another reading stops count, and the oldest goes whatever it is', () => {
    expect(run('cancel-oldest-and-triggers')).toEqual([
      ['open', 'reduceOnlyCanceled'],
      ['open', 'reduceOnlyCanceled'],
      ['open'],
    ])
  })

  test('by a third each is bounded on its own', () => {
    expect(run('independent')).toEqual([['open'], ['open'], ['open']])
  })

  test('a newer stop ends older ones only where stops count', () => {
    for (const [reading, expected] of [
      ['cancel-oldest', ['open']],
      ['cancel-oldest-and-triggers', ['open', 'reduceOnlyCanceled']],
    ] as const) {
      const venue = testVenue([account(alice, '10000', long('1'))], { reduceOnlyExcess: reading })
      const first = oidOf(send(venue, alice, [stop]))
      send(venue, alice, [trigger('sell', '1', '1950', '1800', 'sl')])
      expect(story(venue, alice, first)).toEqual(expected)
    }
  })
})
