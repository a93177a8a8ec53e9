import { beforeEach, describe, expect, test } from 'vitest'
import { coin } from '../../core/values/coin.ts'
import { Decimal } from '../../core/values/decimal.ts'
import { millis } from '../../core/values/millis.ts'
import { CoverSight } from './coverSight.ts'

const tesla = coin('xyz:TSLA')
const gold = coin('xyz:GOLD')

let nowMs = 0
/** In how many milliseconds there is request weight for the list; 0 for at once. */
let roomInMs = 0
let listed = new Set<string>()
let recorded = new Set([tesla])
let cover: CoverSight

beforeEach(() => {
  ;[nowMs, roomInMs, listed, recorded] = [1_000, 0, new Set(), new Set([tesla])]
  const toldAt = (dex: string) => (listed.has(dex) ? millis(nowMs) : null)
  cover = new CoverSight({
    clock: { monotonicMs: () => nowMs },
    account: {
      ...{ venueTime: millis(1), markets: { byAsset: new Map([[0, {}]]) } as never },
      get ordersAt() {
        return toldAt('')
      },
      dexOrdersAt: toldAt,
      recordedStop: (of) => (recorded.has(of) ? Decimal.one : null),
    },
    budget: { roomInMs: (lane, weight) => (lane === 'watch' && weight === 20 ? roomInMs : -1) },
  })
})

/** After how many ms each coin's cover counts as known though no list has come; asked every half second. */
function graceMs(): number[] {
  const [startMs, found] = [nowMs, new Map<string, number>()]
  for (; found.size < 2 && nowMs < 200_000; nowMs += 500) {
    for (const each of [tesla, gold]) {
      if (cover.isKnownOf(each) && !found.has(each)) found.set(each, nowMs - startMs)
    }
  }
  return [tesla, gold].map((each) => found.get(each) ?? Infinity)
}

describe('what covers a position on a builder dex', () => {
  test('is known once its orders were listed', () => {
    expect(cover.isKnownOf(tesla)).toBe(false)
    listed.add('xyz')
    expect(cover.isKnownOf(tesla)).toBe(true)
  })

  test('is not waited for longer than 3 s where the list could be read', () => {
    expect(graceMs()).toEqual([3_000, 3_000])
  })

  test('is waited for as long as the list cannot be paid for, where a stop is on record', () => {
    roomInMs = 20_000
    expect(graceMs()).toEqual([67_500, 3_000])
  })

  test('is waited for 3 s more once the list can be paid for', () => {
    roomInMs = 20_000
    expect(cover.isKnownOf(tesla)).toBe(false)
    nowMs += 30_000
    expect(cover.isKnownOf(tesla)).toBe(false)
    roomInMs = 0
    nowMs += 2_999
    expect(cover.isKnownOf(tesla)).toBe(false)
    nowMs += 1
    expect(cover.isKnownOf(tesla)).toBe(true)
  })

  test('has all its time again where the orders are unknown another time', () => {
    expect(cover.isKnownOf(tesla)).toBe(false)
    listed.add('xyz')
    expect(cover.isKnownOf(tesla)).toBe(true)
    nowMs += 60_000
    listed.delete('xyz')
    expect(cover.isKnownOf(tesla)).toBe(false)
  })
})

test('the orders of the main dex are waited for 3 s', () => {
  expect([cover.isKnown, cover.isKnownOf(coin('ETH'))]).toEqual([false, true])
  nowMs += 3_000
  expect(cover.isKnown).toBe(true)
})
