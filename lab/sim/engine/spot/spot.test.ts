import { describe, expect, test } from 'vitest'
import { coin } from '../../../../src/core/values/coin.ts'
import { Decimal } from '../../../../src/core/values/decimal.ts'
import type { Order } from '../../../../src/core/protocol/action.ts'
import type { VenueOptions } from '../options.ts'
import type { Venue } from '../venue.ts'
import type { AccountSpec } from '../venueConfig.ts'
import {
  account,
  alice,
  bob,
  carol,
  d,
  limit,
  oidOf,
  price,
  send,
  startMs,
  statuses,
  story,
  testCloid,
  testVenue,
  trigger,
} from '../venue.fixture.ts'

const hype = { asset: 10_001 }
const pair = coin('@1')
const dayMs = 86_400_000

/** Alice has 20 HYPE and 500 USDC on her spot side, bob a unified account of 10,000. */
function spotVenue(options: Partial<VenueOptions> = {}, alices: Partial<AccountSpec> = {}): Venue {
  const spot = [
    { token: 'HYPE', total: d('20') },
    { token: 'USDC', total: d('500') },
  ]
  const unified = account(bob, '10000', {
    mode: 'unifiedAccount',
    spot: [{ token: 'HYPE', total: d('1') }],
  })
  return testVenue([account(alice, '1000', { spot, ...alices }), unified], options)
}

const buy = (size: string, at: string, parts = {}): Order =>
  limit('buy', size, at, { ...hype, ...parts })
const sell = (size: string, at: string, parts = {}): Order =>
  limit('sell', size, at, { ...hype, ...parts })
const place = (venue: Venue, who: typeof alice, order: Order) =>
  (statuses(send(venue, who, [order])) as readonly unknown[])[0]

/** Four amounts: all USDC and what orders hold of it, all HYPE and what orders hold of it. */
function balances(venue: Venue, who = alice): string[] {
  const { usdcTotal, usdcHold, tokens, holds } = venue.spotState(who)
  return [usdcTotal, usdcHold, tokens.get('HYPE') ?? d('0'), holds.get('HYPE') ?? d('0')].map(
    String,
  )
}

/** A view of the venue with every Decimal as text, so that a test can compare it. */
function shown(view: object | undefined): unknown {
  const entries = Object.entries(view ?? {})
  return Object.fromEntries(
    entries.map(([name, value]) => [name, value instanceof Decimal ? value.toString() : value]),
  )
}

function expectBalanced(venue: Venue, hypes = '21'): void {
  const { held, feesCollected, deposited, tokens } = venue.audit()
  expect(held.plus(feesCollected).toString()).toBe(deposited.toString())
  expect(tokens.get('HYPE')?.toString()).toBe(hypes)
}

describe('taking', () => {
  test('a sell pays its fee in what it is paid with', () => {
    const venue = spotVenue()
    const reply = place(venue, alice, sell('10', '29', { tif: 'Ioc' }))
    expect(reply).toMatchObject({ filled: { totalSz: '10.0', avgPx: '29.999' } })
    expect(balances(venue)).toEqual(['799.780007', '0', '10', '0'])
    expect(shown(venue.fills(alice)[0])).toMatchObject({
      ...{ coin: '@1', isBuy: false, dir: 'Sell', price: '29.999', size: '10' },
      ...{ startPosition: '20', fee: '0.209993', feeToken: 'USDC', crossed: true },
    })
    expectBalanced(venue)
  })

  test('a buy pays its fee in the token, and a sale realises what it cost', () => {
    const venue = spotVenue()
    place(venue, bob, buy('9', '31', { tif: 'Ioc' }))
    expect(balances(venue, bob)).toEqual(['9729.991', '0', '9.9937', '0'])
    expect(shown(venue.fills(bob)[0])).toMatchObject({
      fee: '0.0063',
      feeToken: 'HYPE',
      dir: 'Buy',
    })
    expect(venue.spotState(bob).costs.get('HYPE')?.toString()).toBe('270.009')
    price(venue, '40', pair)
    place(venue, bob, sell('9.99', '39', { tif: 'Ioc' }))
    const [fill] = venue.fills(bob)
    // The tenth token was given, and cost nothing.
    expect(fill?.closedPnl.toString()).toBe('129.68097631')
    expectBalanced(venue)
  })

  test('an order beyond one price of the house goes on to the next', () => {
    const venue = testVenue([account(alice, '1', { spot: [{ token: 'HYPE', total: d('40000') }] })])
    const reply = place(venue, alice, sell('40000', '29', { tif: 'Ioc' }))
    expect(reply).toMatchObject({ filled: { totalSz: '40000.0' } })
    expect(venue.fills(alice).map((fill) => fill.price.toString())).toEqual(['29.998', '29.999'])
    // The venue's own quotes have filled up again.
    expect(venue.book(pair)?.bids[0]?.size.toString()).toBe('33334.44')
  })

  test('what meets no price it may take is refused', () => {
    const venue = spotVenue()
    expect(place(venue, alice, sell('1', '31', { tif: 'Ioc' }))).toEqual({
      error: 'Order could not immediately match against any resting orders. asset=10001',
    })
  })
})

