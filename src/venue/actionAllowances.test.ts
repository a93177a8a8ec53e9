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
    ['exit', 9_999, false],
    ['exit', 10_000, false],
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
    of.take(5)
    expect(of.shortage('entry', 1)).toBe(
      'the account has used 85 of the 100 actions that the venue allows it; from 85% on nothing is sent that opens, or that has nothing to reduce, and the rest is kept for what is more urgent; each USDC traded adds one',
    )
    expect(of.shortage('cancel', 11)).toContain('from 95% on no cancel is sent')
    of.setLifetime(200, 85)
    expect(of.shortage('entry', 1)).toBeNull()
  })
})

describe('the actions of a day', () => {
  test('are counted only where the account has such a cap', () => {
    const { of } = allowances()
    of.take(49_000)
    expect(isRefused(of, 'entry')).toBe(false)
    of.setCappedByDay(true)
    expect(isRefused(of, 'entry')).toBe(true)
    expect(isRefused(of, 'exit', 5_000)).toBe(false)
    of.setCappedByDay(false)
    expect(isRefused(of, 'entry')).toBe(false)
  })

  test('are free again when they are a day old, and the text says when', () => {
    const { of, pass } = allowances()
    of.setCappedByDay(true)
    of.take(40_000)
    pass(2 * hourMs)
    of.take(2_500)
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
    first.of.take(30_000)
    first.pass(3 * hourMs)
    first.of.take(12_500)
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
