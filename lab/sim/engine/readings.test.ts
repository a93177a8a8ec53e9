import { describe, expect, test } from 'vitest'
import { address } from '../../../src/core/values/address.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'
import type { Json } from '../../../src/core/protocol/action.ts'
import type { VenueOptions } from './options.ts'
import type { Venue } from './venue.ts'
import type { AccountSpec } from './venueConfig.ts'
import {
  account,
  alice,
  btc,
  d,
  eth,
  limit,
  oidOf,
  price,
  send,
  sizeOf,
  startMs,
  statuses,
  story,
  testCloid,
  testVenue,
  trigger,
} from './venue.fixture.ts'

/** One question with the answer of each reading: the same steps, another venue. */
interface Row<Name extends keyof VenueOptions = keyof VenueOptions> {
  readonly name: Name
  readonly what: string
  readonly account?: Partial<AccountSpec>
  readonly equity?: string
  readonly run: (venue: Venue) => unknown
  readonly told: readonly (readonly [VenueOptions[Name], unknown])[]
}

const row = <Name extends keyof VenueOptions>(each: Row<Name>): Row => each as unknown as Row

const held = (
  size: string,
  type: 'cross' | 'isolated' = 'cross',
  value = 10,
): Partial<AccountSpec> => ({
  positions: [{ coin: eth, size: d(size), leverage: { type, value } }],
})
const withdrawable = (venue: Venue): string => venue.perpState(alice).withdrawable.toString()
const answer = (reply: Json): Json => (reply as { response: Json }).response
const lever = (venue: Venue, leverage: number, isCross = true): Json =>
  answer(venue.apply(alice, { type: 'updateLeverage', asset: 1, isCross, leverage }))
const done = { type: 'default' }
const mode = (venue: Venue, to: 'disabled' | 'unifiedAccount'): Json =>
  answer(venue.apply(alice, { type: 'setAbstraction', mode: to }))
const entry = { isReduceOnly: false }
/** A buy that rests below the market and is worth 1900 USD. */
const resting = limit('buy', '1', '1900')
const refused = { error: 'Insufficient margin to place order. asset=1' }
const rests = { resting: { oid: expect.any(Number) } }
const agent = address(`0x${'e1'.repeat(20)}`)
const nobody = address(`0x${'00'.repeat(20)}`)
const tooLow =
  'Cross position does not have sufficient margin available to decrease leverage. To decrease leverage, deposit more collateral.'

/** Long 1 ETH and long 0.1 BTC, both cross. */
const two: Partial<AccountSpec> = {
  positions: [
    { coin: eth, size: d('10'), leverage: { type: 'cross', value: 20 } },
    { coin: btc, size: d('0.1'), leverage: { type: 'cross', value: 20 } },
  ],
}

