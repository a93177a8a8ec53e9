import { expect, test } from 'vitest'
import type { AccountView, PositionView } from '../core/account/accountView.ts'
import type { Fill } from '../core/protocol/venueState.ts'
import { cloid } from '../core/values/cloid.ts'
import { coin } from '../core/values/coin.ts'
import { Decimal } from '../core/values/decimal.ts'
import { millis } from '../core/values/millis.ts'
import { RecordedStops } from './recordedStops.ts'

const eth = coin('ETH')
const ids = ['a1', 'a2', 'a3'].map((tail) => cloid(`0x${tail.padStart(32, '0')}`))

function holding(size: string, loosest: string | null = null): AccountView {
  const signed = Decimal.of(size)
  const positions = new Map(
    signed.isZero() ? [] : [[eth, { coin: eth, size: signed } as PositionView]],
  )
  const cover = () =>
    loosest === null ? { isFull: false } : { isFull: true, loosest: Decimal.of(loosest) }
  return { positions, cover, order: () => null } as unknown as AccountView
}

function fill(at: number, entry: number, startPosition: string, tid = at): Fill {
  return {
    coin: eth,
    cloid: ids[entry] ?? null,
    oid: entry,
    tid,
    at: millis(at),
    startPosition: Decimal.of(startPosition),
  } as Fill
}

function withEntries(
  ...list: readonly [entry: number, isBuy: boolean, stop: string][]
): RecordedStops {
  const stops = new RecordedStops()
  for (const [entry, isBuy, stop] of list) {
    stops.noteEntry({ cloid: ids[entry] ?? '', coin: eth, isBuy, stop: Decimal.of(stop) })
  }
  return stops
}

const recorded = (stops: RecordedStops, account: AccountView): string | undefined =>
  stops.current(account).get(eth)?.toString()

test('an entry that has not filled gives the position no stop', () => {
  const stops = withEntries([0, true, '97'], [1, true, '93'])
  expect(recorded(stops, holding('1'))).toBeUndefined()
  stops.noteFill(fill(1, 1, '0'), holding('0'))
  expect(recorded(stops, holding('1'))).toBe('93')
})

test('the tightest of what has filled holds, for its own side only', () => {
  const stops = withEntries([0, true, '97'], [1, true, '98'], [2, false, '103'])
  stops.noteFill(fill(1, 0, '0'), holding('0'))
  stops.noteFill(fill(2, 1, '1'), holding('1'))
  expect(recorded(stops, holding('2'))).toBe('98')
  expect(recorded(stops, holding('-2'))).toBeUndefined()
})

test('a fill that is told again changes nothing, and a new position begins anew', () => {
  const stops = withEntries([0, true, '98'], [1, true, '90'])
  stops.noteFill(fill(1, 0, '0'), holding('0'))
  stops.noteFill(fill(5, 1, '0'), holding('0'))
  stops.noteFill(fill(1, 0, '0'), holding('1'))
  expect(recorded(stops, holding('1'))).toBe('90')
  const restored = withEntries()
  restored.restore(JSON.parse(JSON.stringify(stops.toJson())))
  restored.noteFill(fill(1, 0, '0'), holding('1'))
  restored.noteFill(fill(5, 1, '0'), holding('1'))
  expect(recorded(restored, holding('1'))).toBe('90')
})

test('a tighter stop that covers is taken up, and a flat coin forgets', () => {
  const stops = withEntries([0, true, '95'])
  stops.noteFill(fill(1, 0, '0'), holding('0'))
  stops.follow(holding('1', '97'))
  stops.follow(holding('1', '96'))
  expect(recorded(stops, holding('1'))).toBe('97')
  stops.forgetFlat(holding('0'))
  expect(recorded(stops, holding('1'))).toBeUndefined()
})

test('what covers meanwhile does not change what the entries were judged with; it outlives a restart', () => {
  const stops = withEntries([0, true, '1900'], [1, true, '1950'])
  stops.noteFill(fill(1, 0, '0'), holding('1'))
  stops.noteFill(fill(2, 1, '1'), holding('2'))
  stops.follow(holding('2', '1990'))
  const restored = new RecordedStops()
  restored.restore(stops.toJson())
  for (const each of [stops, restored]) {
    expect(each.current(holding('2')).get(eth)?.toString()).toBe('1990')
    expect(each.judgedWith(holding('2')).get(eth)?.toString()).toBe('1950')
    expect(each.judgedWith(holding('-2')).size).toBe(0)
  }
  stops.forgetFlat(holding('0'))
  expect(stops.judgedWith(holding('2')).size).toBe(0)
})
