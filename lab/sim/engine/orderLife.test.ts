import { describe, expect, test } from 'vitest'
import type { VenueEvent } from './venueEvent.ts'
import {
  account,
  alice,
  bob,
  d,
  eth,
  limit,
  oidOf,
  price,
  send,
  sizeOf,
  statuses,
  story,
  testCloid,
  testVenue,
  trigger,
} from './venue.fixture.ts'

const stop = trigger('sell', '1', '1950', '1800', 'sl')
const profit = trigger('sell', '1', '2100', '2000', 'tp')
const long = (size: string, type: 'cross' | 'isolated' = 'cross') => ({
  positions: [{ coin: eth, size: d(size), leverage: { type, value: 10 } }],
})

/** Oids of the open orders, oldest first. */
const open = (venue: ReturnType<typeof testVenue>, who = alice): number[] =>
  venue
    .openOrders(who)
    .map(({ oid }) => oid)
    .reverse()

describe('normalTpsl', () => {
  test('a parent that fills at once: the children watch the mark', () => {
    const venue = testVenue()
    const entry = limit('buy', '1', '2100', { tif: 'Ioc', cloid: testCloid(1) })
    const reply = send(venue, alice, [entry, stop, profit], 'normalTpsl')
    expect(statuses(reply)).toEqual([
      {
        filled: {
          totalSz: '1.0',
          avgPx: '2000.1',
          oid: expect.any(Number) as number,
          cloid: testCloid(1),
        },
      },
      'waitingForTrigger',
      'waitingForTrigger',
    ])
    const [first, second] = open(venue) as [number, number]
    price(venue, '1950')
    expect(sizeOf(venue, alice)).toBe('0')
    expect(story(venue, alice, first)).toEqual(['open', 'triggered', 'filled'])
    expect(story(venue, alice, second).at(-1)).toBe('siblingFilledCanceled')
    expect(open(venue)).toEqual([])
  })

  test('a resting parent: the children wait, are nested and listed, and follow its fill', () => {
    const venue = testVenue()
    const reply = send(venue, alice, [limit('buy', '1', '1990'), stop, profit], 'normalTpsl')
    expect(statuses(reply)).toEqual([
      { resting: { oid: oidOf(reply) } },
      'waitingForFill',
      'waitingForFill',
    ])
    const [, first, second] = open(venue) as [number, number, number]
    const parent = venue.openOrders(alice).find(({ oid }) => oid === oidOf(reply))
    expect(parent?.children.map(({ oid }) => oid)).toEqual([first, second])
    price(venue, '1980')
    expect(sizeOf(venue, alice)).toBe('1')
    expect(open(venue)).toEqual([first, second])
    price(venue, '2100')
    expect(story(venue, alice, second)).toEqual(['open', 'triggered', 'filled'])
    expect(open(venue)).toEqual([])
  })

  test('a child waiting for its parent does not fire', () => {
    const venue = testVenue()
    send(
      venue,
      alice,
      [limit('buy', '1', '1900'), trigger('sell', '1', '1950', '1800', 'sl')],
      'normalTpsl',
    )
    price(venue, '1940')
    expect(open(venue)).toHaveLength(2)
    expect(venue.fills(alice)).toEqual([])
    price(venue, '1890')
    expect(venue.fills(alice).map(({ dir }) => dir)).toEqual(['Close Long', 'Open Long'])
  })

  test('canceling the parent first takes the children along', () => {
    const venue = testVenue()
    send(venue, alice, [limit('buy', '1', '1990'), stop, profit], 'normalTpsl')
    const cancels = open(venue).map((oid) => ({ asset: 1, oid }))
    const gone = { error: 'Order was never placed, already canceled, or filled. asset=1' }
    expect(statuses(venue.apply(alice, { type: 'cancel', cancels }))).toEqual([
      'success',
      gone,
      gone,
    ])
  })

  test('children first gives three successes', () => {
    const venue = testVenue()
    send(venue, alice, [limit('buy', '1', '1990'), stop, profit], 'normalTpsl')
    const cancels = open(venue)
      .reverse()
      .map((oid) => ({ asset: 1, oid }))
    expect(statuses(venue.apply(alice, { type: 'cancel', cancels }))).toEqual([
      'success',
      'success',
      'success',
    ])
  })

  test('a parent that is refused refuses its children, and a refused child leaves the parent', () => {
    const venue = testVenue()
    const far = limit('buy', '1', '1990', { tif: 'Ioc' })
    const text = 'Order could not immediately match against any resting orders. asset=1'
    expect(statuses(send(venue, alice, [far, stop], 'normalTpsl'))).toEqual([
      { error: text },
      { error: text },
    ])
    const orders = [limit('buy', '1', '2100', { tif: 'Ioc' }), stop]
    const refuse = { text: 'no stops today', only: 'triggers' } as const
    const action = { type: 'order', orders, grouping: 'normalTpsl', builder: null } as const
    expect(statuses(venue.apply(alice, action, { refuse }))).toMatchObject([
      { filled: { totalSz: '1.0' } },
      { error: 'no stops today' },
    ])
    expect(sizeOf(venue, alice)).toBe('1')
  })

  test('a parent that drops its rest takes the waiting children along', () => {
    const venue = testVenue([account(alice, '10000'), account(bob, '10000')])
    send(venue, bob, [limit('sell', '0.5', '2000')])
    const entry = limit('buy', '1', '2000', { tif: 'Ioc' })
    const reply = send(venue, alice, [entry, stop], 'normalTpsl')
    expect(statuses(reply)).toMatchObject([{ filled: { totalSz: '0.5' } }, 'waitingForFill'])
    expect(open(venue)).toEqual([])
    expect(sizeOf(venue, alice)).toBe('0.5')
  })
})

