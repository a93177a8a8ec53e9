import fc from 'fast-check'
import { expect, test } from 'vitest'
import { address } from '../../core/values/address.ts'
import { millis, nonce } from '../../core/values/millis.ts'
import { UsedNonces } from './usedNonces.ts'

const client = address('0x00000000000000000000000000000000000000c1')
const other = address('0x00000000000000000000000000000000000000c2')
const now = millis(1_700_000_000_000)

const windows: [string, number, string | null][] = [
  ['now', 0, null],
  ['at the old edge', -30_000, null],
  ['beyond the old edge', -30_001, 'auth_nonce_too_old'],
  ['at the new edge', 5_000, null],
  ['beyond the new edge', 5_001, 'auth_nonce_too_new'],
]
test.each(windows)('%s', (_, offset, expected) => {
  expect(new UsedNonces().check(client, nonce(now + offset), now)).toBe(expected)
})

test('what is from before a start that is doubted may have been used; what came later was not', () => {
  const used = new UsedNonces()
  expect(used.mayBeUsed(nonce(now))).toBe(false)
  used.doubtUpTo(now)
  used.doubtUpTo(now - 500)
  expect([-1, 0, 1].map((ms) => used.mayBeUsed(nonce(now + ms)))).toEqual([true, true, false])
})

test('what was signed before this Guard took over is another’s, after a restart, too', () => {
  const used = new UsedNonces()
  expect(used.isOthers(nonce(now))).toBe(false)
  used.takeOver(now)
  used.takeOver(now - 500)
  const restored = new UsedNonces()
  restored.restore(used.toJson(now))
  for (const each of [used, restored]) {
    expect(each.check(client, nonce(now), now)).toBe('auth_nonce_too_old')
    expect(each.check(client, nonce(now + 1), now)).toBe(null)
  }
})

test('a nonce is used once by each client, in any order', () => {
  const used = new UsedNonces()
  for (const each of [5, 3, 9]) used.consume(client, nonce(now - each))
  expect(used.check(client, nonce(now - 3), now)).toBe('auth_replay')
  expect(used.check(client, nonce(now - 4), now)).toBe(null)
  expect(used.check(other, nonce(now - 3), now)).toBe(null)
})

test('whatever was used is never accepted again: bounded, restored, with any clock', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: -30_000, max: 5_000 }), { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 2, max: 20 }),
      fc.integer({ min: -120_000, max: 120_000 }),
      (offsets, most, step) => {
        const used = new UsedNonces(most)
        for (const offset of offsets) used.consume(client, nonce(now + offset))
        const restored = new UsedNonces(most)
        restored.restore(JSON.parse(JSON.stringify(used.toJson(now - 60_000))))
        const later = millis(now + step)
        for (const offset of offsets) {
          expect(used.check(client, nonce(now + offset), later)).not.toBe(null)
          expect(restored.check(client, nonce(now + offset), later)).not.toBe(null)
        }
      },
    ),
    { numRuns: 200 },
  )
})
