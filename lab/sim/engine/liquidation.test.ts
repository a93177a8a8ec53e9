import { describe, expect, test } from 'vitest'
import type { VenueEvent } from './venueEvent.ts'
import type { Venue } from './venue.ts'
import {
  account,
  alice,
  d,
  eth,
  limit,
  oidOf,
  price,
  send,
  sizeOf,
  startMs,
  testVenue,
  trigger,
} from './venue.fixture.ts'

const held = (size: string, type: 'cross' | 'isolated', value: number) => ({
  positions: [{ coin: eth, size: d(size), leverage: { type, value } }],
})

function seen(venue: Venue): VenueEvent[] {
  const all: VenueEvent[] = []
  venue.onEvent((events) => all.push(...events))
  return all
}

const valueOf = (venue: Venue): string => venue.perpState(alice).margin.accountValue.toString()

describe('cross', () => {
  /**
   * 10 ETH long at 2000 with 1000 of equity, maximum leverage 25. At a mark of m the equity is
   * 1000 + 10(m - 2000) and the maintenance margin 10m / 50, so the edge is at 19000 / 9.8.
   */
  const start = () => testVenue([account(alice, '1000', held('10', 'cross', 25))])

  test('the shown price is the edge', () => {
    const shown = start().perpState(alice).positions[0]?.liquidationPrice
    expect(shown?.toString()).toBe('1938.7755102041')
  })

  test('just above the edge nothing happens', () => {
    const venue = start()
    price(venue, '1938.8')
    expect(sizeOf(venue, alice)).toBe('10')
  })

  test('below it the position is sold into the book for a fee, and orders end', () => {
    const venue = start()
    const stop = oidOf(send(venue, alice, [trigger('sell', '10', '1900', '1700', 'sl')]))
    const events = seen(venue)
    price(venue, '1938.7')
    expect(sizeOf(venue, alice)).toBe('0')
    // 10 sold at 1938.6: 1000 - 614, less 0.045% of 19386.
    expect(valueOf(venue)).toBe('377.2763')
    expect(venue.orderStatus(alice, stop)?.status).toBe('liquidatedCanceled')
    const [fill] = venue.fills(alice)
    expect(fill).toMatchObject({
      dir: 'Close Long',
      liquidation: { liquidatedUser: alice, method: 'market' },
    })
    expect(fill?.fee.toString()).toBe('8.7237')
    expect(fill?.closedPnl.toString()).toBe('-614')
    expect(venue.orderStatus(alice, fill?.oid ?? 0)).toBeNull()
    expect(events.map(({ kind }) => kind)).toContain('liquidation')
    expect(venue.ledger(alice).filter(({ delta }) => delta.type === 'liquidation')).toEqual([])
  })

  test('a gap below two thirds of the maintenance margin: the liquidator takes all', () => {
    const venue = start()
    // Equity 1000 - 850 = 150, maintenance 383, two thirds of it 255.33.
    price(venue, '1915')
    expect(sizeOf(venue, alice)).toBe('0')
    expect(valueOf(venue)).toBe('0')
    expect(venue.fills(alice)[0]?.liquidation?.method).toBe('backstop')
    expect(venue.fills(alice)[0]?.dir).toBe('Liquidated Cross Long')
    expect(venue.ledger(alice).at(-1)?.delta).toMatchObject({
      ...{ type: 'liquidation', leverageType: 'Cross' },
      positions: [{ coin: 'ETH' }],
    })
    expect(venue.fills(alice)[0]?.price.toString()).toBe('1915')
    const { deposited, held: cash, feesCollected } = venue.audit()
    expect(cash.plus(feesCollected).eq(deposited)).toBe(true)
  })

  test('at the bankruptcy price if so chosen', () => {
    const venue = testVenue([account(alice, '1000', held('10', 'cross', 25))], {
      backstopPrice: 'bankruptcy',
    })
    price(venue, '1915')
    expect(venue.fills(alice)[0]?.price.toString()).toBe('1900')
    expect(valueOf(venue)).toBe('0')
  })
})

test('a large position goes a fifth at a time, then whole during the cooldown', () => {
  // 100 ETH at 2000 with 10000: equity 10000 + 100(m - 2000), maintenance 2m, edge at 190000 / 98.
  const venue = testVenue([account(alice, '10000', held('100', 'cross', 25))])
  price(venue, '1937')
  expect(sizeOf(venue, alice)).toBe('80')
  // 80 ETH at 1937: maintenance 3099.2; equity 3700 less what the sale at 1936.9 lost and cost.
  expect(valueOf(venue)).toBe('3680.5679')
  price(venue, '1928')
  // Equity 2960.5679 is below the maintenance margin of 3084.8 and above two thirds of it.
  expect(sizeOf(venue, alice)).toBe('0')
  // What is left of the account once all 80 were sold at 1927.9, less the fee.
  expect(valueOf(venue)).toBe('2883.1635')
})

test('after the cooldown it is a fifth again', () => {
  const venue = testVenue([account(alice, '10000', held('100', 'cross', 25))])
  price(venue, '1937')
  venue.advanceTo(startMs + 30_001)
  price(venue, '1928')
  expect(sizeOf(venue, alice)).toBe('64')
})

