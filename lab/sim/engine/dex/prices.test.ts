import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { alice, bob, account, d, send, statuses } from '../venue.fixture.ts'
import type { Venue } from '../venue.ts'
import type { VenueOptions } from '../options.ts'
import { dexVenue, gold, standard, stop, take, tsla, tslaAsset } from './dex.fixture.ts'

const seconds = (venue: Venue, count: number): void => {
  venue.advanceTo(venue.nowMs + count * 1_000)
}
const mark = (venue: Venue): string => venue.markPrice(tsla)?.toString() ?? ''
const oracle = (venue: Venue): string => venue.oraclePrice(tsla)?.toString() ?? ''
const at = (price: string, ...marks: string[]) => ({
  posted: { oracle: d(price), marks: (marks.length === 0 ? [price, price] : marks).map(d) },
})

describe('what a builder posts', () => {
  test('moves the oracle at once and the mark by a percent an update', () => {
    const venue = dexVenue()
    venue.changeDex('xyz', tsla, at('410'))
    expect([mark(venue), oracle(venue)]).toEqual(['404', '410'])
    seconds(venue, 3)
    expect(mark(venue)).toBe('408.04')
    seconds(venue, 3)
    expect(mark(venue)).toBe('410')
    seconds(venue, 60)
    expect(mark(venue)).toBe('410')
  })

  test('by one reading the oracle moves by a percent too', () => {
    const venue = dexVenue(undefined, { oracleStep: 'percent' })
    venue.changeDex('xyz', tsla, at('300'))
    expect([mark(venue), oracle(venue)]).toEqual(['396', '396'])
  })

  const twoInputs: [VenueOptions['twoInputMedian'], string][] = [
    ['mean', '401'],
    ['lower', '400'],
    ['upper', '402'],
  ]
  test.each(twoInputs)('the median of one list and the book, read as %s', (reading, expected) => {
    const venue = dexVenue(undefined, { twoInputMedian: reading })
    venue.setPrice(tsla, { mid: d('400') })
    send(venue, alice, [take('buy', tslaAsset, '1', '401'), take('sell', tslaAsset, '1', '399')])
    venue.changeDex('xyz', tsla, at('402', '402'))
    expect(Math.abs(Number(mark(venue)) - Number(expected))).toBeLessThan(0.03)
  })

  test('stops and liquidations follow the mark', () => {
    const venue = dexVenue()
    send(venue, alice, [take('buy', tslaAsset, '5', '401')])
    send(venue, alice, [stop('sell', '5', '393')])
    venue.changeDex('xyz', tsla, at('380'))
    expect(venue.openOrders(alice, 'xyz')).toHaveLength(1)
    seconds(venue, 3)
    expect(venue.openOrders(alice, 'xyz')).toEqual([])
    expect(venue.perpState(alice, 'xyz').positions).toEqual([])
  })

  test('a price that is refused changes nothing of what is posted', () => {
    const venue = dexVenue()
    venue.changeDex('xyz', tsla, at('410'))
    expect(venue.setPrice(tsla, { mid: d('400.001') }).ok).toBe(false)
    seconds(venue, 9)
    expect(mark(venue)).toBe('410')
  })

  test('a price that a test sets stays, away from the book too', () => {
    const venue = dexVenue()
    venue.setPrice(tsla, { mid: d('300'), mark: d('310'), oracle: d('305') })
    seconds(venue, 60)
    expect([mark(venue), oracle(venue)]).toEqual(['310', '305'])
  })
})

describe('without posts', () => {
  test('the mark stands for ten seconds and goes by the book then', () => {
    const venue = dexVenue()
    venue.setPrice(tsla, { mid: d('400'), mark: d('403'), oracle: d('404') })
    venue.changeDex('xyz', tsla, { isStopped: true })
    seconds(venue, 9)
    expect(mark(venue)).toBe('403')
    seconds(venue, 6)
    expect([mark(venue), oracle(venue)]).toEqual(['400', '404'])
    expect(venue.isTold(tsla)).toBe(false)
    expect(venue.isTold(gold)).toBe(true)
    venue.changeDex('xyz', tsla, { isStopped: false })
    seconds(venue, 3)
    expect(mark(venue)).toBe('403')
    expect(venue.isTold(tsla)).toBe(true)
  })
})

test('by one reading contexts of a market without posts are told as always', () => {
  const venue = dexVenue(undefined, { stoppedOracle: 'told' })
  venue.changeDex('xyz', null, { isStopped: true })
  expect(venue.isTold(tsla)).toBe(true)
})

describe('the band of prices', () => {
  const bands: [VenueOptions['dexBand'], boolean, boolean][] = [
    ['reference', true, false],
    ['mark', false, true],
    ['none', true, true],
  ]
  // Twice the mark is near the oracle, which is what the main dex measures from here.
  test.each(bands)('measured as %s', (dexBand, isTaken, isTakenBelow) => {
    const venue = dexVenue(undefined, { dexBand, referencePrice: 'oracle' })
    venue.setPrice(tsla, { mid: d('400'), mark: d('400'), oracle: d('900') })
    const answer = (price: string) => send(venue, alice, [take('buy', tslaAsset, '0.1', price)])
    expect(answer('800')).toMatchObject({ status: isTaken ? 'ok' : 'err' })
    expect(answer('100')).toMatchObject({ status: isTakenBelow ? 'ok' : 'err' })
  })
})

