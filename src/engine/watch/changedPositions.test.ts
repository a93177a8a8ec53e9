import { describe, expect, test } from 'vitest'
import { accountWith, fill, later, venueState } from '../../core/account/account.fixture.ts'
import type { SizeChange } from '../../core/safety/oddSights.ts'
import { coin } from '../../core/values/coin.ts'
import { Decimal } from '../../core/values/decimal.ts'
import { ChangedPositions, sizeChanges } from './changedPositions.ts'

const loss = (was: string, left = '0', name = 'ETH'): SizeChange => ({
  coin: coin(name),
  was: Decimal.of(was),
  left: Decimal.of(left),
})
const fillOf = (size: string, name = 'ETH', at = later(0)) => ({
  kind: 'fills' as const,
  at: later(5),
  isSnapshot: true,
  fills: [
    fill({
      ...{ coin: name, isBuy: !size.startsWith('-'), size: size.replace('-', '') },
      ...{ price: '4000', start: '2', oid: 7, tid: 1, at },
    }),
  ],
})

test('what no fill explains is told after 10 s, once', () => {
  const lost = new ChangedPositions()
  lost.note([loss('2', '0.5')], 100, later(0), later(0))
  expect(lost.due(10_099)).toEqual([])
  expect(lost.due(10_100)).toEqual([loss('2', '0.5')])
  expect(lost.due(99_999)).toEqual([])
})

test('what goes in steps is told as one, from the first on', () => {
  const lost = new ChangedPositions()
  lost.note([loss('2', '1')], 100, later(0), later(0))
  lost.note([loss('1', '0')], 5_000, later(0), later(0))
  expect(lost.due(10_100)).toEqual([loss('2', '0')])
})

test.each([
  ['a sale explains a long that is gone', loss('2'), fillOf('-2'), true],
  ['a purchase does not', loss('2'), fillOf('2'), false],
  ['a purchase explains a short that is gone', loss('-2'), fillOf('2'), true],
  ['a sale does not explain a short', loss('-2'), fillOf('-2'), false],
  ['nor does a fill of another coin', loss('2'), fillOf('-2', 'BTC'), false],
  ['a purchase explains a long that grew', loss('2', '3'), fillOf('1'), true],
  ['a sale does not explain that', loss('2', '3'), fillOf('-1'), false],
  ['a sale explains a long that became a short', loss('2', '-1'), fillOf('-3'), true],
  ['nor one from before', loss('2'), fillOf('-2', 'ETH', later(-1)), false],
])('%s', (_, gone, fills, isExplained) => {
  const lost = new ChangedPositions()
  lost.note([gone], 0, later(0), later(0))
  lost.explainBy(fills)
  expect(lost.due(10_000)).toEqual(isExplained ? [] : [gone])
})

test('on a builder dex a fill explains no more than it did: the rest was settled', () => {
  const lost = new ChangedPositions()
  const name = 'xyz:TSLA'
  lost.note([loss('2', '0', name)], 0, later(0), later(0))
  // From 2 to 0.5, and the dex has settled the rest without a word.
  lost.explainBy(fillOf('-1.5', name))
  expect(lost.due(10_000)).toEqual([loss('0.5', '0', name)])
  lost.note([loss('0.5', '0', name)], 0, later(0), later(0))
  // That one was told before: it ended at what was held.
  lost.explainBy(fillOf('-1.5', name))
  expect(lost.due(10_000)).toEqual([loss('0.5', '0', name)])
  lost.note([loss('2', '0', name)], 0, later(0), later(0))
  lost.explainBy(fillOf('-2', name))
  expect(lost.due(10_000)).toEqual([])
  lost.note([loss('2', '4', name)], 0, later(0), later(0))
  lost.explainBy(fillOf('1', name))
  expect(lost.due(10_000)).toEqual([loss('3', '4', name)])
})