describe('positionTpsl', () => {
  test('size zero closes whatever there is', () => {
    const venue = testVenue([account(alice, '10000', long('1.5'))])
    const whole = trigger('sell', '0', '1950', '1800', 'sl')
    expect(statuses(send(venue, alice, [whole], 'positionTpsl'))).toEqual(['waitingForTrigger'])
    expect(venue.openOrders(alice)[0]).toMatchObject({
      isPositionTpsl: true,
      isReduceOnly: true,
      orderType: 'Stop Market',
      tif: null,
      trigger: { condition: 'Price below 1950' },
    })
    price(venue, '1949')
    expect(sizeOf(venue, alice)).toBe('0')
  })

  test('it ends with the position', () => {
    const venue = testVenue([account(alice, '10000', long('1'))])
    send(venue, alice, [trigger('sell', '0', '1950', '1800', 'sl')], 'positionTpsl')
    const [oid] = open(venue) as [number]
    send(venue, alice, [limit('sell', '1', '1900', { tif: 'Ioc' })])
    expect(story(venue, alice, oid)).toEqual(['open', 'reduceOnlyCanceled'])
  })
})

describe('reduce-only', () => {
  test('a larger order is cut to the position and never flips it', () => {
    const venue = testVenue([account(alice, '10000', long('1'))])
    const reply = send(venue, alice, [
      limit('sell', '3', '1900', { isReduceOnly: true, tif: 'Ioc' }),
    ])
    expect(statuses(reply)).toMatchObject([{ filled: { totalSz: '1.0' } }])
    expect(sizeOf(venue, alice)).toBe('0')
  })

  test('resting orders shrink with the position and end with it, without nonUserCancel', () => {
    const venue = testVenue([account(alice, '10000', long('1'))])
    const oid = oidOf(send(venue, alice, [limit('sell', '5', '2200', { isReduceOnly: true })]))
    expect(venue.openOrders(alice)[0]?.size.toString()).toBe('1')
    expect(venue.openOrders(alice)[0]?.originalSize.toString()).toBe('5')
    send(venue, alice, [limit('sell', '0.4', '1900', { tif: 'Ioc' })])
    expect(venue.openOrders(alice)[0]?.size.toString()).toBe('0.6')
    const seen: VenueEvent[] = []
    venue.onEvent((events) => seen.push(...events))
    send(venue, alice, [limit('sell', '0.6', '1900', { tif: 'Ioc' })])
    expect(story(venue, alice, oid).at(-1)).toBe('reduceOnlyCanceled')
    expect(seen.filter(({ kind }) => kind === 'nonUserCancel')).toEqual([])
  })

  test.each([
    ['cancel-oldest', 1],
    ['independent', 2],
  ] as const)('two that exceed the position (%s) leave %i', (reduceOnlyExcess, left) => {
    const venue = testVenue([account(alice, '10000', long('1'))], { reduceOnlyExcess })
    send(venue, alice, [limit('sell', '0.7', '2200', { isReduceOnly: true })])
    send(venue, alice, [limit('sell', '0.7', '2300', { isReduceOnly: true })])
    expect(open(venue)).toHaveLength(left)
  })
})

