import fc from 'fast-check'
import { expect, test } from 'vitest'
import { limits } from '../../core/values/limits.ts'
import { UnreadAnswers } from './unreadAnswers.ts'

test('all together never keep more than the bound, and those who read are never cut off', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat({ max: 9 }), fc.nat({ max: limits.unreadBytesMax / 2 }))),
      (writes) => {
        const unread = new UnreadAnswers(() => undefined)
        const holders = Array.from({ length: 10 }, () => ({
          unreadBytes: 0,
          isDropped: false,
          drop() {
            this.isDropped = true
            this.unreadBytes = 0
          },
        }))
        for (const holder of holders) unread.watch(holder)
        for (const [who, bytes] of writes) {
          const holder = holders[who]
          // The first one reads everything at once.
          if (holder === undefined || holder.isDropped || who === 0) continue
          holder.unreadBytes += bytes
          unread.wrote(holder)
          const total = holders.reduce((sum, each) => sum + each.unreadBytes, 0)
          expect(total).toBeLessThanOrEqual(limits.unreadBytesMax + 10 * limits.unreadBytesSmall)
        }
        expect(holders[0]?.isDropped).toBe(false)
      },
    ),
  )
})
