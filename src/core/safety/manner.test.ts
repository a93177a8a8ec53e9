import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { market as marketOf } from '../account/account.fixture.ts'
import type { Order } from '../protocol/action.ts'
import { isOnPriceGrid } from '../protocol/grid.ts'
import { hasRoom } from '../protocol/marketStop.ts'
import { Decimal } from '../values/decimal.ts'
import { bandAround, isInBand, sharedBand } from '../venueLimits/priceBand.ts'
import { venueTexts } from '../venueLimits/venueTexts.fixture.ts'
import { closeOrders, stopOrder, stopPieces } from './closeOrder.ts'
import { nextManner, plainManner } from './manner.ts'
import type { Manner } from './manner.ts'
import { countingMint } from './mint.fixture.ts'

const d = Decimal.of
const eth = marketOf({ coin: 'ETH', asset: 1, sizeDecimals: 4, maxLeverage: 25 })
const small = marketOf({ coin: 'X', asset: 2, sizeDecimals: 1, maxLeverage: 5 })
const bandText = 'Order price cannot be more than 80% away from the reference price'

/** The manner after the venue said this so often. */
const after = (text: string, times = 1): Manner =>
  Array.from({ length: times }).reduce<Manner>((manner) => nextManner(manner, text), plainManner)

/** Price and sizes of a close. */
function close(
  size: string,
  price: string,
  manner: Manner = plainManner,
  mark: string | null = price,
  market = eth,
  oracle: string | null = null,
): { price: string; sizes: string[] } {
  const prices = {
    price: d(price),
    mark: mark === null ? null : d(mark),
    oracle: oracle === null ? null : d(oracle),
  }
  const { orders } = closeOrders(market, d(size), prices, countingMint(), manner)
  const limits = new Set(orders.map((order) => order.price.toString()))
  expect(limits.size).toBe(1)
  return { price: [...limits][0] ?? '', sizes: orders.map((order) => order.size.toString()) }
}

describe('a close', () => {
  test('goes 5% beyond the mid, in one order', () => {
    expect(close('1.5', '2486.35')).toEqual({ price: '2362', sizes: ['1.5'] })
    expect(close('-1.5', '2486.35')).toEqual({ price: '2610.7', sizes: ['1.5'] })
  })

  test('is priced inside the band around the mark', () => {
    expect(close('1', '2000', plainManner, '300').price).toBe('540')
    expect(close('-1', '2000', plainManner, '100000').price).toBe('20000')
    expect(close('1', '2000', plainManner, null).price).toBe('1900')
  })

  test.each([
    ['1', 1, '400'],
    ['1', 2, '400'],
    ['1', 3, '1900'],
    ['1', 4, '400'],
    ['-1', 1, '3600'],
    ['-1', 2, '3600'],
    ['-1', 3, '2100'],
  ])('of %s refused %i times for the band goes at %s', (size, times, price) => {
    expect(close(size, '2000', after(bandText, times)).price).toBe(price)
  })

  test.each([
    // Around 2000 the band is 400 to 3600, around 1900 it is 380 to 3420: both take 400 to 3420.
    ['1', '1900', ['1900', '400', '400', '1900']],
    ['-1', '1900', ['2100', '3420', '3420', '2100']],
    // Around 200 it is 40 to 360: no price is in both.
    ['1', '200', ['1900', '400', '40', '1900']],
    ['-1', '200', ['2100', '3600', '360', '2100']],
    // Around 10100 it is 2020 to 18180, above what is wanted.
    ['1', '10100', ['2020', '2020', '2020', '2020']],
  ])('of %s with the oracle at %s and refused for the band goes at %j', (size, oracle, prices) => {
    const tried = prices.map(
      (_, times) => close(size, '2000', after(bandText, times), '2000', eth, oracle).price,
    )
    expect(tried).toEqual(prices)
  })

  test('with fewer figures stays inside the band', () => {
    const tick = 'Price must be divisible by tick size.'
    const coarse = [tick, tick, tick, bandText].reduce(nextManner, plainManner)
    // The edge is 497.272, and 497.28 on the grid: 497 would be outside.
    expect(close('1', '2486.36', coarse).price).toBe('498')
    expect(close('-1', '2486.36', coarse).price).toBe('4470')
    // Between 1.2222 and 1.2278 there is no price of three figures, nor one on the other side.
    const narrow = 'Order price cannot be more than 0.1% away from the reference price'
    const none = [tick, tick, tick, narrow].reduce(nextManner, plainManner)
    expect(close('1', '1.2345', none, '1.2345', small).price).toBe('1.2333')
  })

  test('learns how far the band reaches from the words', () => {
    const text = 'Order price cannot be more than 3% away from the reference price'
    expect(close('1', '2000', after(text)).price).toBe('1940')
    expect(close('-1', '2000', after(text)).price).toBe('2060')
  })

  test.each([
    [1, '1850'],
    [2, '1800'],
    [3, '1700'],
    [5, '1000'],
    [6, '400'],
    [60, '400'],
  ])(
    'that found nothing %i times goes at %s: further each time, as far as the band',
    (times, price) => {
      const text = 'Order could not immediately match against any resting orders. asset=1'
      expect(close('1', '2000', after(text, times)).price).toBe(price)
    },
  )

  test('larger than the largest order is split, into smaller pieces where those were too large', () => {
    const large = (times: number): string[] =>
      close(
        '20000',
        '100',
        after('Order value exceeds the maximum for this asset.', times),
        '100',
        small,
      ).sizes
    expect(large(0)).toEqual(Array(4).fill('5000'))
    expect(large(1)).toEqual(Array(8).fill('2500'))
    expect(large(2)).toEqual(Array(10).fill('1250'))
  })

  test('is valued at the dearest of limit, mid and mark', () => {
    expect(close('5000', '100', plainManner, '101', small).sizes).toEqual(['2500', '2500'])
    expect(close('-5000', '100', plainManner, '100', small).sizes).toEqual(['2500', '2500'])
  })

  test('off the grid is asked for with fewer figures, outward', () => {
    const tick = 'Price must be divisible by tick size. asset=1'
    const btc = marketOf({ coin: 'BTC', asset: 0, sizeDecimals: 5, maxLeverage: 40 })
    const at = (times: number, size = '0.1'): string =>
      close(size, '123456', after(tick, times), '123456', btc).price
    expect([0, 1, 2, 3, 4].map((times) => at(times))).toEqual([
      ...['117283', '117280', '117200', '117000', '117283'],
    ])
    expect(at(1, '-0.1')).toBe('129630')
  })

  test('of a coin worth little keeps its decimals, and never comes to a price of nothing', () => {
    const tick = 'Price must be divisible by tick size.'
    const penny = marketOf({ coin: 'P', asset: 3, sizeDecimals: 0, maxLeverage: 5 })
    const at = (price: string, times: number): string =>
      close('100000', price, after(tick, times), price, penny).price
    expect(at('1.2345', 1)).toBe('1.1727')
    expect(at('0.000002', 1)).toBe('0.000001')
  })

  test('of too little is asked for at the least value', () => {
    const text = 'Order must have minimum value of $10. asset=1'
    expect(close('0.001', '2000', after(text)).sizes).toEqual(['0.0053'])
    expect(close('1', '2000', after(text)).sizes).toEqual(['1'])
  })
})