describe('isolated', () => {
  /** 1 ETH long at 2000 with 100 of margin: equity m - 1900, maintenance m / 50, edge 1900 / 0.98. */
  const start = () => testVenue([account(alice, '1000', held('1', 'isolated', 20))])

  test('the margin is the value over the leverage and the account value is what was asked', () => {
    const venue = start()
    const { margin, cross, positions } = venue.perpState(alice)
    expect(margin.accountValue.toString()).toBe('1000')
    expect(cross.accountValue.toString()).toBe('900')
    expect(positions[0]?.marginUsed.toString()).toBe('100')
    expect(positions[0]?.leverage.rawUsd?.toString()).toBe('-1900')
    expect(positions[0]?.liquidationPrice?.toString()).toBe('1938.7755102041')
  })

  test('only the position is liquidated, and only its margin is lost', () => {
    const venue = start()
    const other = oidOf(send(venue, alice, [{ ...limit('buy', '0.01', '80000'), asset: 0 }]))
    price(venue, '1938.7')
    expect(sizeOf(venue, alice)).toBe('0')
    // Sold at 1938.6: 900 + 38.6, less 0.045% of 1938.6.
    expect(valueOf(venue)).toBe('937.72763')
    expect(venue.orderStatus(alice, other)?.status).toBe('open')
    expect(venue.fills(alice)[0]?.dir).toBe('Close Long')
  })

  test('a gap through the margin does not touch the rest', () => {
    const venue = start()
    price(venue, '1500')
    expect(valueOf(venue)).toBe('900')
    const { deposited, held: cash, feesCollected } = venue.audit()
    expect(cash.plus(feesCollected).eq(deposited)).toBe(true)
  })

  test('margin can be added and taken back down to the initial margin', () => {
    const venue = start()
    const move = (ntli: number) =>
      venue.apply(alice, { type: 'updateIsolatedMargin', asset: 1, isBuy: true, ntli })
    expect(move(50_000_000)).toMatchObject({ status: 'ok' })
    expect(venue.perpState(alice).positions[0]?.marginUsed.toString()).toBe('150')
    const err = (response: string) => ({ status: 'err', response })
    expect(move(-60_000_000)).toEqual(
      err('Position does not have sufficient margin for reduction.'),
    )
    expect(move(851_000_000)).toEqual(
      err('Account does not have sufficient margin available for increase.'),
    )
    expect(move(0)).toEqual(err('Update to isolated margin cannot be zero.'))
    const topUp = { type: 'topUpIsolatedOnlyMargin', asset: 1, leverage: d('2') } as const
    expect(venue.apply(alice, topUp)).toEqual(err('Asset not strict isolated'))
    expect(valueOf(venue)).toBe('1000')
  })

  test('there is no margin to move while nothing is held', () => {
    const venue = testVenue([account(alice, '1000')])
    const add = { type: 'updateIsolatedMargin', asset: 1, isBuy: true, ntli: 1 } as const
    const response = 'Position does not use isolated margin.'
    expect(venue.apply(alice, add)).toEqual({ status: 'err', response })
    venue.apply(alice, { type: 'updateLeverage', asset: 1, isCross: false, leverage: 20 })
    const empty = 'Cannot update margin for empty position.'
    expect(venue.apply(alice, add)).toEqual({ status: 'err', response: empty })
  })

  test('taking margin back keeps a tenth of the value', () => {
    const venue = testVenue([account(alice, '1000', held('1', 'isolated', 10))])
    const move = (ntli: number) =>
      venue.apply(alice, { type: 'updateIsolatedMargin', asset: 1, isBuy: true, ntli })
    expect(move(-1)).toMatchObject({ status: 'err' })
    move(10_000_000)
    expect(move(-10_000_000)).toMatchObject({ status: 'ok' })
  })

  test('the fee is paid from the margin', () => {
    const venue = testVenue([account(alice, '1000')])
    venue.apply(alice, { type: 'updateLeverage', asset: 1, isCross: false, leverage: 20 })
    send(venue, alice, [limit('buy', '1', '2100', { tif: 'Ioc' })])
    // 2000.1 / 20 = 100.005 of margin, 0.900045 of fee, marked at 2000.
    const { positions, cross } = venue.perpState(alice)
    expect(positions[0]?.leverage.rawUsd?.toString()).toBe('-1900.995045')
    expect(positions[0]?.marginUsed.toString()).toBe('99.004955')
    expect(cross.accountValue.toString()).toBe('899.995')
  })

  test('closing half gives half of the margin back', () => {
    const venue = start()
    send(venue, alice, [limit('sell', '0.5', '1900', { tif: 'Ioc' })])
    // Sold at 1999.9 for a fee of 0.449977: equity there 99.9 - 0.449977, half of it stays.
    const { positions, cross } = venue.perpState(alice)
    expect(positions[0]?.leverage.rawUsd?.toString()).toBe('-950.224989')
    expect(cross.accountValue.toString()).toBe('949.725012')
  })
})
