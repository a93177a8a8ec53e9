import { describe, expect, test } from 'vitest'
import { dayMs } from '../core/values/millis.ts'
import type { Urgency } from '../engine/ports.ts'
import { ActionAllowances } from './actionAllowances.ts'

const hourMs = dayMs / 24

function allowances(): { of: ActionAllowances; pass: (ms: number) => void } {
  let now = 7_000
  const pass = (ms: number): void => {
    now += ms
  }
  return { of: new ActionAllowances(() => now), pass }
}
const isRefused = (of: ActionAllowances, lane: Urgency, actions = 1): boolean =>
  of.shortage(lane, actions) !== null

describe('the actions of a lifetime', () => {
  test.each<[Urgency, number, boolean]>([
    ['entry', 8_499, false],
    ['entry', 8_500, true],
    ['cancel', 9_499, false],
    ['cancel', 9_500, true],
    ['exit', 9_986, false],
    ['safety', 20_000, false],
  ])('%s beside %i of 10,000: refused %s', (lane, used, refused) => {
    const { of } = allowances()
    expect(isRefused(of, lane)).toBe(false)
    of.setLifetime(10_000, used)
    expect(isRefused(of, lane)).toBe(refused)
  })

  test('count what is sent until the venue tells its own count', () => {
    const { of } = allowances()
    of.setLifetime(100, 80)
    of.take(5, 'entry')
    expect(of.shortage('entry', 1)).toBe(
      'the account has used 85 of the 100 actions that the venue allows it; from 85% on nothing is sent that opens, or that has nothing to reduce, and the rest is kept for what is more urgent; each USDC traded adds one',
    )
    expect(of.shortage('cancel', 11)).toContain('from 95% on no cancel is sent')
    of.setLifetime(200, 85)
    expect(of.shortage('entry', 1)).toBeNull()
  })
})

describe('what exits leave for Guard’s own stops and closes', () => {
  /** Of 10,000 in a lifetime all but `left` are used, and Guard may need 14. */
  const beside = (left: number): ReturnType<typeof allowances> => {
    const made = allowances()
    made.of.keep(() => 14)
    made.of.setLifetime(10_000, 10_000 - left)
    return made
  }
  /** How many of so many exits, one after the other at once, find room. */
  const flood = (of: ActionAllowances, count: number): number => {
    let passed = 0
    for (let at = 0; at < count; at += 1) {
      if (isRefused(of, 'exit')) continue
      of.take(1, 'exit')
      passed += 1
    }
    return passed
  }

  test('a flood spends what is above it, and one more', () => {
    expect(flood(beside(20).of, 1_000)).toBe(7)
    expect(flood(beside(14).of, 1_000)).toBe(1)
    expect(flood(beside(0).of, 1_000)).toBe(1)
  })

  test('however long a flood of exits lasts that trade nothing, it spends little of it', () => {
    const { of, pass } = beside(14)
    let passed = 0
    for (let second = 0; second < 3_600; second += 1) {
      passed += flood(of, 3)
      pass(1_000)
    }
    expect(passed).toBe(9)
  })

  test('the refusal says what is kept, when one may go, and what else gets out', () => {
    const { of, pass } = beside(14)
    of.take(1, 'exit')
    pass(1_500)
    expect(of.shortage('exit', 1)).toBe(
      "the account has used 9987 of the 10000 actions that the venue allows it; the last 14 are kept for Guard's own stops and closes; each USDC traded adds one; one exit may go in 9 s, and a kill closes everything at once",
    )
    expect(isRefused(of, 'safety')).toBe(false)
  })

  test('exits that trade pay for themselves: none waits once the venue has told its count', () => {
    const { of } = beside(14)
    expect(flood(of, 2)).toBe(1)
    of.setLifetime(10_000, 9_987)
    expect(flood(of, 2)).toBe(0)
    of.setLifetime(10_010, 9_997)
    expect(flood(of, 2)).toBe(1)
    of.setLifetime(11_000, 9_998)
    expect(flood(of, 2)).toBe(2)
  })

  test('never so much of a small allowance that an exit has less than a cancel', () => {
    const { of } = allowances()
    of.keep(() => 500)
    of.setLifetime(1_000, 949)
    of.take(1, 'exit')
    expect(isRefused(of, 'exit')).toBe(false)
  })

  test('a day’s has the same', () => {
    const { of } = allowances()
    of.keep(() => 14)
    of.setCappedByDay(true)
    of.take(49_985, 'safety')
    expect(flood(of, 1_000)).toBe(2)
    expect(of.shortage('exit', 1)).toContain('the last 14 are kept')
  })
})

describe('the actions of a day', () => {
  test('are counted only where the account has such a cap', () => {
    const { of } = allowances()
    of.take(49_000, 'entry')
    expect(isRefused(of, 'entry')).toBe(false)
    of.setCappedByDay(true)
    expect(isRefused(of, 'entry')).toBe(true)
    expect(isRefused(of, 'exit', 1_000)).toBe(false)
    of.setCappedByDay(false)
    expect(isRefused(of, 'entry')).toBe(false)
  })

  test('are free again when they are a day old, and the text says when', () => {
    const { of, pass } = allowances()
    of.setCappedByDay(true)
    of.take(40_000, 'entry')
    pass(2 * hourMs)
    of.take(2_500, 'entry')
    expect(of.shortage('entry', 1)).toBe(
      'the account has used 42500 of the 50000 actions that the venue allows it in a day; from 85% on nothing is sent that opens, or that has nothing to reduce, and the rest is kept for what is more urgent; it may again in about 23 h',
    )
    pass(22 * hourMs)
    expect(isRefused(of, 'entry')).toBe(true)
    pass(hourMs)
    expect(isRefused(of, 'entry')).toBe(false)
    expect(of.day().reduce((sum, count) => sum + count)).toBe(2_500)
    pass(1_000 * hourMs)
    expect(of.day().every((count) => count === 0)).toBe(true)
  })

  test('what asks for more than a day allows is told of a day', () => {
    const { of } = allowances()
    of.setCappedByDay(true)
    expect(of.shortage('entry', 60_000)).toContain('in about 25 h')
  })

  test('go on over a restart', () => {
    const first = allowances()
    first.of.take(30_000, 'entry')
    first.pass(3 * hourMs)
    first.of.take(12_500, 'entry')
    const second = allowances()
    second.of.setCappedByDay(true)
    second.of.didBefore(first.of.day(), hourMs / 2)
    expect(isRefused(second.of, 'entry')).toBe(true)
    const later = allowances()
    later.of.setCappedByDay(true)
    later.of.didBefore(first.of.day(), 22 * hourMs)
    expect(isRefused(later.of, 'entry')).toBe(false)
    expect(later.of.day()[22]).toBe(12_500)
  })
})
