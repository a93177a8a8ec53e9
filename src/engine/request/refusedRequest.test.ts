import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json } from '../../core/protocol/action.ts'
import { refusedRequest } from './refusedRequest.ts'

test('whatever was refused, its record holds at most 16 KiB of it', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: 0, max: 40 }), (value, doublings) => {
      let request = value as Json
      for (let n = 0; n < doublings && JSON.stringify(request).length < 100_000; n += 1) {
        request = [request, request]
      }
      const text = JSON.stringify(request)
      const recorded = refusedRequest(request)
      expect(Buffer.byteLength(JSON.stringify(recorded))).toBeLessThanOrEqual(16_384)
      if (Buffer.byteLength(text) <= 16_384) expect(recorded).toEqual(request)
      else {
        expect(recorded).toMatchObject({
          bytes: Buffer.byteLength(text),
          sha256: createHash('sha256').update(text).digest('hex'),
        })
        expect(text.startsWith((recorded as { head: string }).head)).toBe(true)
      }
    }),
  )
})

test('its beginning ends with a whole character', () => {
  const text = `${'x'.repeat(1_022)}${'\u{1f600}'.repeat(9_000)}`
  const { head } = refusedRequest(text) as { head: string }
  expect(head).toBe(`"${'x'.repeat(1_022)}`)
})

test('the record of a large request keeps no more of it in memory than it holds', () => {
  const kept: Json[] = []
  const before = heldBytes()
  for (let at = 0; at < 40; at += 1) {
    kept.push(refusedRequest({ type: 'order', at, x: 'y'.repeat(1_000_000) }))
  }
  expect(heldBytes() - before).toBeLessThan(4_000_000)
  expect(kept.length).toBe(40)
})

/** What is on the heap once everything that nobody holds is gone. */
function heldBytes(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  return process.memoryUsage().heapUsed
}