describe('a position on a builder dex that was settled', () => {
  const name = 'xyz:TSLA'
  const trade = (start: string, size: string, tid = 1) => {
    const isBuy = !size.startsWith('-')
    const parts = { coin: name, isBuy, size: size.replace('-', ''), price: '4000', start }
    return fill({ ...parts, oid: tid, tid, at: later(0) })
  }
  const told = (...fills: readonly ReturnType<typeof trade>[]) =>
    ({ kind: 'fills', at: later(5), isSnapshot: false, fills }) as const

  test.each([
    ['bought anew', '1', '0'],
    ['sold anew', '-1', '0'],
    ['bought twice', '1', '1'],
  ])('is told, though it was %s since, and whichever comes first', (_, size, start) => {
    const fills = start === '0' ? [trade('0', size)] : [trade('1', '1', 2), trade('0', '1')]
    const left = start === '0' ? size : '2'
    for (const seen of [[], [loss('0', left, name)]]) {
      const lost = new ChangedPositions()
      lost.note([loss('-2', '0', name)], 0, later(0), later(0))
      lost.note(seen, 0, later(0), later(0))
      lost.explainBy(told(...fills))
      expect(lost.due(10_000)).toEqual([loss('-2', '0', name)])
    }
    // One look missed that nothing was held in between.
    const lost = new ChangedPositions()
    lost.note([loss('-2', left, name)], 0, later(0), later(0))
    lost.explainBy(told(...fills))
    expect(lost.due(10_000)).toEqual([loss('-2', '0', name)])
  })

  test('is told beside what was traded before, of which one fill is late', () => {
    const lost = new ChangedPositions()
    lost.note([loss('10', '0', name)], 0, later(0), later(0))
    lost.explainBy(told(trade('6', '-3')))
    expect(lost.doubtful(2_000)).toEqual([loss('10', '6', name), loss('3', '0', name)])
    lost.explainBy(told(trade('10', '-4')))
    expect(lost.due(10_000)).toEqual([loss('3', '0', name)])
  })

  test('is told beside a position that was opened after it and that no fill tells of', () => {
    const lost = new ChangedPositions()
    lost.note([loss('2', '0', name)], 0, later(0), later(0))
    lost.note([loss('0', '1', name)], 0, later(0), later(0))
    lost.note([loss('1', '3', name)], 0, later(0), later(0))
    expect(lost.due(10_000)).toEqual([loss('2', '0', name), loss('0', '3', name)])
  })

  test('is told, though no fill had told of it before', () => {
    const lost = new ChangedPositions()
    lost.note([loss('0', '2', name)], 0, later(0), later(0))
    lost.note([loss('2', '1', name)], 4_000, later(0), later(0))
    lost.note([loss('1', '0', name)], 9_000, later(0), later(0))
    lost.explainBy(told(trade('0', '2'), trade('2', '-1')))
    // What went on the same way is waited for from its first step on.
    expect(lost.doubtful(6_000)).toEqual([loss('1', '0', name)])
    expect(lost.due(13_999)).toEqual([])
    expect(lost.due(14_000)).toEqual([loss('1', '0', name)])
    // A size that was seen once, and is again what it was, needs no fill.
    lost.note([loss('2', '1', name)], 0, later(0), later(0))
    lost.note([loss('1', '2', name)], 0, later(0), later(0))
    expect(lost.due(99_999)).toEqual([])
  })

  test('is told, though a position as large was opened and closed by fills after it', () => {
    const lost = new ChangedPositions()
    lost.note([loss('-2', '0', name)], 0, later(-500), later(0))
    const at = (ms: number, start: string, size: string) => ({
      ...trade(start, size),
      at: later(ms),
    })
    lost.explainBy(told(at(3_000, '0', '-5'), at(3_100, '-5', '5')))
    expect(lost.due(10_000)).toEqual([loss('-2', '0', name)])
    // The states of several dexes are joined under the earliest of their times.
    lost.note([loss('-2', '0', name)], 0, later(-500), later(0))
    lost.explainBy(told(at(2_000, '-2', '2')))
    expect(lost.due(10_000)).toEqual([])
  })

  test('is not told in more than eight parts', () => {
    const lost = new ChangedPositions()
    lost.note([loss('100', '0', name)], 0, later(0), later(0))
    for (let size = 90; size > 0; size -= 10) lost.explainBy(told(trade(`${size}`, '-1')))
    const due = lost.due(10_000)
    expect(due).toHaveLength(8)
    expect([due[0], due[7]]).toEqual([loss('100', '70', name), loss('9', '0', name)])
  })
})

