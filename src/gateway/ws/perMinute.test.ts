import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PerMinute } from './perMinute.ts'

const asks = fc.array(
  fc.record({ waitMs: fc.integer({ min: 0, max: 40_000 }), count: fc.integer({ min: 1, max: 4 }) }),
  { maxLength: 60 },
)

test('in any sixty seconds it is never more, and never less than would fit', () => {
  fc.assert(
    fc.property(asks, fc.integer({ min: 1, max: 12 }), (asked, max) => {
      let now = 0
      const perMinute = new PerMinute(max, { monotonicMs: () => now })
      const taken: { readonly at: number; readonly count: number }[] = []
      for (const { waitMs, count } of asked) {
        now += waitMs
        const recent = taken
          .filter(({ at }) => now - at < 60_000)
          .reduce((sum, each) => sum + each.count, 0)
        expect(perMinute.take(count)).toBe(recent + count <= max)
        if (recent + count <= max) taken.push({ at: now, count })
      }
    }),
  )
})
