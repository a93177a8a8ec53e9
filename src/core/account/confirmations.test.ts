import { describe, expect, test } from 'vitest'
import { fixtureNow, later } from './account.fixture.ts'
import { Confirmations } from './confirmations.ts'

const at = (ms: number | null) => (ms === null ? null : later(ms))

describe('since when all is known', () => {
  test.each([
    { what: 'nothing came', state: null, orders: null, isLive: true, others: [], is: null },
    { what: 'no orders', state: 5, orders: null, isLive: false, others: [], is: null },
    { what: 'no orders, live', state: 5, orders: null, isLive: true, others: [], is: null },
    { what: 'no state', state: null, orders: 5, isLive: false, others: [], is: null },
    { what: 'no state, live', state: null, orders: 5, isLive: true, others: [], is: null },
    { what: 'older orders', state: 5, orders: 3, isLive: false, others: [], is: 3 },
    { what: 'an older state', state: 3, orders: 5, isLive: false, others: [], is: 3 },
    { what: 'a live stream vouches', state: 5, orders: 3, isLive: true, others: [], is: 5 },
    { what: 'one more that is older', state: 5, orders: 5, isLive: true, others: [4], is: 4 },
    { what: 'one more that is younger', state: 5, orders: 5, isLive: true, others: [6], is: 5 },
    { what: 'one more that lacks', state: 5, orders: 5, isLive: true, others: [null, 6], is: null },
  ])('$what', ({ state, orders, isLive, others, is }) => {
    const confirmed = new Confirmations()
    if (state !== null) confirmed.confirmState(later(state))
    if (orders !== null) confirmed.confirmOrders(later(orders))
    expect(confirmed.oldest(isLive, others.map(at))).toBe(at(is))
    // Set back, what is known keeps its age and what is not stays so.
    confirmed.shift(-100)
    expect(confirmed.ordersAt()).toBe(at(orders === null ? null : orders - 100))
    const moved = others.map((other) => at(other === null ? null : other - 100))
    expect(confirmed.oldest(isLive, moved)).toBe(at(is === null ? null : is - 100))
  })
})

describe('what a snapshot certainly includes', () => {
  test.each([
    { what: 'a read, from when it was asked for', source: 'read', askedAt: 7, told: [], is: 7 },
    { what: 'a read of which that is not known', source: 'read', told: [], is: 20_000 - 6_000 },
    { what: 'a stream that told no moment', source: 'stream', told: [], is: 20_000 - 1_000 },
    {
      what: 'a stream as of the last moment that it told',
      source: 'stream',
      told: [[1, 15_000]],
      is: 15_000 - 1_000,
    },
    {
      what: 'a stream that repeats a moment, or an earlier one',
      source: 'stream',
      told: [
        [1, 15_000],
        [1, 16_000],
        [0, 17_000],
      ],
      is: 15_000 - 1_000,
    },
    {
      what: 'a stream that tells a later moment',
      source: 'stream',
      told: [
        [1, 15_000],
        [2, 16_000],
      ],
      is: 16_000 - 1_000,
    },
    {
      what: 'a stream whose moment came after the list',
      source: 'stream',
      told: [[1, 30_000]],
      is: 20_000 - 1_000,
    },
  ] as const)('$what', ({ source, told, is, ...rest }) => {
    const confirmed = new Confirmations()
    for (const [time, ms] of told) confirmed.toldState(later(time), later(ms))
    const asked = 'askedAt' in rest ? { askedAt: later(rest.askedAt) } : {}
    expect(confirmed.takenAt({ source, at: later(20_000), ...asked })).toBe(later(is))
  })

  test('and keeps its age when the clock is set back', () => {
    const confirmed = new Confirmations()
    confirmed.toldState(later(1), later(15_000))
    confirmed.shift(-5_000)
    expect(confirmed.takenAt({ source: 'stream', at: later(20_000) })).toBe(fixtureNow + 9_000)
  })
})
