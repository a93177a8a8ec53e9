import { describe, expect, test } from 'vitest'
import { Decimal } from '../../../src/core/values/decimal.ts'
import type { Grouping, Order } from '../../../src/core/protocol/action.ts'
import type { AccountSpec } from './venueConfig.ts'
import type { VenueOptions } from './options.ts'
import {
  account,
  alice,
  bob,
  carol,
  d,
  eth,
  ethAsset,
  limit,
  oidOf,
  send,
  startMs,
  statuses,
  testCloid,
  testVenue,
  trigger,
} from './venue.fixture.ts'

const longOne: Partial<AccountSpec> = {
  positions: [{ coin: eth, size: d('1'), leverage: { type: 'cross', value: 10 } }],
}
const smallLong: Partial<AccountSpec> = {
  positions: [{ coin: eth, size: d('0.004'), leverage: { type: 'cross', value: 10 } }],
}
const twoHundredOne = Array.from({ length: 201 }, () => limit('buy', '0.01', '1900'))

interface Row {
  readonly what: string
  readonly orders: readonly Order[]
  readonly expected: unknown
  readonly grouping?: Grouping
  readonly account?: Partial<AccountSpec>
  readonly options?: Partial<VenueOptions>
}

const bad = (text: string): unknown => [{ error: `${text} asset=1` }]

