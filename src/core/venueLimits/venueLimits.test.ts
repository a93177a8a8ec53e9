import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isOnLot, isOnPriceGrid } from '../protocol/grid.ts'
import { Decimal } from '../values/decimal.ts'
import { largestLimitOrder, largestMarketOrder } from './largestOrder.ts'
import { isBelowMinimum, sizeOfMinimum } from './minimumValue.ts'
import { isCrowded, ordersToClear } from './openOrders.ts'
import { closableSize, piecesOf } from './piecesOf.ts'
import { bandAround, bandShareIn, insideBand, sharedBand, surestEdge } from './priceBand.ts'

const d = Decimal.of
const textsOf = (sizes: readonly Decimal[]): string[] => sizes.map((size) => size.toString())

describe('the largest order, by the maximum leverage of the coin', () => {
  test.each([
    [50, '30000000'],
    [25, '30000000'],
    [24, '5000000'],
    [20, '5000000'],
    [19, '2000000'],
    [10, '2000000'],
    [9, '500000'],
    [3, '500000'],
    [1, '500000'],
  ])('%i: %s USD at market, ten times that at a limit', (maxLeverage, usd) => {
    expect(largestMarketOrder({ maxLeverage }).toString()).toBe(usd)
    expect(largestLimitOrder({ maxLeverage }).toString()).toBe(`${usd}0`)
  })
})

describe('pieces', () => {
  const market = { maxLeverage: 5, sizeDecimals: 2 }
  test.each<[string, string, number, readonly string[], string]>([
    // 500,000 USD in one order.
    ['1', '100', 0, ['1'], '0'],
    ['5000', '100', 0, ['5000'], '0'],
    ['5000.01', '100', 0, ['2500.01', '2500'], '0'],
    ['20000', '100', 0, ['5000', '5000', '5000', '5000'], '0'],
    ['50000', '100', 0, Array<string>(10).fill('5000'), '0'],
    ['60000', '100', 0, Array<string>(10).fill('5000'), '10000'],
    ['20000', '100', 1, Array<string>(8).fill('2500'), '0'],
    ['20000', '100', 3, Array<string>(10).fill('625'), '13750'],
    // A lot worth more than the largest order is asked for all the same.
    ['0.03', '60000000', 0, ['0.01', '0.01', '0.01'], '0'],
    ['0.02', '100', 40, ['0.01', '0.01'], '0'],
    ['0', '100', 0, [], '0'],
  ])('of %s at %s, halved %i times', (size, price, shrink, pieces, left) => {
    const split = piecesOf(d(size), d(price), market, shrink)
    expect(textsOf(split.pieces)).toEqual(pieces)
    expect(split.left.toString()).toBe(left)
  })

  test('laws: they add up, each fits, each is on the lot, none is much smaller than another', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 1n, max: 10n ** 14n }),
        fc.integer({ min: 0, max: 5 }),
        fc.integer({ min: 1, max: 10 ** 9 }),
        fc.integer({ min: 0, max: 6 }),
        fc.constantFrom(3, 10, 20, 25, 40),
        fc.integer({ min: 0, max: 8 }),
        (units, sizeDecimals, priceUnits, priceScale, maxLeverage, shrink) => {
          const size = new Decimal(units, sizeDecimals)
          const price = new Decimal(BigInt(priceUnits), priceScale)
          const coin = { maxLeverage, sizeDecimals }
          const lot = new Decimal(1n, sizeDecimals)
          const { pieces, left } = piecesOf(size, price, coin, shrink)
          const sum = pieces.reduce((total, piece) => total.plus(piece), Decimal.zero)
          expect(sum.plus(left).eq(size)).toBe(true)
          expect(pieces.length).toBeGreaterThan(0)
          expect(pieces.length).toBeLessThanOrEqual(10)
          const most = Decimal.max(largestMarketOrder(coin), lot.times(price))
          for (const piece of pieces) {
            expect(piece.isPositive() && isOnLot(coin, piece)).toBe(true)
            expect(piece.times(price).lte(most)).toBe(true)
            expect(pieces[0]?.minus(piece).lte(lot)).toBe(true)
          }
          // Something is left only where ten pieces of the largest size do not do.
          if (left.isPositive()) expect(pieces).toHaveLength(10)
          if (shrink === 0 && size.lte(closableSize(price, coin))) expect(left.isZero()).toBe(true)
        },
      ),
      { numRuns: 2_000 },
    )
  })
})

