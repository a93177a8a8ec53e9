import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LastFew } from './lastFew.ts'

test('it is the end of everything that was added', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 0, max: 20 }), (max, many) => {
      const few = new LastFew<number>(max)
      const all = Array.from({ length: many }, (_, n) => n)
      for (const each of all) few.add(each)
      const kept = all.slice(-max)
      expect(few.size).toBe(kept.length)
      for (let count = 0; count <= max + 1; count += 1) {
        expect(few.newest(count)).toEqual(count === 0 ? [] : kept.slice(-count))
      }
      for (let places = -1; places <= max; places += 1) {
        const expected = places < 0 ? undefined : kept[kept.length - 1 - places]
        expect(few.back(places)).toBe(expected)
      }
    }),
  )
})

test('it is the end of what fits together, and never less than the newest', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 1, max: 30 }),
      fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 20 }),
      (max, weightMax, weights) => {
        const few = new LastFew<number>(max, weightMax)
        for (const [item, weight] of weights.entries()) few.add(item, weight)
        const kept = few.newest(max)
        const sum = kept.reduce((all, item) => all + (weights[item] ?? 0), 0)
        expect(kept).toEqual(weights.map((_, item) => item).slice(-kept.length || weights.length))
        expect(kept.length <= 1 || sum <= weightMax).toBe(true)
        expect(kept.length > 0).toBe(weights.length > 0)
      },
    ),
  )
})