describe('resting', () => {
  test('holds what it gives, and gives it back when it is cancelled', () => {
    const venue = spotVenue()
    const first = send(venue, alice, [sell('8', '32', { cloid: testCloid(5) })])
    place(venue, alice, buy('5', '28'))
    expect(balances(venue)).toEqual(['500', '140', '20', '8'])
    expect(venue.openOrders(alice).map(({ coin: of, isBuy }) => [of, isBuy])).toEqual([
      ['@1', true],
      ['@1', false],
    ])
    expect(venue.orderStatus(alice, testCloid(5))).toMatchObject({ status: 'open' })
    const byCloid = { type: 'cancelByCloid', cancels: [{ asset: 10_001, cloid: testCloid(5) }] }
    expect(statuses(venue.apply(alice, byCloid as never))).toEqual(['success'])
    expect(statuses(venue.apply(alice, byCloid as never))).toEqual([
      { error: 'Order was never placed, already canceled, or filled. asset=10001' },
    ])
    expect(story(venue, alice, oidOf(first))).toEqual(['open', 'canceled'])
    expect(balances(venue)).toEqual(['500', '140', '20', '0'])
  })

  test('fills at its own price once the market has passed it, as a maker', () => {
    const venue = spotVenue()
    const oid = oidOf(send(venue, alice, [sell('8', '32')]))
    price(venue, '33', pair)
    expect(shown(venue.fills(alice)[0])).toMatchObject({
      price: '32',
      fee: '0.1024',
      crossed: false,
    })
    expect(story(venue, alice, oid)).toEqual(['open', 'filled'])
    expect(balances(venue)).toEqual(['755.8976', '0', '12', '0'])
    expectBalanced(venue)
  })

  test('fills against another account, oldest first, and tells the rest', () => {
    const venue = spotVenue()
    const oid = oidOf(send(venue, alice, [sell('8', '30')]))
    expect(place(venue, bob, buy('3', '30'))).toMatchObject({ filled: { avgPx: '30.0' } })
    expect(shown(venue.openOrders(alice)[0])).toMatchObject({ oid, size: '5', originalSize: '8' })
    expect(shown(venue.recentTrades(pair)[0])).toMatchObject({
      buyer: bob,
      seller: alice,
      size: '3',
    })
    expect(balances(venue)[3]).toBe('5')
    expectBalanced(venue)
  })

  test('an order never trades with its own account', () => {
    const venue = spotVenue()
    const oid = oidOf(send(venue, alice, [sell('8', '30')]))
    place(venue, alice, buy('1', '30'))
    expect(story(venue, alice, oid)).toEqual(['open', 'selfTradeCanceled'])
  })

  test('a modify ends one order and places another', () => {
    const venue = spotVenue()
    const oid = oidOf(send(venue, alice, [sell('8', '32')]))
    const modify = { ref: { oid }, order: sell('18', '33') }
    expect(venue.apply(alice, { type: 'modify', modify } as never)).toMatchObject({ status: 'ok' })
    expect(balances(venue)[3]).toBe('18')
    expect(venue.apply(alice, { type: 'modify', modify } as never)).toMatchObject({
      response: 'Cannot modify canceled or filled order',
    })
  })

  test("a schedule ends spot orders too, and holds of a unified account are no margin's", () => {
    const venue = testVenue([account(bob, '1000', { mode: 'unifiedAccount' })], {
      scheduleCancelVolume: d('0'),
    })
    place(venue, bob, buy('30', '29'))
    expect(balances(venue, bob).slice(0, 2)).toEqual(['1000', '870'])
    const refused = place(venue, bob, limit('buy', '2', '1990'))
    expect(refused).toMatchObject({ error: 'Insufficient margin to place order. asset=1' })
    venue.apply(bob, { type: 'scheduleCancel', time: startMs + 10_000 } as never)
    venue.advanceTo(startMs + 20_000)
    expect(venue.openOrders(bob)).toEqual([])
    expect(place(venue, bob, limit('buy', '2', '1990'))).toMatchObject({ resting: {} })
  })
})