const rows: readonly Row[] = [
  {
    what: 'a price off the grid',
    orders: [limit('buy', '0.01', '1900.55')],
    expected: bad('Price must be divisible by tick size.'),
  },
  {
    what: 'a value below the minimum',
    orders: [limit('buy', '0.004', '2000.1')],
    expected: bad('Order must have minimum value of $10.'),
  },
  {
    what: 'a partial close below the minimum',
    orders: [limit('sell', '0.003', '2000', { isReduceOnly: true })],
    account: smallLong,
    expected: bad('Order must have minimum value of $10.'),
  },
  {
    what: 'too little margin',
    orders: [limit('buy', '101', '1999')],
    expected: bad('Insufficient margin to place order.'),
  },
  {
    what: 'reduce-only without a position',
    orders: [limit('sell', '0.01', '2000', { isReduceOnly: true, tif: 'Ioc' })],
    expected: bad('Reduce only order would increase position.'),
  },
  {
    what: 'reduce-only on the side of the position',
    orders: [limit('buy', '0.01', '1900', { isReduceOnly: true })],
    account: longOne,
    expected: bad('Reduce only order would increase position.'),
  },
  {
    what: 'post-only through the book',
    orders: [limit('buy', '0.01', '2000.1', { tif: 'Alo' })],
    expected: bad('Post only order would have immediately matched, bbo was 1999.9@2000.1.'),
  },
  {
    what: 'an Ioc that meets nothing',
    orders: [limit('buy', '0.01', '2000', { tif: 'Ioc' })],
    expected: bad('Order could not immediately match against any resting orders.'),
  },
  {
    what: 'a stop that would fire at once',
    orders: [trigger('sell', '1', '2000', '1900', 'sl')],
    account: longOne,
    options: { instantTriggers: 'refuse' },
    expected: bad('Invalid TP/SL price.'),
  },
  {
    what: 'a take-profit on the wrong side',
    orders: [trigger('sell', '1', '1990', '1900', 'tp')],
    account: longOne,
    options: { instantTriggers: 'refuse' },
    expected: bad('Invalid TP/SL price.'),
  },
  {
    what: 'a trigger price off the grid',
    orders: [trigger('sell', '1', '1950.55', '1900', 'sl')],
    account: longOne,
    expected: bad('Invalid TP/SL price.'),
  },
  {
    what: 'too fine a size',
    orders: [limit('buy', '0.00001', '1900')],
    expected: bad('Order has invalid size.'),
  },
  {
    what: 'no size',
    orders: [limit('buy', '0', '1900')],
    expected: bad('Order has zero size.'),
  },
  {
    what: 'no price',
    orders: [limit('buy', '1', '0')],
    options: { referenceBandPercent: 100 },
    expected: bad('Order has invalid price.'),
  },
  {
    what: 'a price far below the reference',
    orders: [limit('buy', '1', '399')],
    expected: 'Order price cannot be more than 80% away from the reference price',
  },
  {
    what: 'a far price refuses its whole batch once',
    orders: [limit('buy', '1', '1900'), limit('sell', '1', '3601')],
    expected: 'Order price cannot be more than 80% away from the reference price',
  },
  {
    what: 'a far price as the only status of its batch',
    orders: [limit('buy', '1', '1900'), limit('buy', '1', '399')],
    options: { prevalidation: 'single_status', referenceBandPercent: 79 },
    expected: [{ error: 'Order price cannot be more than 79% away from the reference price' }],
  },
  {
    what: 'an empty batch',
    orders: [],
    expected: 'Orders are empty',
  },
  {
    what: 'a child that is not reduce-only',
    orders: [
      limit('buy', '1', '1900'),
      trigger('sell', '1', '1850', '1800', 'sl', { isReduceOnly: false }),
    ],
    grouping: 'normalTpsl',
    expected: 'Trigger order is not reduce only. asset=1',
  },
  {
    what: 'a child on another asset than its entry',
    orders: [
      limit('buy', '1', '1900'),
      trigger('sell', '1', '1850', '1800', 'sl', { asset: ethAsset - 1 }),
    ],
    grouping: 'normalTpsl',
    expected: 'Unexpected number of trigger orders',
  },
  {
    what: 'two assets in one batch for a position',
    account: longOne,
    orders: [
      trigger('sell', '1', '1850', '1800', 'sl'),
      trigger('sell', '1', '2100', '2000', 'tp', { asset: ethAsset - 1 }),
    ],
    grouping: 'positionTpsl',
    expected: 'Unexpected number of trigger orders',
  },
  {
    what: "a child on its entry's own side",
    options: { child_side: 'strict' },
    orders: [limit('buy', '1', '1900'), trigger('buy', '1', '1850', '1900', 'sl')],
    grouping: 'normalTpsl',
    expected: 'Trigger order has unexpected side. asset=1',
  },
  {
    what: 'a position beyond its tier',
    orders: [limit('buy', '60000', '2000')],
    account: { equity: d('100000000') },
    expected: bad('Order would cause position to exceed margin tier limit at current leverage'),
  },
  {
    what: 'a trigger as the main order',
    orders: [trigger('sell', '1', '1950', '1900', 'sl')],
    grouping: 'normalTpsl',
    expected: 'Main order cannot be trigger order.',
  },
  {
    what: 'a group without children',
    orders: [limit('buy', '1', '1900')],
    grouping: 'normalTpsl',
    expected: 'Unexpected number of trigger orders',
  },
  {
    what: 'more than 200 orders',
    orders: twoHundredOne,
    expected: 'Signed action over weight limit of 200.',
  },
  {
    what: 'a cloid that an open order has',
    options: { duplicateCloid: 'refuse' },
    orders: [
      limit('buy', '0.01', '1900', { cloid: testCloid(1) }),
      limit('buy', '0.01', '1901', { cloid: testCloid(1) }),
    ],
    expected: [
      { resting: { oid: expect.any(Number) as number, cloid: testCloid(1) } },
      { error: 'Client order id is already used by an open order. asset=1' },
    ],
  },
]

describe('orders', () => {
  test.each(rows)('$what', ({ orders, expected, grouping, account: parts, options }) => {
    const venue = testVenue([account(alice, '10000', parts)], options)
    expect(statuses(send(venue, alice, orders, grouping))).toEqual(expected)
  })

  test.each([
    ['the whole position, reduce-only', '0.004', true],
    ['the whole position', '0.004', false],
    ['more than the position, reduce-only', '0.0045', true],
  ])('%s may be below the minimum', (_, size, isReduceOnly) => {
    const venue = testVenue([account(alice, '10000', smallLong)])
    const reply = send(venue, alice, [limit('sell', size, '1999', { isReduceOnly, tif: 'Ioc' })])
    expect(statuses(reply)).toMatchObject([{ filled: { totalSz: '0.004', avgPx: '1999.9' } }])
  })

  test('an account without money', () => {
    expect(send(testVenue(), carol, [limit('buy', '1', '1900')])).toEqual({
      status: 'err',
      response: `Must deposit before performing actions. User: ${carol}`,
    })
  })

  test('a market order into an empty book', () => {
    const leverage = new Map([[eth, { type: 'cross', value: 10 }]] as const)
    const venue = testVenue([account(alice, '1000000000', { leverage })])
    // All in one action: the makers come back after it.
    const sweep = limit('buy', '14000', '2100', { tif: 'Ioc' })
    const last = limit('buy', '1', '2100', { tif: 'FrontendMarket' })
    expect(statuses(send(venue, alice, [sweep, sweep, sweep, sweep, last]))).toMatchObject([
      { filled: { totalSz: '14000.0' } },
      { filled: {} },
      { filled: {} },
      { filled: {} },
      { error: 'No liquidity available for market order. asset=1' },
    ])
  })
})

