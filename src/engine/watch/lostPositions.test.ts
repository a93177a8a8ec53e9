import { expect, test } from 'vitest'
import { fill, later } from '../../core/account/account.fixture.ts'
import type { Loss } from '../../core/safety/oddSights.ts'
import { coin } from '../../core/values/coin.ts'
import { Decimal } from '../../core/values/decimal.ts'
import { LostPositions } from './lostPositions.ts'

const loss = (was: string, left = '0', name = 'ETH'): Loss => ({
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
  const lost = new LostPositions()
  lost.note([loss('2', '0.5')], 100, later(0))
  expect(lost.due(10_099)).toEqual([])
  expect(lost.due(10_100)).toEqual([loss('2', '0.5')])
  expect(lost.due(99_999)).toEqual([])
})

test('what goes in steps is told as one, from the first on', () => {
  const lost = new LostPositions()
  lost.note([loss('2', '1')], 100, later(0))
  lost.note([loss('1', '0')], 5_000, later(0))
  expect(lost.due(10_100)).toEqual([loss('2', '0')])
})

test.each([
  ['a sale explains a long that is gone', loss('2'), fillOf('-2'), true],
  ['a purchase does not', loss('2'), fillOf('2'), false],
  ['a purchase explains a short that is gone', loss('-2'), fillOf('2'), true],
  ['a sale does not explain a short', loss('-2'), fillOf('-2'), false],
  ['nor does a fill of another coin', loss('2'), fillOf('-2', 'BTC'), false],
  ['nor one from before', loss('2'), fillOf('-2', 'ETH', later(-1)), false],
])('%s', (_, gone, fills, isExplained) => {
  const lost = new LostPositions()
  lost.note([gone], 0, later(0))
  lost.explainBy(fills)
  expect(lost.due(10_000)).toEqual(isExplained ? [] : [gone])
})