describe('refused', () => {
  test.each<[string, Order, string]>([
    ['too many decimals', sell('1.001', '30'), 'Order has invalid size. asset=10001'],
    ['nothing', sell('0', '30'), 'Order has zero size. asset=10001'],
    ['six figures', sell('1', '30.0001'), 'Price must be divisible by tick size. asset=10001'],
    ['nine decimals', limit('sell', '1', '0.000000001', { asset: 10_000 }), 'reference'],
    ['too little', sell('0.3', '30'), 'Order must have minimum value of 10 USDC. asset=10001'],
    ['too little of another', { ...sell('0.3', '30'), asset: 10_002 }, 'value of 10 USDT0.'],
    ['more than is held', sell('20.01', '30'), 'Insufficient spot balance asset=10001'],
    ['more than is paid for', buy('17', '30'), 'Insufficient spot balance asset=10001'],
    [
      'a token it has none of',
      { ...sell('1', '96000'), asset: 10_003 },
      'Insufficient spot balance',
    ],
    ['an unlisted pair', { ...sell('1', '30'), asset: 10_077 }, 'Invalid asset. asset=10077'],
    ['far away', sell('1', '60'), 'cannot be more than 80% away'],
    ['post only', sell('1', '29', { tif: 'Alo' }), 'bbo was 29.999@30.001. asset=10001'],
    ['reduce-only', sell('1', '30', { isReduceOnly: true }), 'Reduce only order would increase'],
    [
      'a trigger',
      trigger('sell', '1', '28', '27', 'sl', { ...hype, isReduceOnly: false }),
      'TP/SL',
    ],
  ])('%s', (_, order, text) => {
    const venue = spotVenue()
    expect(JSON.stringify(send(venue, alice, [order]))).toContain(text)
    expect(balances(venue)).toEqual(['500', '0', '20', '0'])
  })

  test('an action of two classes, a group, and a vault', () => {
    const venue = spotVenue()
    const mixed = send(venue, alice, [sell('1', '32'), limit('buy', '1', '1900')])
    expect(mixed).toMatchObject({ response: 'Order action has different asset classes' })
    const group = [sell('1', '32'), trigger('buy', '1', '40', '41', 'sl', hype)]
    expect(send(venue, alice, group, 'normalTpsl')).toMatchObject({ status: 'err' })
  })
})

describe('the other readings', () => {
  test('a reduce-only order is taken as any other', () => {
    const venue = spotVenue({ spot_reduce_only: 'ignore' })
    expect(place(venue, alice, sell('1', '32', { isReduceOnly: true }))).toMatchObject({
      resting: {},
    })
  })

  test('a buy holds its fee too', () => {
    const venue = spotVenue({ spot_hold_fee: true, spot_balance_text: 'long' })
    place(venue, alice, buy('10', '28'))
    expect(balances(venue)[1]).toBe('280.196')
    expect(place(venue, alice, buy('8', '27.5'))).toEqual({
      error: 'Order has insufficient spot balance to trade asset=10001',
    })
  })

  test('a trigger waits for the price, then takes or rests', () => {
    const venue = spotVenue({ spot_triggers: 'accept' })
    const parts = { ...hype, isReduceOnly: false }
    const stop = oidOf(send(venue, alice, [trigger('sell', '5', '28', '27', 'sl', parts)]))
    const take = oidOf(send(venue, alice, [trigger('sell', '50', '34', '34', 'tp', parts)]))
    const resting = { ...parts, isMarket: false }
    const gain = oidOf(send(venue, alice, [trigger('sell', '2', '34', '36', 'tp', resting)]))
    const high = oidOf(send(venue, alice, [trigger('sell', '2', '34', '37', 'tp', parts)]))
    expect(balances(venue)[3]).toBe('0')
    expect(venue.openOrders(alice)[0]?.trigger?.condition).toBe('Price above 34')
    price(venue, '27.5', pair)
    expect(story(venue, alice, stop)).toEqual(['open', 'triggered', 'filled'])
    price(venue, '35', pair)
    const gone = ['open', 'triggered', 'insufficientSpotBalanceRejected']
    expect(story(venue, alice, take)).toEqual(gone)
    expect(story(venue, alice, gain)).toEqual(['open', 'triggered', 'open'])
    expect(story(venue, alice, high)).toEqual(['open', 'triggered', 'iocCancelRejected'])
    expectBalanced(venue)
  })
})

test('at midnight what is less than a lot is sold, unless its owner keeps it', () => {
  const dust = [{ token: 'HYPE', total: d('0.004') }]
  const venue = testVenue([
    account(alice, '1000', { spot: dust }),
    account(carol, '1', { spot: dust }),
  ])
  venue.apply(carol, { type: 'spotUser', optOut: true })
  venue.advanceTo(startMs - (startMs % dayMs) + dayMs)
  expect(shown(venue.fills(alice)[0])).toMatchObject({
    dir: 'Spot Dust Conversion',
    tid: 0,
    fee: '0',
  })
  expect(balances(venue)).toEqual(['0.12', '0', '0', '0'])
  expect(balances(venue, carol)[2]).toBe('0.004')
  expectBalanced(venue, '0.008')
})

test('a pair moves to a price of its grid alone', () => {
  const venue = spotVenue()
  expect(venue.setPrice(pair, { mid: d('30.00001') })).toMatchObject({ ok: false })
  price(venue, '31.5', pair)
  expect(venue.spotPairs()[1]).toMatchObject({ price: d('31.5') })
})
