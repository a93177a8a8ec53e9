import { expect, test } from 'vitest'
import fc from 'fast-check'
import { Ring } from './ring.ts'

test('keeps the newest, in order, and hands back what it drops', () => {
  fc.assert(
    fc.property(fc.array(fc.integer()), fc.integer({ min: 1, max: 9 }), (items, capacity) => {
      const ring = new Ring<number>(capacity)
      const dropped = items.map((item) => ring.push(item)).filter((item) => item !== undefined)
      expect(ring.toArray()).toEqual(items.slice(-capacity))
      expect(ring.newestFirst()).toEqual(items.slice(-capacity).reverse())
      expect(dropped).toEqual(items.slice(0, Math.max(0, items.length - capacity)))
      expect(ring.last()).toBe(items.at(-1))
    }),
  )
})