const rows: readonly Row[] = [
  row({
    name: 'duplicateCloid',
    what: 'two open orders with one client order id',
    run: (venue) => {
      const cloid = testCloid(1)
      const first = send(venue, alice, [{ ...resting, cloid }])
      send(venue, alice, [{ ...resting, cloid, price: d('1890') }])
      const open = venue.openOrders(alice).length
      const cancel = { type: 'cancelByCloid', cancels: [{ asset: 1, cloid }] } as const
      venue.apply(alice, cancel)
      // The newest goes first, then the older one.
      return [open, venue.orderStatus(alice, oidOf(first))?.status]
    },
    told: [
      ['allow', [2, 'open']],
      ['refuse', [1, 'canceled']],
    ],
  }),
  row({
    name: 'instantTriggers',
    what: 'a stop that the mark has reached when it is placed',
    account: held('1'),
    run: (venue) => [
      statuses(send(venue, alice, [trigger('sell', '1', '2100', '1800', 'sl')])),
      sizeOf(venue, alice),
    ],
    told: [
      ['accept', [[rests], '0']],
      ['refuse', [[{ error: 'Invalid TP/SL price. asset=1' }], '1']],
    ],
  }),
  row({
    name: 'tpslPerBatch',
    what: 'two stops of one batch for a position',
    account: held('1'),
    run: (venue) => {
      const orders = ['1900', '1850'].map((at) => trigger('sell', '1', at, '1800', 'sl'))
      return venue.apply(alice, { type: 'order', orders, grouping: 'positionTpsl', builder: null })
    },
    told: [
      ['one', { status: 'err', response: 'Unexpected number of trigger orders' }],
      ['any', expect.objectContaining({ status: 'ok' })],
    ],
  }),
  row({
    name: 'child_side',
    what: 'a stop of a position on the side of the position',
    account: held('1'),
    run: (venue) => {
      const stop = trigger('buy', '1', '2100', '2200', 'sl')
      return venue.apply(alice, {
        ...{ type: 'order', orders: [stop], grouping: 'positionTpsl', builder: null },
      })
    },
    told: [
      ['any', expect.objectContaining({ status: 'ok' })],
      ['strict', { status: 'err', response: 'Trigger order has unexpected side. asset=1' }],
    ],
  }),
  row({
    name: 'trigger_reserve',
    what: 'margin of a stop entry before it fires',
    equity: '1000',
    run: (venue) => {
      const stop = trigger('buy', '1', '2100', '2200', 'sl', entry)
      const first = statuses(send(venue, alice, [stop]))
      const free = withdrawable(venue)
      // At 20 times 2200 need 110: nine more do not fit into 1000.
      const more = Array.from({ length: 9 }, () => stop)
      return [first, free, (statuses(send(venue, alice, more)) as Json[]).at(-1)]
    },
    told: [
      ['none', [[rests], '1000', rests]],
      ['limit', [[rests], '890', refused]],
    ],
  }),
  row({
    name: 'ioc_margin_px',
    what: 'an order that takes at once with a limit far above the mark',
    equity: '105',
    run: (venue) => statuses(send(venue, alice, [limit('buy', '1', '2200', { tif: 'Ioc' })])),
    told: [
      ['mark', [{ filled: { totalSz: '1.0', avgPx: '2000.1', oid: expect.any(Number) } }]],
      ['limit', [refused]],
    ],
  }),
  row({
    name: 'oppositeExcess',
    what: 'a sell of three against a long of one',
    account: held('1', 'cross', 10),
    run: (venue) => {
      const before = d(withdrawable(venue))
      send(venue, alice, [limit('sell', '3', '2500')])
      return before.minus(d(withdrawable(venue))).toString()
    },
    told: [
      ['reserve', '500'],
      ['ignore', '0'],
    ],
  }),
  row({
    name: 'bothSides',
    what: 'a buy and a sell that rest on a flat market',
    run: (venue) => {
      send(venue, alice, [resting, limit('sell', '1', '2100')])
      return withdrawable(venue)
    },
    told: [
      ['sum', '9800'],
      ['max', '9895'],
    ],
  }),
  row({
    name: 'trigger_cmp',
    what: 'a mark exactly at the trigger',
    account: held('1'),
    run: (venue) => {
      send(venue, alice, [trigger('sell', '1', '1950', '1800', 'sl')])
      price(venue, '1950')
      return sizeOf(venue, alice)
    },
    told: [
      ['ge', '0'],
      ['gt', '1'],
    ],
  }),
  row({
    name: 'mark_step_ms',
    what: 'a mark beyond the trigger for a moment',
    account: held('1'),
    run: (venue) => {
      venue.advanceTo(startMs + 1)
      send(venue, alice, [trigger('sell', '1', '1950', '1800', 'sl')])
      price(venue, '1949')
      const atOnce = sizeOf(venue, alice)
      venue.advanceTo(startMs + 2_999)
      const before = sizeOf(venue, alice)
      venue.advanceTo(startMs + 3_000)
      return [atOnce, before, sizeOf(venue, alice)]
    },
    told: [
      [0, ['0', '0', '0']],
      [3_000, ['1', '1', '0']],
    ],
  }),
  row({
    name: 'trigger_new_oid',
    what: 'the number of an order that fires',
    account: held('1'),
    run: (venue) => {
      const oid = oidOf(send(venue, alice, [trigger('sell', '1', '1950', '1800', 'sl')]))
      price(venue, '1949')
      return [story(venue, alice, oid), venue.fills(alice)[0]?.oid === oid, sizeOf(venue, alice)]
    },
    told: [
      [false, [['open', 'triggered', 'filled'], true, '0']],
      [true, [['open', 'triggered'], false, '0']],
    ],
  }),
  row({
    name: 'trigger_no_margin',
    what: 'a stop entry that fires without enough margin',
    equity: '100',
    run: (venue) => {
      const oid = oidOf(send(venue, alice, [trigger('buy', '2', '2100', '2200', 'sl', entry)]))
      price(venue, '2100')
      return [venue.orderStatus(alice, oid)?.status, d(sizeOf(venue, alice)).isPositive()]
    },
    told: [
      ['reject', ['perpMarginRejected', false]],
      ['partial', ['marginCanceled', true]],
    ],
  }),
  row({
    name: 'fast_cancel_trigger',
    what: 'a fast cancel of a trigger beside one of a plain order',
    account: held('1'),
    run: (venue) => {
      const plain = oidOf(send(venue, alice, [resting]))
      const stop = oidOf(send(venue, alice, [trigger('sell', '1', '1900', '1800', 'sl')]))
      const cancels = [plain, stop].map((oid) => ({ asset: 1, oid }))
      return statuses(venue.apply(alice, { type: 'cancel', cancels, fast: true }))
    },
    told: [
      [
        'item_error',
        ['success', { error: 'Fast cancel is not supported for trigger orders. asset=1' }],
      ],
      ['whole', 'Fast cancel is not supported for trigger orders.'],
    ],
  }),
  row({
    name: 'modeSwitchWithOrders',
    what: 'to isolated, flat, with an order that rests',
    run: (venue) => {
      send(venue, alice, [resting])
      return lever(venue, 20, false)
    },
    told: [
      ['allow', done],
      ['refuse', 'Cannot switch leverage type with open position.'],
    ],
  }),
  row({
    name: 'leverageWithOrders',
    what: 'a leverage at which the order that rests has too little margin',
    equity: '1000',
    run: (venue) => {
      const oid = oidOf(send(venue, alice, [resting]))
      const told = lever(venue, 1)
      price(venue, '1890')
      return [told, venue.orderStatus(alice, oid)?.status]
    },
    told: [
      ['refuse', [tooLow, 'filled']],
      ['accept', [done, 'marginCanceled']],
    ],
  }),
  row({
    name: 'defaultLeverage',
    what: 'a market whose leverage was never set',
    run: (venue) => venue.leverage(alice, eth)?.value,
    told: [
      ['min20', 20],
      ['max', 25],
      ['1', 1],
    ],
  }),
  row({
    name: 'crossRelever',
    what: 'the margin of a cross position after its leverage was raised and more was opened',
    account: held('1', 'cross', 10),
    run: (venue) => {
      const used = (): string | undefined =>
        venue.perpState(alice).positions[0]?.marginUsed.toString()
      lever(venue, 20)
      const raised = used()
      send(venue, alice, [limit('buy', '1', '2100', { tif: 'Ioc' })])
      const grown = used()
      send(venue, alice, [limit('sell', '1', '1900', { tif: 'Ioc' })])
      const halved = used()
      lever(venue, 5)
      return [raised, grown, halved, used()]
    },
    told: [
      [true, ['100', '200', '100', '400']],
      [false, ['200', '300', '150', '400']],
    ],
  }),
  row({
    name: 'liqCancels',
    what: 'an order of another market when a cross position is liquidated',
    equity: '1000',
    account: held('10', 'cross', 25),
    run: (venue) => {
      const other = oidOf(send(venue, alice, [{ ...limit('buy', '0.001', '80000'), asset: 0 }]))
      const own = oidOf(send(venue, alice, [trigger('sell', '10', '1900', '1700', 'sl')]))
      price(venue, '1938')
      return [other, own].map((oid) => venue.orderStatus(alice, oid)?.status)
    },
    told: [
      ['all', ['liquidatedCanceled', 'liquidatedCanceled']],
      ['coin', ['open', 'liquidatedCanceled']],
    ],
  }),
  row({
    name: 'liqOrder',
    what: 'which position of a cross account goes first',
    equity: '1500',
    account: two,
    run: (venue) => {
      price(venue, '1884')
      return venue.fills(alice).at(-1)?.coin
    },
    told: [
      ['risk', 'ETH'],
      ['index', 'BTC'],
    ],
  }),
  row({
    name: 'liquidationTest',
    what: 'a value that is exactly the maintenance margin',
    equity: '138',
    account: held('1', 'cross', 25),
    run: (venue) => {
      // The loss of 100 leaves equity 38, which is just the maintenance margin, 1900 / 50.
      price(venue, '1900')
      return sizeOf(venue, alice)
    },
    told: [
      ['below', '1'],
      ['at', '0'],
    ],
  }),
  row({
    name: 'liquidationFee',
    what: 'the fee of a liquidation on the book',
    equity: '1000',
    account: held('10', 'cross', 25),
    run: (venue) => {
      price(venue, '1938.7')
      return venue.fills(alice)[0]?.fee.toString()
    },
    told: [
      ['taker', '8.7237'],
      ['none', '0'],
    ],
  }),
  row({
    name: 'unifiedToStandard',
    what: 'from unified back to standard',
    account: { mode: 'unifiedAccount' },
    run: (venue) => [mode(venue, 'disabled'), venue.mode(alice)],
    told: [
      ['allow', [done, 'disabled']],
      ['refuse', ['Abstraction transition not allowed', 'unifiedAccount']],
    ],
  }),
  row({
    name: 'modeChangeWithPositions',
    what: 'a change of mode with a position',
    account: held('1'),
    run: (venue) => [mode(venue, 'unifiedAccount'), sizeOf(venue, alice), venue.mode(alice)],
    told: [
      ['allow', [done, '1', 'unifiedAccount']],
      ['refuse', ['Cannot change abstraction with open positions or orders.', '1', 'disabled']],
    ],
  }),
  row({
    name: 'withdrawableExtra',
    what: 'what may leave an account with two cross positions',
    account: two,
    run: (venue) => withdrawable(venue) === '0',
    told: [
      ['none', false],
      ['term', false],
      ['zero', true],
    ],
  }),
  row({
    name: 'ordersAfterAgentRemoval',
    what: 'open orders after an agent was removed',
    run: (venue) => {
      const approve = (agentAddress: typeof agent): Json =>
        venue.apply(alice, { type: 'approveAgent', agentAddress, agentName: 'bot' })
      approve(agent)
      send(venue, alice, [resting])
      approve(nobody)
      return [venue.openOrders(alice).length, venue.agents(alice)]
    },
    told: [
      ['stay', [1, []]],
      ['cancel', [0, []]],
    ],
  }),
]

describe.each(rows)('$name: $what', ({ name, account: parts, equity = '10000', run, told }) => {
  test.each(told)('%s', (value, expected) => {
    const venue = testVenue([account(alice, equity, parts)], { [name]: value })
    expect(run(venue)).toEqual(expected)
    const { deposited, held: cash, feesCollected } = venue.audit()
    expect(cash.plus(feesCollected).eq(deposited)).toBe(true)
  })
})

test('with several cross positions the extra is half a percent of their value', () => {
  const [none, term] = (['none', 'term'] as const).map((withdrawableExtra) => {
    const venue = testVenue([account(alice, '10000', two)], { withdrawableExtra })
    return venue.perpState(alice)
  })
  const gone = none?.withdrawable.minus(term?.withdrawable ?? Decimal.zero)
  const share = none?.cross.totalNotional.times(d('0.005'))
  expect(gone?.eq(share ?? Decimal.zero)).toBe(true)
})
