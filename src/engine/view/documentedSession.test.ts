import { expect, test } from 'vitest'
import { millis } from '../../core/values/millis.ts'
import { documentedSession } from './documentedSession.ts'

test.each([
  // New York is four hours behind in summer, five in winter.
  ['2026-07-03T23:59:59Z', 'outside'],
  ['2026-07-04T00:00:00Z', "the dex's own"],
  ['2026-07-05T23:59:59Z', "the dex's own"],
  ['2026-07-06T00:00:00Z', 'outside'],
  ['2026-12-12T00:59:59Z', 'outside'],
  ['2026-12-12T01:00:00Z', "the dex's own"],
  ['2026-12-14T01:00:00Z', 'outside'],
  ['2026-12-16T12:00:00Z', 'outside'],
  ['2026-11-01T12:00:00Z', "the dex's own"],
  ['2026-03-08T12:00:00Z', "the dex's own"],
])('at %s %s prices are documented', (time, prices) => {
  const text = documentedSession('xyz', millis(Date.parse(time)))
  expect(text?.startsWith(prices)).toBe(true)
  expect(text).toContain('as documented and not as told by the venue')
})

test('other dexes document nothing', () => {
  expect(documentedSession('para', millis(1_700_000_000_000))).toBeNull()
})
