import fc from 'fast-check'
import { expect, test } from 'vitest'
import { NonceSet } from './nonceSet.ts'

/** The same, by sorting everything anew for each number; what had to go comes back. */
function addPlainly(kept: number[], max: number, nonce: number): number | null {
  if (!kept.includes(nonce)) kept.push(nonce)
  kept.sort((a, b) => a - b)
  return kept.length > max ? (kept.shift() ?? null) : null
}

test('it holds the highest of what was added, whatever the order', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 8 }),
      fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 60 }),
      (max, added) => {
        const set = new NonceSet(max)
        const kept: number[] = []
        for (const nonce of added) {
          expect(set.add(nonce)).toBe(addPlainly(kept, max, nonce))
          expect(set.since(0)).toEqual(kept)
          expect(set.size).toBe(kept.length)
        }
        for (let nonce = 0; nonce <= 41; nonce += 1) {
          expect(set.has(nonce)).toBe(kept.includes(nonce))
          expect(set.since(nonce)).toEqual(kept.filter((each) => each >= nonce))
        }
      },
    ),
  )
})

test.each([
  [2_000, 9_000],
  [20_000, 60_000],
])('up to %i of %i, nearly in order, as a busy client sends them', (max, many) => {
  const base = 1_700_000_000_000
  const set = new NonceSet(max)
  // Of each four the third comes before the second.
  const nonces = Array.from(
    { length: many },
    (_, n) => base + (n % 4 === 1 || n % 4 === 2 ? n ^ 3 : n),
  )
  for (const nonce of nonces) set.add(nonce)
  const highest = [...nonces].sort((a, b) => a - b).slice(-max)
  expect(set.since(0)).toEqual(highest)
  expect(nonces.filter((nonce) => set.has(nonce)).length).toBe(max)
})
