import { expect, test } from 'vitest'
import { systemRandom } from './systemRandom.ts'

test('every draw has its length, and no byte is given twice', () => {
  const seen = new Set<string>()
  for (let n = 0; n < 2_000; n += 1) {
    const drawn = systemRandom.bytes(n % 40 === 0 ? 5_000 : 16)
    expect(drawn.length).toBe(n % 40 === 0 ? 5_000 : 16)
    seen.add(Buffer.from(drawn.subarray(0, 16)).toString('hex'))
  }
  expect(seen.size).toBe(2_000)
})

test('what was drawn belongs to whoever drew it', () => {
  const first = systemRandom.bytes(16)
  const copy = Uint8Array.from(first)
  systemRandom.bytes(16)
  expect(first).toEqual(copy)
  first.fill(7)
  expect(systemRandom.bytes(16)).not.toEqual(first)
})
