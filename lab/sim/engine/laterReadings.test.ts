import { describe, expect, test } from 'vitest'
import type { Json } from '../../../src/core/protocol/action.ts'
import { defaultOptions } from './options.ts'
import type { VenueOptions } from './options.ts'
import { Venue } from './venue.ts'
import type { AccountSpec } from './venueConfig.ts'
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
  statuses,
  story,
  testConfig,
  testVenue,
  trigger,
} from './venue.fixture.ts'

const answer = (reply: Json): Json => (reply as { response: Json }).response
const done = { type: 'default' }
const rests = { resting: { oid: expect.any(Number) } }
const resting = limit('buy', '1', '1900')
const held = (size: string): Partial<AccountSpec> => ({
  positions: [{ coin: eth, size: d(size), leverage: { type: 'cross', value: 10 } }],
})

/** Readings about portfolio margin, upgrades and sub-accounts. */
describe('portfolio margin', () => {
  const borrower = (options: Partial<VenueOptions> = {}): Venue =>
    testVenue([account(alice, '1000', { mode: 'portfolioMargin', borrowed: d('200') })], options)

  test.each([
    [true, '1200'],
    [false, '1000'],
  ])('the balance that is shown, gross: %s', (pmTotalGross, total) => {
    const venue = borrower({ pmTotalGross })
    expect(venue.spotState(alice).usdcTotal.toString()).toBe(total)
    expect(venue.spotState(alice).borrowed.toString()).toBe('200')
  })

  test('what was borrowed is paid back, and no more', () => {
    const venue = borrower()
    const repay = (amount: string | null): Json =>
      answer(
        venue.apply(alice, {
          ...{ type: 'borrowLend', operation: 'repay', token: 0 },
          amount: amount === null ? null : d(amount),
        }),
      )
    expect(repay('201')).toBe('Insufficient balance for token transfer')
    expect(repay('50')).toEqual(done)
    expect(repay(null)).toEqual(done)
    expect(venue.spotState(alice).usdcTotal.toString()).toBe('1000')
    const { deposited, held: cash } = venue.audit()
    expect(cash.eq(deposited)).toBe(true)
  })

  test.each([
    [null, '0'],
    [d('0.1460346663'), '0.1460346663'],
  ])('the ratio, set to %s', (portfolioMarginRatio, ratio) => {
    const { portfolioRatio } = borrower({ portfolioMarginRatio }).spotState(alice)
    expect(portfolioRatio?.eq(d(ratio))).toBe(true)
  })

  test('a debt of another mode is refused by its name', () => {
    expect(() => testVenue([account(alice, '1', { borrowed: d('1') })])).toThrow(
      'borrowed: must be',
    )
  })
})

describe('just after an upgrade', () => {
  const text = {
    error: 'Only post-only orders allowed immediately after a network upgrade asset=1',
  }

  test('only post-only orders are taken', () => {
    const venue = testVenue([account(alice, '10000')], { postOnlyPeriod: true })
    const sent = [resting, limit('buy', '1', '1900', { tif: 'Alo' })]
    expect(statuses(send(venue, alice, sent))).toEqual([text, rests])
    const buy = limit('buy', '1', '2100', { tif: 'Ioc' })
    expect(statuses(send(venue, alice, [buy]))).toEqual([text])
  })

  test('on spot pairs too', () => {
    const spot = [{ token: 'USDC', total: d('100') }]
    const venue = testVenue([account(alice, '10000', { spot })], { postOnlyPeriod: true })
    const [asset, words] = [10_001, text.error.replace('asset=1', 'asset=10001')]
    const sent = [
      limit('buy', '1', '29', { asset, tif: 'Alo' }),
      limit('buy', '1', '29', { asset }),
    ]
    expect(statuses(send(venue, alice, sent))).toEqual([rests, { error: words }])
  })

  test.each([
    ['reject', 'iocCancelRejected'],
    ['wait', 'filled'],
  ] as const)('a market trigger that fires: %s', (postOnlyTriggers, last) => {
    const options = { ...defaultOptions, postOnlyTriggers }
    const venue = new Venue(testConfig({ accounts: [account(alice, '10000', held('1'))], options }))
    const oid = oidOf(send(venue, alice, [trigger('sell', '1', '1950', '1800', 'sl')]))
    Object.assign(options, { postOnlyPeriod: true })
    price(venue, '1949')
    expect(sizeOf(venue, alice)).toBe('1')
    Object.assign(options, { postOnlyPeriod: false })
    venue.followOptions()
    expect(story(venue, alice, oid).at(-1)).toBe(last)
  })
})

test.each([
  ['accept', 'waitingForTrigger', '0'],
  ['refuse', { error: 'Reduce only order would increase position. asset=1' }, '1'],
] as const)(
  'a trigger of a position that is not there yet: %s',
  (positionTriggers, status, left) => {
    const venue = testVenue([account(alice, '10000')], { positionTriggers })
    const stop = trigger('sell', '1', '1950', '1800', 'sl')
    expect(statuses(send(venue, alice, [stop], 'positionTpsl'))).toEqual([status])
    // It is there when the position comes.
    send(venue, alice, [limit('buy', '1', '2100', { tif: 'Ioc' })])
    price(venue, '1949')
    expect(sizeOf(venue, alice)).toBe(left)
  },
)

test.each([
  [false, 1],
  [true, 2],
])('sub-accounts that grow with volume: %s', (sub_max_grows, count) => {
  const venue = testVenue([account(alice, '100000000')], { sub_max: 1, sub_max_grows })
  for (let n = 0; n < 2; n++) {
    send(venue, alice, [limit('buy', '13000', '2100', { tif: 'Ioc' })])
    send(venue, alice, [limit('sell', '13000', '1900', { tif: 'Ioc' })])
  }
  const make = (): Json => venue.apply(alice, { type: 'createSubAccount', name: 'x' })
  const made = [make(), make(), make()].filter((each) => (each as any).status === 'ok')
  expect(made).toHaveLength(count)
})
