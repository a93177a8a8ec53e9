import { describe, expect, test } from 'vitest'
import { Decimal } from '../../../src/core/values/decimal.ts'
import {
  account,
  alice,
  bob,
  d,
  eth,
  limit,
  price,
  send,
  sizeOf,
  statuses,
  story,
  testVenue,
  trigger,
} from './venue.fixture.ts'

/** How orders end for a reason that is not their own; each was found by the model beside the engine. */

const long = (size: string) => ({
  positions: [{ coin: eth, size: d(size), leverage: { type: 'cross' as const, value: 5 } }],
})
const stop = trigger('sell', '1', '1950', '1800', 'sl')
const profit = trigger('sell', '1', '2100', '1900', 'tp')

test('a child that closes the whole position ends its sibling as filled elsewhere', () => {
  const venue = testVenue()
  send(venue, alice, [limit('buy', '1', '2010', { tif: 'Ioc' }), stop, profit], 'normalTpsl')
  const [second, first] = venue.openOrders(alice).map(({ oid }) => oid)
  price(venue, '1940')
  expect(story(venue, alice, first ?? 0)).toEqual(['open', 'triggered', 'filled'])
  expect(story(venue, alice, second ?? 0)).toEqual(['open', 'siblingFilledCanceled'])
})

test('a schedule ends children and parents with its own status', () => {
  const venue = testVenue(undefined, { scheduleCancelVolume: Decimal.zero })
  send(venue, alice, [limit('buy', '1', '1900'), stop, profit], 'normalTpsl')
  const oids = venue.openOrders(alice).map(({ oid }) => oid)
  venue.apply(alice, { type: 'scheduleCancel', time: venue.nowMs + 5000 })
  venue.advanceTo(venue.nowMs + 6000)
  expect(oids).toHaveLength(3)
  for (const oid of oids) {
    expect(story(venue, alice, oid).at(-1)).toBe('scheduledCancel')
  }
})

describe('a parent that only makes a short smaller has no child that could reduce anything', () => {
  const parent = (tif: 'Ioc' | 'Gtc', at: string) => limit('buy', '1', at, { tif })

  test('filled at once', () => {
    const venue = testVenue([account(alice, '10000', long('-3'))])
    const reply = send(venue, alice, [parent('Ioc', '2010'), stop], 'normalTpsl')
    expect(statuses(reply)).toMatchObject([{ filled: {} }, 'waitingForTrigger'])
    expect(sizeOf(venue, alice)).toBe('-2')
    expect(venue.openOrders(alice)).toEqual([])
  })

  test('filled later', () => {
    const venue = testVenue([account(alice, '10000', long('-3'))])
    send(venue, alice, [parent('Gtc', '1990'), stop], 'normalTpsl')
    price(venue, '1980')
    expect(sizeOf(venue, alice)).toBe('-2')
    expect(venue.openOrders(alice)).toEqual([])
  })
})

test('an entry that fires beyond its tier ends for that reason', () => {
  const venue = testVenue([account(alice, '50000000')])
  venue.apply(alice, { type: 'updateLeverage', asset: 1, isCross: true, leverage: 25 })
  const entry = trigger('buy', '13000', '2050', '2200', 'sl', { isReduceOnly: false })
  send(
    venue,
    alice,
    [entry, entry, entry, entry].map((each) => ({ ...each })),
  )
  const oids = venue.openOrders(alice).map(({ oid }) => oid)
  price(venue, '2060')
  const ends = oids.map((oid) => story(venue, alice, oid).at(-1))
  expect(ends.filter((end) => end === 'perpMaxPositionRejected')).toHaveLength(1)
})

describe('lowering the leverage of a position', () => {
  const isolated = (value: number) => ({
    positions: [{ coin: eth, size: d('1'), leverage: { type: 'isolated' as const, value } }],
  })
  const lower = (value: number, isCross: boolean) =>
    ({ type: 'updateLeverage', asset: 1, isCross, leverage: value }) as const

  test('moves no margin into an isolated one: it has enough, or the change is refused', () => {
    const venue = testVenue([account(alice, '10000', isolated(10))])
    const before = venue.perpState(alice).positions[0]?.leverage.rawUsd?.toString()
    expect(venue.apply(alice, lower(5, false))).toEqual({
      status: 'err',
      response:
        'Isolated position does not have sufficient margin available to decrease leverage. To decrease leverage, add margin to the position.',
    })
    venue.apply(alice, { type: 'updateIsolatedMargin', asset: 1, isBuy: true, ntli: 300_000_000 })
    expect(venue.apply(alice, lower(5, false))).toMatchObject({ status: 'ok' })
    const after = venue.perpState(alice).positions[0]?.leverage
    expect(after?.value).toBe(5)
    expect(after?.rawUsd?.minus(d(before ?? '0')).toString()).toBe('300')
  })

  test('needs the collateral of a cross one', () => {
    const cross = {
      positions: [{ coin: eth, size: d('1'), leverage: { type: 'cross' as const, value: 10 } }],
    }
    const venue = testVenue([account(alice, '1000', cross)])
    expect(venue.apply(alice, lower(2, true))).toMatchObject({ status: 'ok' })
    expect(venue.apply(alice, lower(1, true))).toEqual({
      status: 'err',
      response:
        'Cross position does not have sufficient margin available to decrease leverage. To decrease leverage, deposit more collateral.',
    })
  })
})

test('the margin of an isolated entry is cut, not rounded up, and pays the fee', () => {
  const venue = testVenue([account(alice, '10000')])
  venue.apply(alice, { type: 'updateLeverage', asset: 1, isCross: false, leverage: 7 })
  send(venue, alice, [limit('buy', '1', '2010', { tif: 'Ioc' })])
  const [fill] = venue.fills(alice)
  const margin = (fill?.price ?? d('0')).over(d('7'), 6, 'down')
  const rawUsd = margin.minus(fill?.price ?? d('0')).minus(fill?.fee ?? d('0'))
  expect(venue.perpState(alice).positions[0]?.leverage.rawUsd?.toString()).toBe(rawUsd.toString())
})

test('orders of the other side take nothing from what an order may use', () => {
  const venue = testVenue([account(alice, '1000'), account(bob, '1000')])
  const whole = limit('buy', '9', '1900', { tif: 'Alo' })
  expect(statuses(send(venue, alice, [whole]))).toMatchObject([{ resting: {} }])
  const other = limit('sell', '9', '2100', { tif: 'Alo' })
  expect(statuses(send(venue, alice, [other]))).toMatchObject([{ resting: {} }])
})

test('a trigger that reserves is checked at its own limit price, not at the mark', () => {
  const entry = trigger('buy', '9.5', '2050', '2200', 'sl', { isReduceOnly: false })
  const reserving = testVenue([account(alice, '1000')], { trigger_reserve: 'limit' })
  expect(statuses(send(reserving, alice, [entry]))).toEqual([
    { error: 'Insufficient margin to place order. asset=1' },
  ])
  const usual = testVenue([account(alice, '1000')])
  expect(statuses(send(usual, alice, [entry]))).toMatchObject([{ resting: {} }])
})