describe('while the market outside is closed', () => {
  test('the mark stays within one over the leverage, and walks back at the opening', () => {
    const venue = dexVenue()
    venue.changeDex('xyz', tsla, { session: 'internal' })
    // The book is taken far down; the mark may fall by a twentieth.
    venue.setPrice(tsla, { mid: d('300'), mark: d('400'), oracle: d('400') })
    seconds(venue, 120)
    expect(mark(venue)).toBe('380')
    expect(venue.oraclePrice(tsla)?.lt(d('400'))).toBe(true)
    venue.changeDex('xyz', tsla, { session: 'external', ...at('440') })
    expect(oracle(venue)).toBe('440')
    expect(mark(venue)).toBe('383.8')
    seconds(venue, 3)
    expect(mark(venue)).toBe('387.638')
  })
})

describe('bounds of the day and of open interest', () => {
  test('no price is beyond ten times what the day began with', () => {
    const venue = dexVenue()
    venue.changeDex('xyz', tsla, at('10000'))
    expect(oracle(venue)).toBe('4000')
  })

  test('the mark does not lift open interest over ten times its cap', () => {
    const venue = dexVenue()
    send(venue, alice, [take('buy', tslaAsset, '10', '401')])
    venue.changeDex('xyz', tsla, { cap: d('402') })
    venue.changeDex('xyz', tsla, at('410'))
    expect(mark(venue)).toBe('400')
    venue.changeDex('xyz', tsla, at('390'))
    expect(mark(venue)).toBe('396')
  })
})

test('the mark never moves by more than a percent an update, whatever is posted', () => {
  const step = fc.oneof(
    fc.record({
      price: fc.integer({ min: 1, max: 100_000 }),
      marks: fc.integer({ max: 2, min: 0 }),
    }),
    fc.constantFrom('stop', 'start', 'internal', 'external', 'trade', 'wait'),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.boolean(), (steps, frozen) => {
      const venue = dexVenue([standard], {}, frozen)
      let before = venue.markPrice(tsla) ?? d('0')
      // One update at a time: a look after each.
      venue.onEvent((events) => {
        for (const event of events) {
          if (event.kind !== 'price' || event.coin !== tsla) continue
          const now = venue.markPrice(tsla) ?? d('0')
          expect(now.isPositive()).toBe(true)
          expect(now.minus(before).abs().times(d('100')).lte(before)).toBe(true)
          before = now
        }
      })
      for (const each of steps) {
        if (typeof each === 'object') {
          const price = d(String(each.price / 100))
          const marks = Array.from({ length: each.marks }, () => price)
          venue.changeDex('xyz', tsla, { posted: { oracle: price, marks } })
        } else if (each === 'stop' || each === 'start') {
          venue.changeDex('xyz', tsla, { isStopped: each === 'stop' })
        } else if (each === 'internal' || each === 'external') {
          venue.changeDex('xyz', tsla, { session: each })
        } else if (each === 'trade') send(venue, alice, [take('buy', tslaAsset, '0.1', '500')])
        seconds(venue, 3)
      }
    }),
    { numRuns: 30 },
  )
})

describe('the cap of open interest', () => {
  const two = [standard, account(bob, '0', { dexEquity: new Map([['xyz', d('5000')]]) })]
  const capped = (options: Partial<VenueOptions> = {}): Venue => {
    const venue = dexVenue(two, options)
    send(venue, alice, [take('buy', tslaAsset, '5', '401')])
    venue.changeDex('xyz', tsla, { cap: d('2000') })
    return venue
  }
  const answered = (venue: Venue, ...order: Parameters<typeof take>) =>
    statuses(send(venue, alice, [take(...order)]))

  test.each([
    ['an increase', 'buy', '1', '401', 'Order would increase open interest while'],
    ['a flip', 'sell', '6', '399', 'Order would increase open interest while'],
    [
      'a close beyond the oracle',
      'sell',
      '5',
      '399',
      'Order rejected due to price more aggressive',
    ],
  ] as const)('%s is refused', (_, side, size, price, text) => {
    const [status] = answered(capped(), side, tslaAsset, size, price) as [{ error: string }]
    expect(status.error).toContain(text)
  })

  test('the other wording', () => {
    const [status] = answered(capped({ capText: 'node' }), 'sell', tslaAsset, '6', '399') as [
      { error: string },
    ]
    expect(status.error).toBe(
      `Cannot flip position when open interest is at cap. asset=${tslaAsset}`,
    )
  })

  test('a reduce-only order always closes, and then there is room again', () => {
    const venue = capped()
    expect(venue.dex('xyz')?.markets[0]?.isAtCap).toBe(true)
    const exit = { ...take('sell', tslaAsset, '5', '399'), isReduceOnly: true }
    expect(statuses(send(venue, alice, [exit]))).toMatchObject([{ filled: { totalSz: '5.0' } }])
    expect(venue.dex('xyz')?.markets[0]?.isAtCap).toBe(false)
    expect(answered(venue, 'buy', tslaAsset, '1', '401')).toMatchObject([{ filled: {} }])
  })

  test('resting orders beyond the oracle end by themselves', () => {
    const venue = dexVenue(two)
    send(venue, alice, [take('buy', tslaAsset, '5', '401')])
    const rest = { ...take('buy', tslaAsset, '1', '395'), type: { kind: 'limit', tif: 'Gtc' } }
    send(venue, bob, [rest as ReturnType<typeof take>])
    venue.changeDex('xyz', tsla, { cap: d('2000') })
    seconds(venue, 3)
    expect(venue.openOrders(bob, 'xyz')).toHaveLength(1)
    venue.changeDex('xyz', tsla, at('390', '400', '400'))
    seconds(venue, 3)
    expect(venue.openOrders(bob, 'xyz')).toEqual([])
    expect(venue.historicalOrders(bob)[0]?.status).toBe('openInterestCapCanceled')
  })
})
