import { expect, test } from 'vitest'
import { later } from './account.fixture.ts'
import { SnapshotTimes } from './snapshotTimes.ts'

/** Of states by the venue's and by Guard's clock, and of lists. */
function taken(times: SnapshotTimes): readonly number[] {
  return [times.stateTime, times.stateTakenAt, times.ordersTakenAt(null)]
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
