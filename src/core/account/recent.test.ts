import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Recent } from './recent.ts'

test('the latest keys are remembered with their last value, and no more than the most', () => {
  const sets = fc.array(fc.tuple(fc.integer({ min: 0, max: 40 }), fc.integer()))
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 12 }), sets, (max, entries) => {
      const recent = new Recent<number, number>(max)
      const latest = new Map<number, number>()
      for (const [key, value] of entries) {
        recent.set(key, value)
        latest.delete(key)
        latest.set(key, value)
      }
      const kept = [...recent.keys()]
      expect(kept.length).toBeLessThanOrEqual(2 * Math.ceil(max / 2))
      expect(new Set(kept).size).toBe(kept.length)
      const surely = [...latest].slice(-Math.ceil(max / 2))
      for (const [key, value] of surely) {
        expect(recent.has(key)).toBe(true)
        expect(recent.get(key)).toBe(value)
        expect(kept).toContain(key)
      }
      for (const key of kept) expect(recent.get(key)).toBe(latest.get(key))
      for (let key = 0; key <= 40; key += 1) expect(recent.has(key)).toBe(kept.includes(key))
    }),
    { numRuns: 1_000 },
  )
})
