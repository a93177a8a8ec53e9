import { expect, test } from 'vitest'
import { Decimal } from '../../../src/core/values/decimal.ts'
import { hourlyRate } from './funding.ts'
import type { VenueEvent } from './venueEvent.ts'
import { account, alice, bob, d, eth, price, startMs, testVenue } from './venue.fixture.ts'

const hour = Math.ceil(startMs / 3_600_000) * 3_600_000

test.each([
  ['0', '0.0000125'],
  ['0.0001', '0.0000125'],
  ['-0.0004', '0.0000125'],
  ['0.0006', '0.0000125'],
  ['0.0014', '0.0001125'],
  ['-0.0012', '-0.0000875'],
  ['0.9', '0.04'],
  ['-0.9', '-0.04'],
])('a premium of %s gives an hourly rate of %s', (premium, rate) => {
  expect(hourlyRate(d(premium)).toString()).toBe(rate)
})

const position = (size: string, type: 'cross' | 'isolated' = 'cross') => ({
  positions: [{ coin: eth, size: d(size), leverage: { type, value: 10 } }],
})

test('at the top of the hour longs pay shorts: size times oracle times rate', () => {
  const venue = testVenue([
    account(alice, '10000', position('3')),
    account(bob, '10000', position('-1.5', 'isolated')),
  ])
  const events: VenueEvent[] = []
  venue.onEvent((batch) => events.push(...batch))
  venue.advanceTo(hour - 1)
  expect(events).toEqual([])
  venue.advanceTo(hour)
  // 3 * 2000 * 0.0000125 and half of it.
  expect(venue.fundings(alice).map(({ usdc }) => usdc.toString())).toEqual(['-0.075'])
  expect(venue.fundings(bob).map(({ usdc }) => usdc.toString())).toEqual(['0.0375'])
  expect(venue.perpState(alice).margin.accountValue.toString()).toBe('9999.925')
  expect(venue.perpState(bob).positions[0]?.marginUsed.toString()).toBe('300.0375')
  expect(venue.perpState(alice).positions[0]?.cumFunding.sinceOpen.toString()).toBe('0.075')
  expect(venue.fundingHistory(eth, 0, Infinity)).toMatchObject([{ time: hour }])
  expect(events.filter(({ kind }) => kind === 'funding')).toHaveLength(2)
})

test('the oracle counts, not the mark, and the premium is the average of its samples', () => {
  const venue = testVenue([account(alice, '10000', position('1'))])
  // Half an hour without a premium, then the oracle half a percent below the bid.
  venue.advanceTo(hour - 900_000)
  venue.setPrice(eth, { mid: d('2000'), mark: d('2000'), oracle: d('1990') })
  venue.advanceTo(hour)
  const [rate] = venue.fundingHistory(eth, 0, Infinity) ?? []
  const full = d('1999.9').minus(d('1990')).over(d('1990'), 10, 'half-even')
  expect(
    rate?.premium
      .minus(full.times(d('0.5')))
      .abs()
      .lt(d('0.00001')),
  ).toBe(true)
  const paid = rate?.fundingRate.times(d('1990')).rounded(6, 'down') ?? Decimal.zero
  expect(venue.fundings(alice)[0]?.usdc.toString()).toBe(paid.negated().toString())
})

test('many hours pass in one step', () => {
  const venue = testVenue([account(alice, '10000', position('1'))])
  venue.advanceTo(startMs + 24 * 3_600_000)
  expect(venue.fundings(alice)).toHaveLength(24)
})

test('funding alone can end an account', () => {
  const venue = testVenue([account(alice, '805', position('10'))])
  venue.apply(alice, { type: 'updateLeverage', asset: 1, isCross: true, leverage: 25 })
  price(venue, '1960.1')
  expect(venue.perpState(alice).positions).toHaveLength(1)
  venue.advanceTo(startMs + 200 * 3_600_000)
  expect(venue.perpState(alice).positions).toHaveLength(0)
})
