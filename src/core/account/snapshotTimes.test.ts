import { expect, test } from 'vitest'
import { later } from './account.fixture.ts'
import { coin } from '../values/coin.ts'
import { SnapshotTimes } from './snapshotTimes.ts'

const eth = coin('ETH')
const tesla = coin('xyz:TSLA')

/** Of states by the venue's and by Guard's clock, and of lists. */
function taken(times: SnapshotTimes): readonly number[] {
  return [times.stateTime(eth), times.stateTakenAt(eth), times.ordersTakenAt(null)]
}

test('the latest of each counts', () => {
  const times = new SnapshotTimes()
  expect(taken(times)).toEqual([0, 0, 0])
  times.tookState(later(5), later(50))
  times.tookOrders(later(7))
  expect(taken(times)).toEqual([later(5), later(50), later(7)])
  times.tookState(later(4), later(60))
  times.tookOrders(later(6))
  expect(taken(times)).toEqual([later(5), later(60), later(7)])
})

test.each([
  { ms: -3, by: -3 },
  { ms: 0, by: 0 },
  { ms: 1, by: 0 },
])('a clock that is set by $ms moves them by $by, and not the venue’s', ({ ms, by }) => {
  const times = new SnapshotTimes()
  times.tookState(later(5), later(50))
  times.tookOrders(later(7))
  times.shift(ms)
  expect(taken(times)).toEqual([later(5), later(50 + by), later(7 + by)])
})

test('a dex whose part of a state was told before keeps the times of then', () => {
  const times = new SnapshotTimes()
  const told = (): readonly number[] => [times.stateTime(tesla), times.stateTakenAt(tesla)]
  const unread = new Map([['xyz', later(5)]])
  times.tookState(later(5), later(50))
  times.tookState(later(6), later(60), unread)
  times.tookState(later(7), later(70), unread)
  expect([told(), taken(times)]).toEqual([
    [later(5), later(50)],
    [later(7), later(70), 0],
  ])
  expect([times.stateTakenAt(null), times.stateTakenAt(coin('abc:OIL'))]).toEqual([
    later(70),
    later(70),
  ])
  times.shift(-3)
  expect(told()).toEqual([later(5), later(47)])
  times.tookState(later(8), later(80))
  expect(told()).toEqual([later(8), later(80)])
})