describe('cancels', () => {
  test('unknown, filled, canceled and foreign orders read the same', () => {
    const venue = testVenue()
    const mine = oidOf(send(venue, alice, [limit('buy', '0.01', '1900')]))
    const gone = oidOf(send(venue, alice, [limit('buy', '0.01', '2100', { tif: 'Ioc' })]))
    const cancels = [mine, gone, mine, 5].map((oid) => ({ asset: 1, oid }))
    const error = { error: 'Order was never placed, already canceled, or filled. asset=1' }
    expect(statuses(venue.apply(bob, { type: 'cancel', cancels }))).toEqual([
      error,
      error,
      error,
      error,
    ])
    expect(venue.apply(alice, { type: 'cancel', cancels })).toEqual({
      status: 'ok',
      response: { type: 'cancel', data: { statuses: ['success', error, error, error] } },
    })
  })

  test('by cloid, within the account', () => {
    const venue = testVenue()
    send(venue, alice, [limit('buy', '0.01', '1900', { cloid: testCloid(9) })])
    const cancels = [{ asset: 1, cloid: testCloid(9) }]
    const error = { error: 'Order was never placed, already canceled, or filled. asset=1' }
    expect(statuses(venue.apply(bob, { type: 'cancelByCloid', cancels }))).toEqual([error])
    expect(statuses(venue.apply(alice, { type: 'cancelByCloid', cancels }))).toEqual(['success'])
  })

  test('more than 200', () => {
    const cancels = Array.from({ length: 201 }, (_, oid) => ({ asset: 1, oid }))
    expect(testVenue().apply(alice, { type: 'cancel', cancels })).toEqual({
      status: 'err',
      response: 'Signed action over weight limit of 200.',
    })
  })
})

describe('settings', () => {
  const venue = () => testVenue([account(alice, '10000', longOne)])
  const leverage = (isCross: boolean, value: number, asset = 1) =>
    ({ type: 'updateLeverage', asset, isCross, leverage: value }) as const

  test.each([
    ['another margin type', leverage(false, 5), 'Cannot switch leverage type with open position.'],
    ['above the maximum', leverage(true, 26), 'Invalid leverage value'],
    ['zero', leverage(true, 0), 'Invalid leverage value'],
    [
      'margin of a cross position',
      { type: 'updateIsolatedMargin', asset: 1, isBuy: true, ntli: 1_000_000 } as const,
      'Position does not use isolated margin.',
    ],
    [
      'a schedule without volume',
      { type: 'scheduleCancel', time: startMs + 10_000 } as const,
      'Cannot set scheduled cancel time until enough volume traded. Required: $1000000. Traded: $0.',
    ],
    [
      'a sub-account without volume',
      { type: 'createSubAccount', name: 'x' } as const,
      'Cannot create sub-accounts until enough volume traded. Required: $100000. Traded: $0.',
    ],
    [
      'a dead order',
      { type: 'modify', modify: { ref: { oid: 4 }, order: limit('buy', '1', '1900') } } as const,
      'Cannot modify canceled or filled order',
    ],
    [
      'more than there is',
      { type: 'withdraw3', destination: bob, amount: Decimal.whole(99_999), nonce: 1 } as const,
      'Insufficient balance for withdrawal',
    ],
    [
      'from an empty spot side',
      { type: 'usdClassTransfer', amount: Decimal.one, toPerp: true } as const,
      'Insufficient balance for token transfer',
    ],
  ])('%s', (_, action, response) => {
    expect(venue().apply(alice, action)).toEqual({ status: 'err', response })
  })

  test('leverage within the limits is set', () => {
    const one = venue()
    expect(one.apply(alice, leverage(true, 25))).toEqual({
      status: 'ok',
      response: { type: 'default' },
    })
    expect(one.leverage(alice, eth)).toEqual({ type: 'cross', value: 25, rawUsd: null })
  })
})
