import { expect, test } from 'vitest'
import type { Json } from '../../../src/core/protocol/action.ts'
import { account, alice, d, limit, send, sizeOf, statuses, testVenue } from './venue.fixture.ts'

/** A long of one ETH at 2000 with ten times leverage, and 100 of its own money beside the margin. */
const longVenue = (options = {}) =>
  testVenue(
    [
      account(alice, '300', {
        positions: [
          { coin: 'ETH', size: d('1'), leverage: { type: 'cross', value: 10 } },
        ] as const as never,
      }),
    ],
    options,
  )
const placed = (reply: Json) =>
  (statuses(reply) as Json[]).map((each) => Object.keys(each as object))
const sell = (size: string) => limit('sell', size, '2100')

test('orders that would close a position reserve nothing, up to its size together', () => {
  const venue = longVenue()
  expect(placed(send(venue, alice, [sell('0.5'), sell('0.5')]))).toEqual([['resting'], ['resting']])
  expect(venue.perpState(alice).withdrawable.toString()).toBe('100')
})

test('what goes beyond it together needs margin, however many orders it is cut into', () => {
  const venue = longVenue()
  // 300 USD of margin (the position's own comes back): a little less than 1.5 ETH at 2100.
  const many = Array.from({ length: 10 }, () => sell('0.5'))
  const answers = placed(send(venue, alice, many)).flat()
  expect(answers).toEqual([
    ...['resting', 'resting', 'resting', 'resting'],
    ...Array.from({ length: 6 }, () => 'error'),
  ])
})

test('an order that takes closes the position, whatever rests beside it', () => {
  const venue = longVenue()
  send(venue, alice, [sell('1')])
  send(venue, alice, [limit('sell', '1', '1990', { tif: 'Ioc' })])
  expect(sizeOf(venue, alice)).toBe('0')
})

test('by the other reading nothing is reserved until it fills', () => {
  const venue = longVenue({ oppositeExcess: 'ignore' })
  const many = Array.from({ length: 10 }, () => sell('0.5'))
  expect(new Set(placed(send(venue, alice, many)).flat())).toEqual(new Set(['resting']))
})

test('on a flat market the two sides do not count against each other', () => {
  const venue = testVenue([account(alice, '100')])
  const both = [limit('buy', '0.9', '1990'), limit('sell', '0.9', '2010')]
  expect(placed(send(venue, alice, both))).toEqual([['resting'], ['resting']])
})