describe('triggers', () => {
  test.each([
    ['ge', 'filled'],
    ['gt', 'open'],
  ] as const)('a mark exactly at the trigger (%s): %s', (trigger_cmp, status) => {
    const venue = testVenue([account(alice, '10000', long('1'))], { trigger_cmp })
    const oid = oidOf(send(venue, alice, [stop]))
    price(venue, '1950')
    expect(venue.orderStatus(alice, oid)?.status).toBe(status)
  })

  test.each([
    ['reject', 'iocCancelRejected', '1'],
    ['rest', 'open', '1'],
  ] as const)('a gap through the limit of a stop (%s): %s', (rule, status, size) => {
    const venue = testVenue([account(alice, '10000', long('1'))], {
      triggeredMarketWithoutMatch: rule,
    })
    const oid = oidOf(send(venue, alice, [trigger('sell', '1', '1950', '1940', 'sl')]))
    price(venue, '1900')
    expect(venue.orderStatus(alice, oid)?.status).toBe(status)
    expect(sizeOf(venue, alice)).toBe(size)
  })

  test('a stop limit goes to the book', () => {
    const venue = testVenue([account(alice, '10000', long('1'))])
    const oid = oidOf(
      send(venue, alice, [trigger('sell', '1', '1950', '1960', 'sl', { isMarket: false })]),
    )
    price(venue, '1950')
    expect(story(venue, alice, oid)).toEqual(['open', 'triggered', 'open'])
    price(venue, '1970')
    expect(venue.orderStatus(alice, oid)?.status).toBe('filled')
  })

  test('a stop entry may stand alone and needs margin when it fires', () => {
    const venue = testVenue([account(alice, '100')])
    const entry = trigger('buy', '1', '2100', '2200', 'sl', { isReduceOnly: false })
    const poor = trigger('buy', '5', '2110', '2200', 'sl', { isReduceOnly: false })
    const reply = send(venue, alice, [entry, poor])
    price(venue, '2120')
    expect(sizeOf(venue, alice)).toBe('0')
    expect(venue.orderStatus(alice, oidOf(reply))?.status).toBe('perpMarginRejected')
    const rich = testVenue()
    send(rich, alice, [entry])
    price(rich, '2120')
    expect(sizeOf(rich, alice)).toBe('1')
  })

  test('the mark fires, not the mid', () => {
    const venue = testVenue([account(alice, '10000', long('1'))])
    send(venue, alice, [stop])
    venue.setPrice(eth, { mid: d('1900'), mark: d('1960') })
    expect(sizeOf(venue, alice)).toBe('1')
    venue.setPrice(eth, { mid: d('1900'), mark: d('1949.5') })
    expect(sizeOf(venue, alice)).toBe('0')
  })
})

