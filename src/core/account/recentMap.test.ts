import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RecentMap } from './recentMap.ts'

test('the last keys are remembered with their last value, oldest first, until deleted', () => {
  const key = fc.integer({ min: 0, max: 40 })
  const sets = fc.array(fc.tuple(key, fc.option(fc.integer())), { maxLength: 300 })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 12 }), sets, (max, entries) => {
      const recent = new RecentMap<number, number>(max)
      let expected: (readonly [number, number])[] = []
      for (const [key, value] of entries) {
        expected = expected.filter(([other]) => other !== key)
        if (value === null) recent.delete(key)
        else {
          recent.set(key, value)
          expected = [...expected, [key, value] as const].slice(-max)
        }
      }
      expect([...recent.keys()].map((key) => [key, recent.get(key)])).toEqual(expected)
      for (let key = 0; key <= 40; key += 1) {
        expect(recent.has(key)).toBe(expected.some(([other]) => other === key))
      }
    }),
    { numRuns: 2_000 },
  )
})

test('over a long life it stays exact', () => {
  const recent = new RecentMap<number, true>(1_000)
  for (let key = 0; key < 100_000; key += 1) recent.set(key, true)
  expect([...recent.keys()]).toEqual(Array.from({ length: 1_000 }, (_, at) => 99_000 + at))
})
