import fc from 'fast-check'
import { expect, test } from 'vitest'
import { address } from '../core/values/address.ts'
import { millis } from '../core/values/millis.ts'
import { Alerts } from './alerts.ts'
import { Backoff } from './backoff.ts'
import { EntryRate } from './entryRate.ts'
import { RefusalShed } from './refusalShed.ts'

const client = address('0x00000000000000000000000000000000000000c1')

test('at most the burst and fifty a second are answered, however they come', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 600 }), (gaps) => {
      const shed = new RefusalShed()
      let at = 0
      let answered = 0
      for (const gap of gaps) {
        at += gap
        if (shed.admit(at)) answered += 1
      }
      expect(answered).toBeLessThanOrEqual(200 + Math.ceil((at * 50) / 1_000))
      expect(shed.takeCount()).toBe(gaps.length - answered)
      expect(shed.takeCount()).toBe(0)
    }),
    { numRuns: 50 },
  )
})

test('no entry of the last minute is missed, and old ones are forgotten', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 0, max: 9_000 }), fc.integer({ min: 1, max: 5 })), {
        maxLength: 60,
      }),
      (adds) => {
        const rate = new EntryRate()
        const all: [number, number][] = []
        let at = 0
        for (const [gap, count] of adds) {
          at += gap
          rate.add(client, count, at)
          all.push([at, count])
        }
        const within = (ms: number): number =>
          all.filter(([when]) => when > at - ms).reduce((sum, [, count]) => sum + count, 0)
        expect(rate.lastMinute(client, at)).toBeGreaterThanOrEqual(within(60_000))
        expect(rate.lastMinute(client, at)).toBeLessThanOrEqual(within(61_000))
      },
    ),
    { numRuns: 100 },
  )
})

test('a failure is tried again ever later, up to a bound, and at once after a success', () => {
  let nowMs = 1_000
  const backoff = new Backoff({ monotonicMs: () => nowMs })
  const waits = Array.from({ length: 8 }, () => {
    const waitMs = backoff.failed('a')
    nowMs += waitMs - 1
    expect(backoff.mayTry('a')).toBe(false)
    nowMs += 1
    expect(backoff.mayTry('a')).toBe(true)
    return waitMs
  })
  expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 5_000, 5_000, 5_000])
  expect(backoff.mayTry('b')).toBe(true)
  backoff.reset('a')
  expect(backoff.failed('a')).toBe(250)
})

test('an alert keeps its beginning while its text follows, one for each coin', () => {
  const alerts = new Alerts()
  alerts.raise('x', 'first', millis(1))
  alerts.raise('x', 'later', millis(5))
  alerts.raise('y', 'eth', millis(2), 'ETH')
  alerts.raise('y', 'sol', millis(3), 'SOL')
  alerts.keepOnly('y', new Set(['SOL']))
  expect(alerts.list()).toEqual([
    { code: 'x', text: 'later', since_ms: 1 },
    { code: 'y', text: 'sol', since_ms: 3, coin: 'SOL' },
  ])
  alerts.clear('x')
  expect(alerts.has('x')).toBe(false)
})