describe('matching', () => {
  test('price first, then time; the maker sets the price', () => {
    const venue = testVenue()
    const first = oidOf(send(venue, bob, [limit('sell', '0.1', '2000')]))
    const better = oidOf(send(venue, bob, [limit('sell', '0.1', '2000')]))
    send(venue, alice, [limit('buy', '0.15', '2100', { tif: 'Ioc' })])
    expect(venue.orderStatus(bob, first)?.status).toBe('filled')
    expect(venue.openOrders(bob)).toMatchObject([{ oid: better }])
    expect(venue.openOrders(bob)[0]?.size.toString()).toBe('0.05')
    expect(venue.fills(alice).map((fill) => fill.price.toString())).toEqual(['2000', '2000'])
  })

  test('an account does not trade with itself: the resting order ends', () => {
    const venue = testVenue()
    const resting = oidOf(send(venue, alice, [limit('sell', '0.1', '2000')]))
    const seen: VenueEvent[] = []
    venue.onEvent((events) => seen.push(...events))
    send(venue, alice, [limit('buy', '0.1', '2000')])
    expect(venue.orderStatus(alice, resting)?.status).toBe('selfTradeCanceled')
    expect(seen.filter(({ kind }) => kind === 'trade')).toEqual([])
    expect(venue.openOrders(alice)).toHaveLength(1)
  })

  test('a maker that can no longer afford its order loses it', () => {
    const parts = [account(alice, '10000'), account(bob, '110')]
    const venue = testVenue(parts, { leverageWithOrders: 'accept' })
    const resting = oidOf(send(venue, bob, [limit('buy', '1', '1999.9')]))
    expect(venue.flow(bob, d('-10')).ok).toBe(true)
    venue.apply(bob, { type: 'updateLeverage', asset: 1, isCross: true, leverage: 2 })
    price(venue, '1990')
    expect(venue.orderStatus(bob, resting)?.status).toBe('marginCanceled')
    expect(sizeOf(venue, bob)).toBe('0')
  })

  test.each([
    ['resting', 'resting'],
    ['filled', 'filled'],
  ] as const)('a Gtc that partly fills answers %s', (partialGtcReply, key) => {
    const venue = testVenue(undefined, { partialGtcReply })
    send(venue, bob, [limit('sell', '0.5', '2000')])
    const reply = send(venue, alice, [limit('buy', '1', '2000')])
    expect(statuses(reply)).toMatchObject([{ [key]: { oid: oidOf(reply) } }])
    expect(venue.openOrders(alice)[0]?.size.toString()).toBe('0.5')
  })
})

describe('modify', () => {
  const modify = (
    venue: ReturnType<typeof testVenue>,
    oid: number,
    order = limit('buy', '1', '1910'),
  ) => venue.apply(alice, { type: 'modify', modify: { ref: { oid }, order } })

  test('cancels and places: a new oid, the same cloid, no oid in the answer', () => {
    const venue = testVenue()
    const cloid = testCloid(3)
    const old = oidOf(send(venue, alice, [limit('buy', '1', '1900', { cloid })]))
    expect(modify(venue, old, limit('buy', '1', '1910', { cloid }))).toEqual({
      status: 'ok',
      response: { type: 'default' },
    })
    expect(venue.orderStatus(alice, old)?.status).toBe('canceled')
    expect(venue.orderStatus(alice, cloid)?.order.limitPrice.toString()).toBe('1910')
    expect(venue.openOrders(alice)).toHaveLength(1)
  })

  test('a crossing order loses both', () => {
    const venue = testVenue()
    const old = oidOf(send(venue, alice, [limit('buy', '1', '1900')]))
    expect(modify(venue, old, limit('buy', '1', '2100'))).toEqual({
      status: 'err',
      response:
        'Error placing new order during modify: Post only order would have immediately matched, bbo was 1999.9@2000.1. asset=1',
    })
    expect(venue.openOrders(alice)).toEqual([])
  })

  test('always-place may be anything and needs no old order', () => {
    const venue = testVenue()
    const order = limit('buy', '1', '2100', { tif: 'Ioc' })
    const modifies = [{ ref: { oid: 1 }, order }]
    const action = { type: 'batchModify', modifies, alwaysPlace: true } as const
    expect(statuses(venue.apply(alice, action))).toMatchObject([{ filled: { totalSz: '1.0' } }])
  })

  test('a trigger is not placed by a plain modify, unless the rule is off', () => {
    const parts = [account(alice, '10000', long('1'))]
    const strict = testVenue(parts)
    const oid = oidOf(send(strict, alice, [stop]))
    expect(modify(strict, oid, stop)).toMatchObject({ status: 'err' })
    expect(open(strict)).toEqual([oid])
    const any = testVenue(parts, { modifyRule: 'any' })
    const other = oidOf(send(any, alice, [stop]))
    expect(modify(any, other, trigger('sell', '1', '1960', '1800', 'sl'))).toMatchObject({
      status: 'ok',
    })
    expect(any.openOrders(alice)[0]?.trigger?.price.toString()).toBe('1960')
  })
})