describe('a next try', () => {
  const waits = new Set([
    ...['too_many_orders', 'nothing_to_reduce', 'gone', 'expired', 'nonce', 'allowance'],
    // Once the lists were read it goes by another id.
    ...['margin', 'closed_market', 'not_listed', 'signer'],
  ])
  test.each(venueTexts)('after %s differs unless only time can help: %s', (kind, text) => {
    const next = nextManner(plainManner, text)
    expect(JSON.stringify(next) !== JSON.stringify(plainManner)).toBe(!waits.has(kind))
  })

  test('after words that nobody knows changes one thing after the other', () => {
    const tried = [1, 2, 3, 4].map((times) => {
      const { shrink, reach, figures } = after('What?', times)
      return { shrink, reach, figures }
    })
    expect(tried).toEqual([
      { shrink: 1, reach: 0, figures: null },
      { shrink: 1, reach: 1, figures: null },
      { shrink: 1, reach: 1, figures: 5 },
      { shrink: 2, reach: 1, figures: 5 },
    ])
  })

  test('whatever was refused, however often: positive sizes on the lot that never exceed what is asked', () => {
    const texts = venueTexts.map(([, text]) => text)
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...texts), { maxLength: 40 }),
        fc.integer({ min: 1, max: 10_000_000 }),
        fc.boolean(),
        fc.integer({ min: 1, max: 99_999 }),
        fc.integer({ min: 1, max: 99_999 }),
        (refusals, units, isShort, mid, mark) => {
          const manner = refusals.reduce(nextManner, plainManner)
          const size = new Decimal(BigInt(isShort ? -units : units), 1)
          const prices = {
            price: new Decimal(BigInt(mid), 2),
            mark: new Decimal(BigInt(mark), 2),
            oracle: null,
          }
          const { orders, left } = closeOrders(small, size, prices, countingMint(), manner)
          const sum = orders.reduce((total, order) => total.plus(order.size), Decimal.zero)
          expect(orders.length).toBeGreaterThan(0)
          expect(orders.length).toBeLessThanOrEqual(10)
          if (!manner.isEnlarged) expect(sum.plus(left).eq(size.abs())).toBe(true)
          for (const order of orders) {
            expect(order.isReduceOnly && order.isBuy === isShort).toBe(true)
            expect(order.size.isPositive() && order.price.isPositive()).toBe(true)
            expect(isOnPriceGrid(small, order.price)).toBe(true)
          }
        },
      ),
      { numRuns: 1_000 },
    )
  })
})