describe('the band', () => {
  const grid = { sizeDecimals: 4 }
  const band = bandAround(d('2000'))
  test.each([
    ['1900', '1900'],
    ['400', '400'],
    ['399', '400'],
    ['3600', '3600'],
    ['3601', '3600'],
    ['0.01', '400'],
  ])('a price of %s at a reference of 2000 becomes %s', (price, inside) => {
    expect(insideBand(grid, d(price), band).toString()).toBe(inside)
  })

  test('its surest edge is low for a sell and high for a buy', () => {
    expect(surestEdge(grid, false, band).toString()).toBe('400')
    expect(surestEdge(grid, true, band).toString()).toBe('3600')
  })

  test.each([
    ['2000', '400', '3600'],
    ['1900', '400', '3420'],
    ['2100', '420', '3600'],
    ['223', '400', '401.4'],
    ['222.223', '400', '400.0014'],
    ['200', null, null],
    ['20000', null, null],
  ])('shared with the one around %s is %s to %s', (other, low, high) => {
    const shared = sharedBand(grid, band, bandAround(d(other)))
    expect([shared?.low.toString() ?? null, shared?.high.toString() ?? null]).toEqual([low, high])
  })

  test('without a price on the grid in both there is no shared one', () => {
    // From 400.002 to 400.00212: the grid has 400.01 next.
    expect(sharedBand(grid, bandAround(d('2000.01')), bandAround(d('222.2234')))).toBeNull()
  })

  test('laws: what comes out is inside and on the grid', () => {
    const decimal = fc
      .tuple(fc.integer({ min: 1, max: 99_999_999 }), fc.integer({ min: 0, max: 4 }))
      .map(([units, scale]) => new Decimal(BigInt(units), scale))
    fc.assert(
      fc.property(decimal, decimal, fc.integer({ min: 0, max: 4 }), (reference, price, at) => {
        const coin = { sizeDecimals: at }
        // Where the grid is coarser than the band there is no price inside it.
        fc.pre(reference.gt(d('100')))
        const around = bandAround(reference)
        const inside = insideBand(coin, price, around)
        expect(inside.gte(around.low) && inside.lte(around.high)).toBe(true)
        expect(inside.eq(price) || isOnPriceGrid(coin, inside)).toBe(true)
        for (const isBuy of [true, false]) {
          const edge = surestEdge(coin, isBuy, around)
          expect(edge.gte(around.low) && edge.lte(around.high)).toBe(true)
          expect(isOnPriceGrid(coin, edge)).toBe(true)
        }
      }),
      { numRuns: 2_000 },
    )
  })

  test.each([
    ['Order price cannot be more than 80% away from the reference price', '0.8'],
    ['Order price cannot be more than 95% away from the reference price', '0.95'],
    ['Order price cannot be more than 2.5% away from the reference price asset=3', '0.025'],
    ['Order price cannot be more than 0% away from the reference price', null],
    ['Price too far from oracle', null],
  ])('how far it reaches by "%s"', (text, share) => {
    expect(bandShareIn(text)?.toString() ?? null).toBe(share)
  })
})

describe('the minimum', () => {
  const grid = { sizeDecimals: 4 }
  test.each([
    ['0.005', '2000', false],
    ['0.0049', '2000', true],
    ['1', '9.99', true],
    ['1', '10', false],
  ])('%s at %s is below it: %s', (size, price, expected) => {
    expect(isBelowMinimum(d(size), d(price))).toBe(expected)
  })

  test.each([
    ['2000', '0.005'],
    ['1999', '0.0051'],
    ['100000', '0.0001'],
    ['10', '1'],
  ])('at %s it is reached by %s', (price, size) => {
    const reached = sizeOfMinimum(grid, d(price))
    expect(reached.toString()).toBe(size)
    expect(isBelowMinimum(reached, d(price))).toBe(false)
    expect(isBelowMinimum(reached.minus(d('0.0001')), d(price))).toBe(true)
  })
})

describe('room for orders', () => {
  test.each([
    [999, 1, false, 20],
    [1000, 1, true, 21],
    [998, 2, false, 20],
    [999, 2, true, 21],
    [5000, 1, true, 4021],
    [0, 1, false, 0],
    [979, 1, false, 0],
  ])('%i open, %i more: crowded %s, to clear %i', (open, wanted, crowded, toClear) => {
    expect(isCrowded(open, wanted)).toBe(crowded)
    expect(ordersToClear(open, wanted)).toBe(toClear)
  })
})
