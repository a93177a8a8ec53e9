import fc from 'fast-check'
import { expect, test } from 'vitest'
import { address } from '../../core/values/address.ts'
import { limits } from '../../core/values/limits.ts'
import { millis } from '../../core/values/millis.ts'
import { Alerts } from '../alerts.ts'
import { Backoff } from '../backoff.ts'
import { EntryRate } from './entryRate.ts'
import { RefusalLimits } from './refusalLimits.ts'

const client = address('0x00000000000000000000000000000000000000c1')
const other = address('0x00000000000000000000000000000000000000c2')

test.each([
  [null, 50],
  [client, 20],
])('of client %s at most the burst and %i a second are answered', (who, perSecond) => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 600 }), (gaps) => {
      const refusals = new RefusalLimits()
      let at = 0
      let answered = 0
      for (const gap of gaps) {
        at += gap
        if (refusals.admit(who, { now: millis(at), monotonicMs: at })) answered += 1
      }
      expect(answered).toBeLessThanOrEqual(200 + Math.ceil((at * perSecond) / 1_000))
      const shed = gaps.length - answered
      expect(refusals.takeReport()?.match(/^\d+/)?.[0] ?? '0').toBe(String(shed))
      expect(refusals.takeReport()).toBeNull()
    }),
    { numRuns: 50 },
  )
})

test('one client that floods takes nothing from another, nor from those without a key', () => {
  const refusals = new RefusalLimits()
  const moment = { now: millis(0), monotonicMs: 0 }
  for (let n = 0; n < 1_000; n += 1) refusals.admit(client, moment)
  expect(refusals.admit(client, moment)).toBe(false)
  expect(refusals.admit(other, moment)).toBe(true)
  expect(refusals.admit(null, moment)).toBe(true)
})

test('what a client sent only to get out is never shed for its rate, and takes nothing of it', () => {
  const refusals = new RefusalLimits()
  const moment = { now: millis(0), monotonicMs: 0 }
  for (let n = 0; n < 1_000; n += 1) expect(refusals.admit(client, moment, true)).toBe(true)
  for (let n = 0; n < limits.clientRefusalsBurst; n += 1) {
    expect(refusals.admit(client, moment)).toBe(true)
  }
  expect(refusals.admit(client, moment)).toBe(false)
  expect(refusals.admit(client, moment, true)).toBe(true)
  refusals.recorded(client, limits.clientRefusalBytesPerDay)
  expect(refusals.admit(client, moment, true)).toBe(false)
})

test('a day writes so much of refusals and no more; the next day begins anew', () => {
  const refusals = new RefusalLimits()
  const hour = 3_600_000
  let bytes = 0
  for (let at = 0; at < 24 * hour; at += 1_000) {
    if (!refusals.admit(null, { now: millis(at), monotonicMs: at })) continue
    bytes += 17_000
    refusals.recorded(null, 17_000)
  }
  expect(bytes).toBeLessThanOrEqual(limits.strangerRecordBytesPerDay + 17_000)
  expect(refusals.takeReport()).toContain('all the record of this day is used')
  const tomorrow = { now: millis(24 * hour), monotonicMs: 24 * hour }
  expect(refusals.admit(null, tomorrow)).toBe(true)
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

test('a failure whose next try is another one is waited for shortly, and lengthens no later wait', () => {
  let nowMs = 1_000
  const backoff = new Backoff({ monotonicMs: () => nowMs })
  expect([backoff.failedOnce('a'), backoff.failedOnce('a')]).toEqual([250, 250])
  expect(backoff.mayTry('a')).toBe(false)
  nowMs += 250
  expect(backoff.mayTry('a')).toBe(true)
  expect([backoff.failed('a'), backoff.failedOnce('a'), backoff.failed('a')]).toEqual([
    250, 250, 500,
  ])
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
