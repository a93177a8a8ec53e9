import { expect, test } from 'vitest'
import { fixtureNow, later, openOrder } from './account.fixture.ts'
import { believedList } from './believedList.ts'

const order = (oid: number) => openOrder({ coin: 'ETH', oid, isBuy: true, price: '1', size: '1' })

// Order 1 ended at the moment 0, order 2 at 50; order 3 is open.
const endings = new Map([
  [1, fixtureNow],
  [2, later(50)],
])

test.each([
  { what: 'an empty list', oids: [], takenAt: 100, listed: [], taken: 100 },
  { what: 'what has not ended', oids: [3], takenAt: 100, listed: [3], taken: 100 },
  { what: 'what has ended', oids: [1, 3], takenAt: 100, listed: [3], taken: -1 },
  { what: 'of two that have, the earlier end dates it', oids: [2, 1], takenAt: 100, taken: -1 },
  { what: 'an end later than the list', oids: [2], takenAt: 10, taken: 10 },
  { what: 'ten seconds after the end', oids: [1], takenAt: 10_000, taken: -1 },
  { what: 'later than that', oids: [1], takenAt: 10_001, listed: [1], taken: 10_001 },
])('$what', ({ oids, takenAt, listed = [], taken }) => {
  const believed = believedList(
    oids.map(order),
    fixtureNow + takenAt,
    (oid) => endings.get(oid) ?? null,
  )
  expect([...believed.listed.keys()]).toEqual(listed)
  expect(believed.taken).toBe(later(taken))
})