test('a fill that is late is doubted once, and one that comes ends the doubt', () => {
  const changed = new ChangedPositions()
  changed.note([loss('0', '2')], 100, later(0), later(0))
  expect(changed.doubtful(2_099)).toEqual([])
  expect(changed.doubtful(2_100)).toEqual([loss('0', '2')])
  expect(changed.doubtful(2_200)).toEqual([])
  changed.explainBy(fillOf('2'))
  expect(changed.due(99_999)).toEqual([])
})

test('a position that is again what it was needs no fill', () => {
  const changed = new ChangedPositions()
  changed.note([loss('2', '3')], 100, later(0), later(0))
  changed.note([loss('3', '2')], 200, later(0), later(0))
  expect(changed.due(99_999)).toEqual([])
})

test('changes are told by coin, with what was and what is left', () => {
  const held = (name: string, size: string) => [coin(name), { size: Decimal.of(size) }] as const
  const before = new Map([held('ETH', '2'), held('BTC', '1'), held('SOL', '5')])
  const after = new Map([held('ETH', '3'), held('SOL', '5'), held('DOGE', '-7')])
  expect(sizeChanges(before, after)).toEqual([
    ...[loss('2', '3'), loss('1', '0', 'BTC'), loss('0', '-7', 'DOGE')],
  ])
})

test.each<[string, (lost: ChangedPositions) => void, boolean]>([
  ['nothing happens', () => undefined, true],
  ['its fill is told', (lost) => lost.explainBy(fillOf('-2')), false],
  [
    'a fill from before is repeated',
    (lost) => lost.explainBy(fillOf('-2', 'ETH', later(-1))),
    true,
  ],
  ['another coin is filled', (lost) => lost.explainBy(fillOf('-2', 'BTC')), true],
  ['the fill that opened it is repeated', (lost) => lost.explainBy(fillOf('2')), true],
  ['a settlement explains it', (lost) => lost.explain(coin('ETH')), false],
])('a position is gone without a fill, and then %s', (_, happens, isUnexplained) => {
  const lost = new ChangedPositions()
  lost.note([loss('2')], 0, later(0), later(0))
  expect(lost.lacksFill(coin('ETH'), 9_999)).toBe('awaited')
  lost.due(10_000)
  happens(lost)
  expect(lost.lacksFill(coin('ETH'), 609_999)).toBe(isUnexplained ? 'late' : null)
  expect(lost.lacksFill(coin('ETH'), 610_000)).toBeNull()
})

test('a position that is seen again, or has only grown, is no reason to keep its stops', () => {
  const lost = new ChangedPositions()
  lost.note([loss('2'), loss('1', '2', 'BTC')], 0, later(0), later(0))
  lost.due(10_000)
  expect(lost.lacksFill(coin('BTC'), 10_000)).toBeNull()
  lost.note([loss('0', '2')], 11_000, later(11_000), later(11_000))
  lost.due(21_000)
  expect(lost.lacksFill(coin('ETH'), 21_000)).toBeNull()
})

test('what is on a builder dex that a state is the first to have is no change', () => {
  const spec = { positions: { 'xyz:TSLA': { size: '5' } } }
  const { positions } = accountWith(spec)
  const changed = new ChangedPositions()
  const since = (at: number, ...dexes: readonly string[]) => {
    const state = { ...venueState(spec, later(at)), dexes }
    return changed.since(new Map(), { positions, venueTime: later(5) }, state)
  }
  // One that is too old to be taken has shown nothing.
  expect(since(4, 'xyz')).toHaveLength(1)
  expect(since(5, 'abc')).toHaveLength(1)
  expect(since(5, 'abc', 'xyz')).toEqual([])
  expect(since(5, 'xyz')).toEqual([loss('0', '5', 'xyz:TSLA')])
  expect(since(5)).toHaveLength(1)
})