describe('a stop', () => {
  const stop = (size: string, trigger: string, market = eth) => ({
    order: stopOrder(market, d(size), d(trigger), countingMint()),
    trigger: d(trigger),
  })

  const untold = { mark: null, oracle: null }
  const around = (mark: string) => ({ mark: d(mark), oracle: null })
  const triggerIn = (type: Order['type']): string | null =>
    type.kind === 'trigger' ? type.triggerPrice.toString() : null

  test('that fits stays as it is', () => {
    const placed = stop('1', '2440')
    const { orders, left } = stopPieces(eth, placed, around('2486'), countingMint())
    expect(JSON.stringify(orders)).toBe(JSON.stringify([placed.order]))
    expect(left.isZero()).toBe(true)
  })

  test('that is too large is split, each piece with an id of its own', () => {
    const placed = stop('20000', '98', small)
    const { orders } = stopPieces(small, placed, around('100'), countingMint())
    expect(orders.map(({ size }) => size.toString())).toEqual(Array(4).fill('5000'))
    expect(orders[0]?.cloid).toBe(placed.order.cloid)
    const limit = d('88.2')
    for (const each of orders) expect(each).toMatchObject({ price: limit, type: placed.order.type })
  })

  test.each([
    // 10% beyond 2440 is 2196; the band around this mark begins at 2200, 9.8% beyond.
    ['1', '2440', '11000', '2440', '2200'],
    // It begins at 2400, 1.6% beyond: no room to fill. 2400 is 10% beyond 2666.7.
    ['1', '2440', '12000', '2666.7', '2400'],
    // 10% beyond 2440 is 2684; these bands end at 2682 and at 2520.
    ['-1', '2440', '1490', '2440', '2682'],
    ['-1', '2440', '1400', '2290.9', '2520'],
  ])(
    'of %s at %s with the mark at %s has its trigger at %s and its limit at %s, inside the band',
    (size, trigger, mark, placed, limit) => {
      const { orders } = stopPieces(eth, stop(size, trigger), around(mark), countingMint())
      expect(orders.map(({ price, type }) => [price.toString(), triggerIn(type)])).toEqual([
        [limit, placed],
      ])
    },
  )

  test('without a mark is measured from its trigger; of too little it asks for the least', () => {
    const text = 'Order must have minimum value of $10. asset=1'
    const { orders } = stopPieces(eth, stop('0.001', '2440'), untold, countingMint(), after(text))
    expect(orders.map(({ price, size }) => [price.toString(), size.toString()])).toEqual([
      ['2196', '0.0046'],
    ])
  })
})

test('law: whatever was refused before, no close and no stop is priced outside the band', () => {
  const texts = venueTexts.map(([, text]) => text)
  const price = fc.integer({ min: 10_000, max: 99_999_999 }).map((at) => new Decimal(BigInt(at), 4))
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(bandText, ...texts), { maxLength: 30 }),
      fc.boolean(),
      price,
      price,
      fc.option(price),
      (refusals, isShort, mid, mark, oracle) => {
        const manner = refusals.reduce(nextManner, plainManner)
        const [size, mint] = [d(isShort ? '-1' : '1'), countingMint()]
        const around = [mark, oracle ?? mark].map((each) => bandAround(each, manner.bandShare))
        const order = stopOrder(small, size, mid, mint)
        const { orders: stops } = stopPieces(
          ...([small, { order, trigger: mid }, { mark, oracle }, mint, manner] as const),
        )
        const closes = closeOrders(small, size, { price: mid, mark, oracle }, mint, manner)
        const both = sharedBand(small, around[0]!, around[1]!)
        const bands = both === null ? around : [both]
        for (const each of [...stops, ...closes.orders]) {
          expect(bands.some((band) => isInBand(each.price, band))).toBe(true)
        }
        for (const { type, price: limit } of stops) {
          const trigger = type.kind === 'trigger' ? type.triggerPrice : mid
          expect(hasRoom(trigger, limit, !isShort)).toBe(true)
          expect(isShort ? trigger.lte(mid) : trigger.gte(mid)).toBe(true)
        }
      },
    ),
    { numRuns: 2_000 },
  )
})
